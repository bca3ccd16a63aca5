// MainWindow: navigation bar, pages, menus and status bar. Knows pages only by their interface.
#pragma once

#include <QHash>
#include <QMainWindow>

#include "gui/app/engine_controller.h"

class QActionGroup;
class QLabel;
class QMenu;
class QProgressBar;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace tandem::gui {

class AppSettings;
class Page;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // Both outlive the window.
  MainWindow(AppSettings* settings, EngineController* engine, QWidget* parent = nullptr);

  // Takes ownership. Pages appear in the navigation bar in the order they are added.
  void addPage(Page* page);
  Page* page(const QString& pageId) const;
  Page* currentPage() const;
  QStringList pageIds() const;

 public slots:
  // Returns false when there is no such page.
  bool showPage(const QString& pageId);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void retranslate();

  AppSettings* const m_settings;
  EngineController* const m_engine;
  QList<Page*> m_pages;
  QStackedWidget* m_stack;
};

}  // namespace tandem::gui
