// MainWindow: navigation bar, pages, menus, banner and status bar. Knows pages only by their interface.
#pragma once

#include <QHash>
#include <QList>
#include <QMainWindow>

#include "gui/app/app_settings.h"
#include "gui/app/engine_controller.h"

class QActionGroup;
class QButtonGroup;
class QLabel;
class QMenu;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;

namespace tandem::gui {

class Banner;
class EngineStatus;
class MachineMemory;
class Page;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  // All outlive the window. `memory` may be null: the status bar then does not show it.
  MainWindow(AppSettings* settings, EngineController* engine, MachineMemory* memory, QWidget* parent = nullptr);

  // Takes ownership. Pages appear in the navigation bar in the order they are added; Ctrl+1 shows the first.
  void addPage(Page* page);
  Page* page(const QString& pageId) const;
  Page* currentPage() const;
  QStringList pageIds() const;
  // Messages that concern no single page.
  Banner* banner() const { return m_banner; }
  EngineStatus* engineStatus() const { return m_engineStatus; }

  // Size, place and page of the last time; a place that is on no screen any more is ignored.
  void restoreState();

 public slots:
  // Returns false when there is no such page.
  bool showPage(const QString& pageId);

 signals:
  void currentPageChanged(const QString& pageId);
  // Files or folders dropped anywhere on the window.
  void pathsDropped(const QStringList& paths);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct Entry {
    Page* page = nullptr;
    QToolButton* button = nullptr;
    QAction* show = nullptr;
    QMenu* menu = nullptr;  // null when the page has no actions
  };

  QWidget* buildNavigation();
  void buildMenus();
  void buildStatusBar();
  void retranslate();
  void updateMemoryText();
  void showAbout();

  AppSettings* const m_settings;
  EngineController* const m_engine;
  MachineMemory* const m_memory;

  QList<Entry> m_entries;
  QStackedWidget* m_stack;
  QVBoxLayout* m_navigation = nullptr;
  QWidget* m_navigationBar = nullptr;
  QButtonGroup* m_navigationGroup = nullptr;
  Banner* m_banner;
  EngineStatus* m_engineStatus = nullptr;
  QLabel* m_memoryLabel = nullptr;

  QMenu* m_fileMenu = nullptr;
  QMenu* m_viewMenu = nullptr;
  QMenu* m_themeMenu = nullptr;
  QMenu* m_languageMenu = nullptr;
  QMenu* m_helpMenu = nullptr;
  QAction* m_quit = nullptr;
  QAction* m_unload = nullptr;
  QAction* m_about = nullptr;
  QActionGroup* m_themes = nullptr;
  QActionGroup* m_languages = nullptr;
};

}  // namespace tandem::gui
