#include "gui/app/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QButtonGroup>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "gui/app/about_dialog.h"
#include "gui/app/engine_status.h"
#include "gui/app/language.h"
#include "gui/app/machine_memory.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/page.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr QSize kDefaultSize(1280, 800);
constexpr QSize kFrameAllowance(16, 48);  // what a window manager adds around the window, at most
constexpr int kNavigationWidth = 152;

QStringList localPaths(const QMimeData* data) {
  QStringList paths;
  for (const QUrl& url : data->urls()) {
    if (url.isLocalFile()) paths << url.toLocalFile();
  }
  return paths;
}

}  // namespace

MainWindow::MainWindow(AppSettings* settings, EngineController* engine, MachineMemory* memory, QWidget* parent)
    : QMainWindow(parent),
      m_settings(settings),
      m_engine(engine),
      m_memory(memory),
      m_stack(new QStackedWidget),
      m_banner(new Banner) {
  setObjectName(QStringLiteral("MainWindow"));
  setAcceptDrops(true);
  setMinimumSize(880, 560);

  auto* right = new QVBoxLayout;
  right->setContentsMargins(0, 0, 0, 0);
  right->setSpacing(0);
  auto* bannerMargin = new QVBoxLayout;
  bannerMargin->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 0);
  bannerMargin->addWidget(m_banner);
  right->addLayout(bannerMargin);
  right->addWidget(m_stack, 1);

  auto* central = new QWidget;
  auto* layout = new QHBoxLayout(central);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildNavigation());
  layout->addLayout(right, 1);
  setCentralWidget(central);

  buildMenus();
  buildStatusBar();
  connect(engine, &EngineController::stateChanged, this,
          [this] { m_unload->setEnabled(m_engine->state() == EngineController::State::Ready); });
  retranslate();
}

QWidget* MainWindow::buildNavigation() {
  m_navigationBar = new QWidget;
  m_navigationBar->setProperty("navigationBar", true);
  m_navigationBar->setAttribute(Qt::WA_StyledBackground);
  m_navigationBar->setFixedWidth(kNavigationWidth);
  m_navigation = new QVBoxLayout(m_navigationBar);
  m_navigation->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  m_navigation->setSpacing(kGrid / 2);
  m_navigation->addStretch();
  m_navigationGroup = new QButtonGroup(this);
  return m_navigationBar;
}

void MainWindow::buildMenus() {
  m_fileMenu = menuBar()->addMenu(QString());
  m_unload = m_fileMenu->addAction(icon(QStringLiteral("unload")), QString(), m_engine, &EngineController::unload);
  m_unload->setEnabled(false);
  m_fileMenu->addSeparator();
  m_quit = m_fileMenu->addAction(QString(), this, &QWidget::close);
  m_quit->setShortcut(QKeySequence::Quit);
  m_quit->setMenuRole(QAction::QuitRole);

  m_viewMenu = menuBar()->addMenu(QString());
  m_viewMenu->addSeparator();  // pages go before it
  m_themeMenu = m_viewMenu->addMenu(icon(QStringLiteral("theme")), QString());
  m_themes = new QActionGroup(this);
  for (const Theme theme : {Theme::System, Theme::Light, Theme::Dark}) {
    QAction* action = m_themeMenu->addAction(QString());
    action->setCheckable(true);
    action->setData(int(theme));
    action->setActionGroup(m_themes);
    action->setChecked(theme == m_settings->theme());
    connect(action, &QAction::triggered, this, [this, theme] { m_settings->setTheme(theme); });
  }
  connect(m_settings, &AppSettings::themeChanged, this,
          [this](Theme theme) { m_themes->actions()[int(theme)]->setChecked(true); });

  m_languageMenu = m_viewMenu->addMenu(icon(QStringLiteral("language")), QString());
  m_languages = new QActionGroup(this);
  auto addLanguage = [this](const QString& code, const QString& name) {
    QAction* action = m_languageMenu->addAction(name);
    action->setCheckable(true);
    action->setData(code);
    action->setActionGroup(m_languages);
    action->setChecked(code == m_settings->language());
    connect(action, &QAction::triggered, this, [this, code] { m_settings->setLanguage(code); });
  };
  addLanguage(QString(), QString());
  for (const auto& language : LanguageController::available()) addLanguage(language.code, language.name);
  connect(m_settings, &AppSettings::languageChanged, this, [this](const QString& code) {
    for (QAction* action : m_languages->actions()) action->setChecked(action->data().toString() == code);
  });

  m_helpMenu = menuBar()->addMenu(QString());
  m_about = m_helpMenu->addAction(QString(), this, &MainWindow::showAbout);
  m_about->setMenuRole(QAction::AboutRole);
}

void MainWindow::buildStatusBar() {
  m_engineStatus = new EngineStatus(m_engine);
  statusBar()->addWidget(m_engineStatus, 1);
  statusBar()->setSizeGripEnabled(false);
  m_memoryLabel = new QLabel;
  m_memoryLabel->setContentsMargins(0, 0, kGrid, 0);
  statusBar()->addPermanentWidget(m_memoryLabel);
  if (m_memory) connect(m_memory, &MachineMemory::memoryRead, this, &MainWindow::updateMemoryText);
}

void MainWindow::addPage(Page* page) {
  Entry entry;
  entry.page = page;
  m_stack->addWidget(page);
  const int number = int(m_entries.size()) + 1;

  entry.button = new QToolButton;
  entry.button->setCheckable(true);
  entry.button->setProperty("navigation", true);
  entry.button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  entry.button->setIcon(icon(page->iconName()));
  entry.button->setIconSize({20, 20});
  entry.button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  m_navigationGroup->addButton(entry.button);
  m_navigation->insertWidget(m_navigation->count() - 1, entry.button);

  entry.show = new QAction(icon(page->iconName()), QString(), this);
  if (number <= 9) entry.show->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number)));
  QAction* separator = nullptr;
  for (QAction* action : m_viewMenu->actions()) {
    if (action->isSeparator()) separator = action;
  }
  m_viewMenu->insertAction(separator, entry.show);

  const QString id = page->pageId();
  connect(entry.button, &QToolButton::clicked, this, [this, id] { showPage(id); });
  connect(entry.show, &QAction::triggered, this, [this, id] { showPage(id); });
  connect(page, &Page::pageRequested, this, &MainWindow::showPage);
  connect(page, &Page::statusMessageRequested, this,
          [this](const QString& message) { statusBar()->showMessage(message, 5000); });

  if (const QList<QAction*> actions = page->menuActions(); !actions.isEmpty()) {
    entry.menu = new QMenu(this);
    entry.menu->addActions(actions);
    menuBar()->insertMenu(m_viewMenu->menuAction(), entry.menu);
    // What an action does is seen on its page.
    connect(entry.menu, &QMenu::triggered, this, [this, id] { showPage(id); });
  }
  m_entries.append(entry);
  page->retranslate();
  retranslate();
  if (number == 1) showPage(id);
}

Page* MainWindow::page(const QString& pageId) const {
  for (const Entry& entry : m_entries) {
    if (entry.page->pageId() == pageId) return entry.page;
  }
  return nullptr;
}

Page* MainWindow::currentPage() const {
  return m_entries.value(m_stack->currentIndex()).page;
}

QStringList MainWindow::pageIds() const {
  QStringList ids;
  for (const Entry& entry : m_entries) ids << entry.page->pageId();
  return ids;
}

bool MainWindow::showPage(const QString& pageId) {
  for (const Entry& entry : m_entries) {
    if (entry.page->pageId() != pageId) continue;
    const bool changed = m_stack->currentWidget() != entry.page || !entry.button->isChecked();
    m_stack->setCurrentWidget(entry.page);
    entry.button->setChecked(true);
    setWindowTitle(tr("%1 – Tandem", "window title; %1 is the page").arg(entry.page->title()));
    if (changed) {
      entry.page->focusFirst();
      emit currentPageChanged(pageId);
    }
    return true;
  }
  return false;
}

void MainWindow::restoreState() {
  // The title bar and frame come on top, and are not known before the window is shown.
  resize(kDefaultSize.boundedTo(screen()->availableSize() - kFrameAllowance));
  const QByteArray geometry = m_settings->windowState(QStringLiteral("geometry"));
  if (!geometry.isEmpty()) restoreGeometry(geometry);  // brings a window that is off all screens back by itself
  showPage(m_settings->lastPage());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  for (const Entry& entry : m_entries) {
    if (entry.page->mayClose()) continue;
    showPage(entry.page->pageId());
    event->ignore();
    return;
  }
  m_settings->setWindowState(QStringLiteral("geometry"), saveGeometry());
  if (const Page* page = currentPage()) m_settings->setLastPage(page->pageId());
  m_settings->save();
  QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::LanguageChange) retranslate();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!localPaths(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QStringList paths = localPaths(event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  emit pathsDropped(paths);
}

void MainWindow::retranslate() {
  m_fileMenu->setTitle(tr("&File"));
  m_unload->setText(tr("&Unload the Model"));
  m_quit->setText(tr("&Quit"));
  m_viewMenu->setTitle(tr("&View"));
  m_themeMenu->setTitle(tr("&Theme"));
  const QString themes[] = {tr("&System", "theme"), tr("&Light", "theme"), tr("&Dark", "theme")};
  for (QAction* action : m_themes->actions()) action->setText(themes[action->data().toInt()]);
  m_languageMenu->setTitle(tr("L&anguage"));
  m_languages->actions().constFirst()->setText(tr("&System", "language"));
  m_helpMenu->setTitle(tr("&Help"));
  m_about->setText(tr("&About Tandem"));
  m_navigationBar->setAccessibleName(tr("Pages"));
  for (const Entry& entry : m_entries) {
    entry.button->setText(entry.page->title());
    entry.button->setToolTip(entry.show->shortcut().toString(QKeySequence::NativeText));
    entry.button->setAccessibleName(tr("Show the page %1").arg(entry.page->title()));
    entry.show->setText(entry.page->title());
    if (entry.menu) entry.menu->setTitle(entry.page->title());
  }
  if (const Page* page = currentPage()) {
    setWindowTitle(tr("%1 – Tandem", "window title; %1 is the page").arg(page->title()));
  }
  updateMemoryText();
}

void MainWindow::updateMemoryText() {
  const bool known = m_memory && m_memory->last();
  m_memoryLabel->setVisible(known);
  if (!known) return;
  m_memoryLabel->setText(tr("%1 of %2 memory available")
                             .arg(formatBytes(m_memory->last()->available_bytes), formatBytes(m_memory->last()->total_bytes)));
  m_memoryLabel->setToolTip(tr("What programs can still take without swapping, as the system reports it"));
}

void MainWindow::showAbout() {
  auto* dialog = new AboutDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

}  // namespace tandem::gui
