// ModelsPage: the library, details of one model, and loading it.
#pragma once

#include "gui/models/model_library.h"
#include "gui/widgets/page.h"

class QFileDialog;
class QLabel;
class QLineEdit;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;

namespace tandem::gui {

class AppSettings;
class Banner;
class EmptyState;
class EngineController;
class LibrarySortModel;
class LibraryTableModel;
class LoadCard;
class ModelDetails;

class ModelsPage : public Page {
  Q_OBJECT
 public:
  // All outlive the page.
  ModelsPage(ModelLibrary* library, EngineController* engine, AppSettings* settings, QWidget* parent = nullptr);

  QString pageId() const override { return QStringLiteral("models"); }
  QString title() const override { return tr("Models"); }
  QString iconName() const override { return QStringLiteral("models"); }
  QList<QAction*> menuActions() const override;
  void focusFirst() override;
  void retranslate() override;
  bool mayClose() override;

  QString selectedPath() const;
  void selectPath(const QString& path);
  // Lists the paths and chooses the first model; tells the user about those that are not there.
  void addPaths(const QStringList& paths);

 signals:
  void loadRequested(const QString& path);
  void planRequested(const QString& path);

 private:
  void buildActions();
  QWidget* buildToolbar();
  QWidget* buildTable();
  void updateDetails();
  void updateEngineState();
  void updateContents();
  void chooseFiles(bool folder);
  void removeSelected();

  ModelLibrary* const m_library;
  EngineController* const m_engine;
  AppSettings* const m_settings;
  QString m_pendingSelection;  // chosen as soon as its scan has listed it

  QAction* m_addFile = nullptr;
  QAction* m_addFolder = nullptr;
  QAction* m_load = nullptr;
  QAction* m_remove = nullptr;
  QAction* m_rescan = nullptr;
  QAction* m_separators[2] = {};

  QLabel* m_title;
  QLabel* m_scanning;
  QPushButton* m_addFileButton = nullptr;
  QPushButton* m_addFolderButton = nullptr;
  QLineEdit* m_filter = nullptr;
  Banner* m_banner;
  LoadCard* m_loadCard;
  QStackedWidget* m_stack;
  QSplitter* m_splitter;
  QTableView* m_table = nullptr;
  LibraryTableModel* m_model;
  LibrarySortModel* m_sorted;
  ModelDetails* m_details;
  EmptyState* m_empty;
  QPushButton* m_emptyFile;
  QPushButton* m_emptyFolder;
  QLabel* m_noMatch = nullptr;
};

}  // namespace tandem::gui
