#include "gui/chat/rich_text.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QTextDocument>
#include <QWheelEvent>
#include <cmath>

#include "gui/widgets/theme.h"

namespace tandem::gui {

RichText::RichText(QWidget* parent) : QTextBrowser(parent) {
  setFrameShape(QFrame::NoFrame);
  setStyleSheet(QStringLiteral("QTextBrowser { background: transparent; border: none; padding: 0; }"));
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setOpenLinks(false);
  setTextInteractionFlags(Qt::TextBrowserInteraction);
  setUndoRedoEnabled(false);
  document()->setDocumentMargin(0);
}

void RichText::setMarkdownHtml(const QString& html) {
  const ThemeColors& colors = ThemeColors::of(palette());
  const QString mono = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
  document()->setDefaultStyleSheet(
      QStringLiteral("p, ul, ol, blockquote, table, pre { margin-top: 4px; margin-bottom: 8px; }"
                     "p, li { line-height: 130%; }"
                     "h3, h4, h5 { margin-top: 12px; margin-bottom: 6px; }"
                     "h3 { font-size: large; } h4, h5 { font-size: medium; }"
                     "a { color: %1; }"
                     "code, pre { font-family: '%2'; background-color: %3; }"
                     "blockquote { color: %4; margin-left: 16px; }"
                     "table { border-color: %5; border-collapse: collapse; }"
                     "th { background-color: %3; }")
          .arg(colors.accent.name(), mono, colors.surfaceAlt.name(), colors.textMuted.name(), colors.border.name()));
  setHtml(html);
}

int RichText::heightAt(int width) {
  setFixedWidth(width);
  document()->setTextWidth(width);
  return int(std::ceil(document()->size().height()));
}

QVariant RichText::loadResource(int, const QUrl&) {
  return {};
}

// The view scrolls, not its parts.
void RichText::wheelEvent(QWheelEvent* event) {
  event->ignore();
}

void RichText::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_Up:
    case Qt::Key_Down:
      if (event->modifiers() == Qt::NoModifier) {
        event->ignore();
        return;
      }
      break;
    default: break;
  }
  QTextBrowser::keyPressEvent(event);
}

}  // namespace tandem::gui
