#include "gui/chat/composer.h"

#include <QHBoxLayout>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "gui/widgets/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr int kMaxLines = 10;  // then it scrolls

}  // namespace

ComposerEdit::ComposerEdit(QWidget* parent) : QPlainTextEdit(parent) {
  setTabChangesFocus(true);
  setFrameShape(QFrame::NoFrame);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this, [this] {
    setVerticalScrollBarPolicy(document()->size().height() > kMaxLines ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    updateGeometry();
  });
}

QSize ComposerEdit::sizeHint() const {
  // QPlainTextEdit's document height is in lines.
  const int lines = qBound(1, int(std::ceil(document()->size().height())), kMaxLines);
  return {400, lines * fontMetrics().lineSpacing() + 2 * int(document()->documentMargin()) + 10};
}

QSize ComposerEdit::minimumSizeHint() const {
  return {120, sizeHint().height()};
}

void ComposerEdit::keyPressEvent(QKeyEvent* event) {
  const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (isEnter && m_isComposing) return;  // meant for the input method
  if (isEnter && !(event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier))) {
    emit sendRequested();
    return;
  }
  if (event->key() == Qt::Key_Escape) {
    emit escapePressed();
    return;
  }
  if (isEnter && (event->modifiers() & Qt::AltModifier)) {
    insertPlainText(QStringLiteral("\n"));
    return;
  }
  QPlainTextEdit::keyPressEvent(event);
}

void ComposerEdit::inputMethodEvent(QInputMethodEvent* event) {
  m_isComposing = !event->preeditString().isEmpty();
  QPlainTextEdit::inputMethodEvent(event);
}

void ComposerEdit::insertFromMimeData(const QMimeData* source) {
  if (source->hasText()) insertPlainText(source->text());
}

Composer::Composer(QWidget* parent)
    : QFrame(parent),
      m_edit(new ComposerEdit(this)),
      m_reason(new QLabel(this)),
      m_help(new QPushButton(this)),
      m_editing(new QLabel(this)),
      m_cancelEdit(new QToolButton(this)),
      m_meter(new QLabel(this)),
      m_send(new QToolButton(this)),
      m_stop(new QToolButton(this)) {
  setObjectName(QStringLiteral("composer"));
  setCard(this);
  m_edit->setStyleSheet(QStringLiteral("QPlainTextEdit { background: transparent; border: none; padding: 0; }"));
  m_reason->setWordWrap(true);
  setTextRole(m_reason, TextRole::Muted);
  setTextRole(m_editing, TextRole::Small);
  setTextRole(m_meter, TextRole::Small);
  m_cancelEdit->setIcon(icon(QStringLiteral("cancel")));
  m_cancelEdit->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_send->setIcon(icon(QStringLiteral("send")));
  m_send->setIconSize({20, 20});
  m_stop->setIcon(icon(QStringLiteral("stop")));
  m_stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_stop->setIconSize({20, 20});

  auto* reasonLine = new QHBoxLayout;
  reasonLine->addWidget(m_reason, 1);
  reasonLine->addWidget(m_help);
  auto* editLine = new QHBoxLayout;
  editLine->addWidget(m_editing, 1);
  editLine->addWidget(m_cancelEdit);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(4, 0, 0, 0);
  buttons->addWidget(m_meter);
  buttons->addStretch();
  buttons->addWidget(m_send);
  buttons->addWidget(m_stop);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 8, 8);
  layout->setSpacing(4);
  layout->addLayout(reasonLine);
  layout->addLayout(editLine);
  layout->addWidget(m_edit);
  layout->addLayout(buttons);

  connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
    updateButtons();
    emit textChanged();
  });
  connect(m_edit, &ComposerEdit::sendRequested, this, [this] {
    if (m_send->isEnabled() && !m_isGenerating) emit sendRequested();
  });
  connect(m_edit, &ComposerEdit::escapePressed, this, [this] {
    if (m_isGenerating) {
      emit stopRequested();
    } else if (m_isEditing) {
      emit editCancelled();
    }
  });
  connect(m_send, &QToolButton::clicked, this, &Composer::sendRequested);
  connect(m_stop, &QToolButton::clicked, this, &Composer::stopRequested);
  connect(m_help, &QPushButton::clicked, this, &Composer::helpRequested);
  connect(m_cancelEdit, &QToolButton::clicked, this, &Composer::editCancelled);
  setBlocked({});
  setEditing(false);
}

QString Composer::text() const {
  return m_edit->toPlainText();
}

void Composer::setText(const QString& text) {
  m_edit->setPlainText(text);
  m_edit->moveCursor(QTextCursor::End);
}

void Composer::setBlocked(const QString& reason, const QString& action) {
  m_isBlocked = !reason.isEmpty();
  m_reason->setText(reason);
  m_reason->setVisible(m_isBlocked);
  m_help->setText(action);
  m_help->setVisible(!action.isEmpty());
  updateButtons();
}

void Composer::setGenerating(bool isGenerating) {
  m_isGenerating = isGenerating;
  updateButtons();
}

void Composer::setEditing(bool isEditing) {
  m_isEditing = isEditing;
  m_editing->setVisible(isEditing);
  m_cancelEdit->setVisible(isEditing);
}

void Composer::updateButtons() {
  // The text stays editable while nothing can be sent: a question can be prepared while the model loads.
  m_send->setVisible(!m_isGenerating);
  m_stop->setVisible(m_isGenerating);
  m_send->setEnabled(!m_isBlocked && !text().trimmed().isEmpty());
}

void Composer::setMeter(qint64 usedTokens, qint64 limitTokens) {
  m_usedTokens = usedTokens;
  m_limitTokens = limitTokens;
  const bool isFull = limitTokens > 0 && usedTokens >= limitTokens;
  m_meter->setText(tr("Context: %1 of %2 tokens").arg(formatCount(usedTokens), formatCount(limitTokens)));
  m_meter->setToolTip(isFull ? tr("The context is full. Leave out old messages, start a new chat, or load the model with a "
                                  "larger context.")
                             : tr("What the model is shown: system prompt, conversation, and what you are writing."));
  const ThemeColors& colors = ThemeColors::of(palette());
  const bool isNearlyFull = limitTokens > 0 && usedTokens * 10 >= limitTokens * 9;
  m_meter->setStyleSheet(isNearlyFull ? QStringLiteral("color: %1;").arg(isFull ? colors.bad.name() : colors.warn.name())
                                      : QString());
}

void Composer::clearMeter() {
  m_usedTokens = -1;
  m_meter->clear();
}

void Composer::focusEdit() {
  m_edit->setFocus(Qt::OtherFocusReason);
}

void Composer::retranslate() {
  m_edit->setPlaceholderText(tr("Write a message"));
  m_edit->setAccessibleName(tr("Message"));
  m_edit->setAccessibleDescription(tr("Enter sends, Shift+Enter starts a new line."));
  m_edit->setToolTip(m_edit->accessibleDescription());
  m_editing->setText(tr("You are editing a former message. Sending makes a new version; the old one is kept."));
  m_cancelEdit->setText(tr("Cancel", "stop editing a message"));
  m_cancelEdit->setAccessibleName(tr("Stop editing the message"));
  m_send->setToolTip(tr("Send (Enter)"));
  m_send->setAccessibleName(tr("Send"));
  m_stop->setText(tr("Stop", "stop the answer"));
  m_stop->setToolTip(tr("Stop the answer (Esc)"));
  m_stop->setAccessibleName(tr("Stop the answer"));
  if (m_usedTokens >= 0) setMeter(m_usedTokens, m_limitTokens);
}

}  // namespace tandem::gui
