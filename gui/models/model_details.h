// ModelDetails: everything known of one model: facts, metadata, tensors by type; or why its file was refused.
#pragma once

#include <QWidget>

#include "gui/models/model_library.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QTableWidget;

namespace tandem::gui {

class Badge;
class ElidedLabel;

class ModelDetails : public QWidget {
  Q_OBJECT
 public:
  explicit ModelDetails(QWidget* parent = nullptr);

  void showNothing();
  // `isLoaded`: the engine holds this model.
  void showEntry(const LibraryEntry& entry, bool isLoaded);
  void retranslate();

 signals:
  void loadRequested();
  void unloadRequested();
  void removeRequested();
  void rescanRequested();
  void planRequested();

 private:
  QWidget* buildKnown();
  QWidget* buildFailed();
  void addFact(const QString& name, const QString& value);
  void fillFacts();
  void fillMetadata();
  void fillTensors();
  void filterMetadata();
  void clearFacts();

  LibraryEntry m_entry;
  bool m_hasEntry = false;
  bool m_isLoaded = false;

  QStackedWidget* m_stack;
  ElidedLabel* m_name;
  ElidedLabel* m_path;
  QLabel* m_demoNote;
  QLabel* m_problem;
  QPushButton* m_load;
  QPushButton* m_plan;
  QPushButton* m_remove;
  QTabWidget* m_tabs;
  QGridLayout* m_facts;
  QLineEdit* m_metadataFilter;
  QTableWidget* m_metadata;
  QTableWidget* m_tensors;

  QLabel* m_nothing;
  ElidedLabel* m_failedName;
  QLabel* m_failedTitle;
  QLabel* m_failedDetail;
  QPushButton* m_failedRetry;
  QPushButton* m_failedRemove;
};

}  // namespace tandem::gui
