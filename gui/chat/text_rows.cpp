#include "gui/chat/text_rows.h"

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTextDocument>
#include <QTimer>
#include <QToolButton>
#include <QWheelEvent>
#include <cmath>

#include "gui/chat/rich_text.h"
#include "gui/widgets/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr qsizetype kQuestionChars = 6000;
constexpr int kThinkingHeight = 240;

// Appends where the new text goes on from the old, so that the selection and the scroll place stay.
void updatePlainText(QPlainTextEdit* edit, QString& shown, const QString& text) {
  if (text.size() > shown.size() && text.startsWith(shown)) {
    QTextCursor cursor(edit->document());
    cursor.movePosition(QTextCursor::End);
    cursor.insertText(text.mid(shown.size()));
  } else if (text != shown) {
    edit->setPlainText(text);
  }
  shown = text;
}

// Leaves the wheel to the chat view, except for what it can scroll itself.
class PlainText : public QPlainTextEdit {
 public:
  explicit PlainText(QWidget* parent) : QPlainTextEdit(parent) {
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setFrameShape(QFrame::NoFrame);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
  }

 protected:
  void wheelEvent(QWheelEvent* event) override {
    const bool isSideways = std::abs(event->angleDelta().x()) > std::abs(event->angleDelta().y());
    const QScrollBar* bar = isSideways ? horizontalScrollBar() : verticalScrollBar();
    const int delta = isSideways ? event->angleDelta().x() : event->angleDelta().y();
    const bool canScroll = delta > 0 ? bar->value() > bar->minimum() : bar->value() < bar->maximum();
    if (!canScroll || (!isSideways && verticalScrollBarPolicy() == Qt::ScrollBarAlwaysOff)) {
      event->ignore();
      return;
    }
    QPlainTextEdit::wheelEvent(event);
  }
};

}  // namespace

QuestionRow::QuestionRow(QWidget* parent)
    : ChatRow(parent), m_bubble(new QFrame(this)), m_body(new RichText(m_bubble)), m_showAll(new QToolButton(m_bubble)) {
  m_bubble->setObjectName(QStringLiteral("questionBubble"));
  m_bubble->setStyleSheet(QStringLiteral("#questionBubble { background: %1; border-radius: 12px; }")
                              .arg(ThemeColors::of(palette()).accentSoft.name()));
  m_body->setAccessibleName(tr("Your message"));
  connect(m_showAll, &QToolButton::clicked, this, [this] {
    m_showsAll = true;
    showText();
    emit heightChanged();
  });
}

void QuestionRow::setContent(const RowContent& content) {
  if (content.text == m_text && !m_text.isEmpty()) return;
  m_text = content.text;
  showText();
}

void QuestionRow::showText() {
  const bool isCut = !m_showsAll && m_text.size() > kQuestionChars;
  m_body->setPlainText(isCut ? m_text.left(kQuestionChars) + QStringLiteral("…") : m_text);
  m_showAll->setVisible(isCut);
  m_showAll->setText(tr("Show all %1 characters").arg(formatCount(m_text.size())));
}

int QuestionRow::heightAt(int width) {
  constexpr int kPaddingX = 14;
  constexpr int kPaddingY = 10;
  const int most = width * 4 / 5 - 2 * kPaddingX;
  m_body->document()->setTextWidth(-1);
  const int ideal = int(std::ceil(m_body->document()->idealWidth())) + 1;
  const int bodyWidth = qMax(40, qMin(ideal, most));
  const int bodyHeight = m_body->heightAt(bodyWidth);
  m_body->setGeometry(kPaddingX, kPaddingY, bodyWidth, bodyHeight);
  const int extra = m_showAll->isHidden() ? 0 : m_showAll->sizeHint().height() + 4;
  const int bubbleWidth = qMax(bodyWidth, extra > 0 ? m_showAll->sizeHint().width() : 0) + 2 * kPaddingX;
  m_showAll->setGeometry(kPaddingX, kPaddingY + bodyHeight + 4, m_showAll->sizeHint().width(), m_showAll->sizeHint().height());
  const int bubbleHeight = bodyHeight + extra + 2 * kPaddingY;
  m_bubble->setGeometry(width - bubbleWidth, kGrid, bubbleWidth, bubbleHeight);
  return bubbleHeight + kGrid;
}

RichTextRow::RichTextRow(QWidget* parent) : ChatRow(parent), m_body(new RichText(this)) {
  m_body->setAccessibleName(tr("Part of the answer"));
  connect(m_body, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) { emit linkActivated(url.toString()); });
  connect(m_body, &QTextBrowser::highlighted, this, [this](const QUrl& url) { emit linkHovered(url.toString()); });
}

void RichTextRow::setContent(const RowContent& content) {
  m_body->setMarkdownHtml(content.text);
}

int RichTextRow::heightAt(int width) {
  const int height = m_body->heightAt(width);
  m_body->setGeometry(0, 0, width, height);
  return height;
}

CodeRow::CodeRow(QWidget* parent)
    : ChatRow(parent),
      m_frame(new QFrame(this)),
      m_language(new QLabel(m_frame)),
      m_copy(new QToolButton(m_frame)),
      m_code(new PlainText(m_frame)) {
  const ThemeColors& colors = ThemeColors::of(palette());
  m_frame->setObjectName(QStringLiteral("codeFrame"));
  m_frame->setStyleSheet(QStringLiteral("#codeFrame { background: %1; border: 1px solid %2; border-radius: 8px; }"
                                        "QPlainTextEdit { background: transparent; border: none; padding: 0 8px 4px 8px; }")
                             .arg(colors.surfaceAlt.name(), colors.border.name()));
  m_code->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  m_code->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_code->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_code->document()->setDocumentMargin(4);
  m_code->setAccessibleName(tr("Code"));
  setTextRole(m_language, TextRole::Small);
  m_copy->setIcon(icon(QStringLiteral("copy")));
  m_copy->setText(tr("Copy", "copy a block of code"));
  m_copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_copy->setAccessibleName(tr("Copy this code"));
  connect(m_copy, &QToolButton::clicked, this, [this] {
    QApplication::clipboard()->setText(m_text);
    m_copy->setText(tr("Copied", "a block of code"));
    m_copy->setIcon(icon(QStringLiteral("check")));
    QTimer::singleShot(1500, m_copy, [this] {
      m_copy->setText(tr("Copy", "copy a block of code"));
      m_copy->setIcon(icon(QStringLiteral("copy")));
    });
  });
  auto* header = new QHBoxLayout;
  header->setContentsMargins(12, 2, 6, 0);
  header->addWidget(m_language);
  header->addStretch();
  header->addWidget(m_copy);
  auto* layout = new QVBoxLayout(m_frame);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(header);
  layout->addWidget(m_code);
}

void CodeRow::setContent(const RowContent& content) {
  m_language->setText(content.language.isEmpty() ? tr("Code") : content.language);
  updatePlainText(m_code, m_text, content.text);
}

int CodeRow::heightAt(int width) {
  m_frame->setFixedWidth(width);
  m_frame->layout()->activate();
  const int lines = m_code->blockCount();
  // One line more than the text when it is too wide: room for the scroll bar, without waiting for it to show.
  const int textWidth = int(std::ceil(m_code->document()->idealWidth()));
  const int bar = textWidth > width - 20 ? m_code->horizontalScrollBar()->sizeHint().height() : 0;
  const int codeHeight = lines * m_code->fontMetrics().lineSpacing() + 2 * int(m_code->document()->documentMargin()) + bar + 8;
  const int height = codeHeight + m_copy->sizeHint().height() + 4;
  m_frame->setGeometry(0, 4, width, height);
  return height + 12;
}

ThinkingRow::ThinkingRow(QWidget* parent) : ChatRow(parent), m_toggle(new QToolButton(this)), m_body(new PlainText(this)) {
  const ThemeColors& colors = ThemeColors::of(palette());
  m_toggle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_toggle->setCheckable(true);
  m_body->setStyleSheet(QStringLiteral("QPlainTextEdit { background: transparent; color: %1; border: none; "
                                       "border-left: 3px solid %2; border-radius: 0; padding-left: 8px; }")
                            .arg(colors.textMuted.name(), colors.border.name()));
  m_body->setAccessibleName(tr("The model's thinking"));
  connect(m_toggle, &QToolButton::clicked, this, [this](bool isChecked) {
    m_chosen = isChecked;
    applyExpanded();
    emit heightChanged();
  });
}

void ThinkingRow::setContent(const RowContent& content) {
  m_isThinking = content.isGenerating;
  const QScrollBar* bar = m_body->verticalScrollBar();
  const bool wasAtEnd = bar->value() >= bar->maximum() - 4;
  updatePlainText(m_body, m_text, content.text.trimmed());
  applyExpanded();
  if (wasAtEnd && m_isThinking) m_body->verticalScrollBar()->setValue(m_body->verticalScrollBar()->maximum());
}

void ThinkingRow::applyExpanded() {
  const bool isExpanded = m_chosen.value_or(m_isThinking);
  m_toggle->setChecked(isExpanded);
  m_toggle->setIcon(icon(isExpanded ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right")));
  m_toggle->setText(m_isThinking ? tr("Thinking…") : tr("Thoughts"));
  m_toggle->setAccessibleName(isExpanded ? tr("Hide the model's thinking") : tr("Show the model's thinking"));
  m_body->setVisible(isExpanded);
}

int ThinkingRow::heightAt(int width) {
  const QSize toggle = m_toggle->sizeHint();
  m_toggle->setGeometry(0, 4, qMin(toggle.width() + 8, width), toggle.height());
  if (m_body->isHidden()) return toggle.height() + 8;
  m_body->setFixedWidth(width);
  // QPlainTextEdit's document height is in lines.
  const int lines = qMax(1, int(std::ceil(m_body->document()->size().height())));
  const int body = qMin(lines * m_body->fontMetrics().lineSpacing() + 12, kThinkingHeight);
  m_body->setGeometry(0, toggle.height() + 8, width, body);
  return toggle.height() + body + 16;
}

}  // namespace tandem::gui
