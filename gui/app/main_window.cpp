#include "gui/app/main_window.h"

#include <QCloseEvent>
#include <QStackedWidget>

#include "gui/app/app_settings.h"
#include "gui/widgets/page.h"

namespace tandem::gui {

MainWindow::MainWindow(AppSettings* settings, EngineController* engine, QWidget* parent)
    : QMainWindow(parent), m_settings(settings), m_engine(engine), m_stack(new QStackedWidget(this)) {
  setCentralWidget(m_stack);
}

void MainWindow::addPage(Page* page) {
  m_pages.append(page);
  m_stack->addWidget(page);
  page->retranslate();
  connect(page, &Page::pageRequested, this, &MainWindow::showPage);
}

Page* MainWindow::page(const QString& pageId) const {
  for (Page* page : m_pages) {
    if (page->pageId() == pageId) return page;
  }
  return nullptr;
}

Page* MainWindow::currentPage() const {
  return m_pages.value(m_stack->currentIndex());
}

QStringList MainWindow::pageIds() const {
  QStringList ids;
  for (const Page* page : m_pages) ids << page->pageId();
  return ids;
}

bool MainWindow::showPage(const QString& pageId) {
  Page* wanted = page(pageId);
  if (!wanted) return false;
  m_stack->setCurrentWidget(wanted);
  setWindowTitle(wanted->title());
  return true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  for (Page* page : m_pages) {
    if (!page->mayClose()) {
      event->ignore();
      return;
    }
  }
  m_settings->save();
  QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::LanguageChange) retranslate();
}

void MainWindow::retranslate() {
  if (const Page* page = currentPage()) setWindowTitle(page->title());
}

}  // namespace tandem::gui
