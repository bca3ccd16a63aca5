#include "gui/chat/footer_rows.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/widgets/error_text.h"
#include "gui/widgets/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

QToolButton* makeButton(const QString& iconName, const QString& name, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setIcon(icon(iconName));
  button->setIconSize({16, 16});
  button->setToolTip(name);
  button->setAccessibleName(name);
  return button;
}

// Seconds, or milliseconds where seconds would say 0.0.
QString shortTime(double ms) {
  return ms < 1000.0 ? AnswerFooterRow::tr("%1 ms").arg(qRound(ms)) : formatSeconds(ms / 1000.0);
}

int layoutHeight(QWidget* widget, int width) {
  QLayout* layout = widget->layout();
  layout->activate();
  return layout->hasHeightForWidth() ? layout->totalHeightForWidth(width) : layout->totalSizeHint().height();
}

}  // namespace

VersionSwitch::VersionSwitch(QWidget* parent)
    : QWidget(parent),
      m_previous(makeButton(QStringLiteral("chevron-left"), tr("Former version"), this)),
      m_place(new QLabel(this)),
      m_next(makeButton(QStringLiteral("chevron-right"), tr("Next version"), this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  for (QWidget* part : {static_cast<QWidget*>(m_previous), static_cast<QWidget*>(m_place), static_cast<QWidget*>(m_next)}) {
    layout->addWidget(part);
  }
  setTextRole(m_place, TextRole::Small);
  connect(m_previous, &QToolButton::clicked, this, &VersionSwitch::previousRequested);
  connect(m_next, &QToolButton::clicked, this, &VersionSwitch::nextRequested);
}

void VersionSwitch::setVersion(int version, int numVersions, bool isEnabled) {
  setVisible(numVersions > 1);
  m_place->setText(QStringLiteral("%1/%2").arg(version).arg(numVersions));
  m_place->setAccessibleName(tr("Version %1 of %2").arg(version).arg(numVersions));
  m_previous->setEnabled(isEnabled && version > 1);
  m_next->setEnabled(isEnabled && version < numVersions);
}

QuestionFooterRow::QuestionFooterRow(QWidget* parent)
    : ChatRow(parent),
      m_versions(new VersionSwitch(this)),
      m_edit(makeButton(QStringLiteral("edit"), tr("Edit and send again"), this)) {
  auto* copy = makeButton(QStringLiteral("copy"), tr("Copy the message"), this);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 2, 0, 6);
  layout->setSpacing(2);
  layout->addStretch();
  layout->addWidget(m_versions);
  layout->addWidget(copy);
  layout->addWidget(m_edit);
  connect(copy, &QToolButton::clicked, this, [this] { emit actionRequested(RowAction::Copy, m_id); });
  connect(m_edit, &QToolButton::clicked, this, [this] { emit actionRequested(RowAction::Edit, m_id); });
  connect(m_versions, &VersionSwitch::previousRequested, this,
          [this] { emit actionRequested(RowAction::PreviousVersion, m_id); });
  connect(m_versions, &VersionSwitch::nextRequested, this, [this] { emit actionRequested(RowAction::NextVersion, m_id); });
}

void QuestionFooterRow::setContent(const RowContent& content) {
  m_id = content.messageId;
  m_versions->setVersion(content.version, content.numVersions, !content.isBusy);
  m_edit->setEnabled(!content.isBusy);
}

int QuestionFooterRow::heightAt(int width) {
  return layoutHeight(this, width);
}

AnswerFooterRow::AnswerFooterRow(QWidget* parent)
    : ChatRow(parent),
      m_notice(new QFrame(this)),
      m_noticeTitle(new QLabel(m_notice)),
      m_noticeDetail(new QLabel(m_notice)),
      m_noticeButtons(new QWidget(m_notice)),
      m_continue(new QPushButton(tr("Continue", "go on with an answer that ended early"), m_notice)),
      m_retry(new QPushButton(tr("Try again"), m_notice)),
      m_trim(new QPushButton(tr("Leave out the oldest messages"), m_notice)),
      m_newChat(new QPushButton(tr("Start a new chat"), m_notice)),
      m_models(new QPushButton(tr("Load with a larger context…"), m_notice)),
      m_versions(new VersionSwitch(this)),
      m_copy(makeButton(QStringLiteral("copy"), tr("Copy the answer"), this)),
      m_regenerate(makeButton(QStringLiteral("refresh"), tr("Answer again"), this)),
      m_stats(new QLabel(this)) {
  m_notice->setObjectName(QStringLiteral("notice"));
  for (QLabel* label : {m_noticeTitle, m_noticeDetail}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  m_noticeDetail->setTextFormat(Qt::PlainText);
  setTextRole(m_noticeDetail, TextRole::Muted);
  auto* buttons = new QHBoxLayout(m_noticeButtons);
  buttons->setContentsMargins(0, 4, 0, 2);
  for (QPushButton* button : {m_continue, m_retry, m_trim, m_newChat, m_models}) buttons->addWidget(button);
  buttons->addStretch();
  auto* notice = new QVBoxLayout(m_notice);
  notice->setContentsMargins(12, 8, 12, 8);
  notice->addWidget(m_noticeTitle);
  notice->addWidget(m_noticeDetail);
  notice->addWidget(m_noticeButtons);

  auto* line = new QHBoxLayout;
  line->setSpacing(2);
  line->addWidget(m_versions);
  line->addWidget(m_copy);
  line->addWidget(m_regenerate);
  line->addSpacing(6);
  line->addWidget(m_stats, 1);
  setTextRole(m_stats, TextRole::Small);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 2, 0, 12);
  layout->addWidget(m_notice);
  layout->addLayout(line);

  const auto act = [this](QAbstractButton* button, RowAction action) {
    connect(button, &QAbstractButton::clicked, this, [this, action] { emit actionRequested(action, m_id); });
  };
  act(m_copy, RowAction::Copy);
  act(m_regenerate, RowAction::Regenerate);
  act(m_retry, RowAction::Regenerate);
  act(m_continue, RowAction::Continue);
  act(m_trim, RowAction::TrimAndRetry);
  act(m_newChat, RowAction::NewChat);
  act(m_models, RowAction::OpenModels);
  connect(m_versions, &VersionSwitch::previousRequested, this,
          [this] { emit actionRequested(RowAction::PreviousVersion, m_id); });
  connect(m_versions, &VersionSwitch::nextRequested, this, [this] { emit actionRequested(RowAction::NextVersion, m_id); });
}

QString AnswerFooterRow::progressText(const GenerationState& generation) {
  if (generation.isStopping) return tr("Stopping…");
  switch (generation.phase) {
    case GenerationState::Phase::Submitted: return tr("Starting…");
    case GenerationState::Phase::Queued:
      return generation.queuePlace > 0 ? tr("Waiting: place %1 in the queue").arg(generation.queuePlace + 1)
                                       : tr("Waiting: next in line");
    case GenerationState::Phase::Prefill:
      return tr("Reading the prompt: %1 of %2 tokens")
          .arg(formatCount(generation.prefillDone), formatCount(generation.prefillTotal));
    case GenerationState::Phase::Decode: return tr("%1 tokens so far").arg(formatCount(generation.outputTokens));
  }
  return {};
}

QString AnswerFooterRow::statsText(const AnswerStats& stats) {
  QStringList parts;
  if (!stats.modelName.isEmpty()) parts += stats.modelName;
  if (stats.outputTokens > 0) parts += tr("%1 tokens", "length of an answer").arg(formatCount(stats.outputTokens));
  if (stats.tokensPerSecond() > 0.0) parts += formatTokensPerSecond(stats.tokensPerSecond());
  if (stats.ttftMs > 0.0) parts += tr("first token after %1").arg(shortTime(stats.ttftMs));
  return parts.join(QStringLiteral(" · "));
}

void AnswerFooterRow::setNotice(const RowContent& content) {
  const bool isFailed = content.status == MessageStatus::Failed;
  const bool isContextFull = content.isContextFull;
  QString title;
  switch (content.status) {
    case MessageStatus::Interrupted: title = tr("Interrupted: Tandem ended while this answer was being written."); break;
    case MessageStatus::Stopped: title = tr("Stopped."); break;
    case MessageStatus::LengthLimit:
      title = isContextFull ? errorTitle(ErrorCode::kContextExhausted) : tr("The answer reached its length limit.");
      break;
    case MessageStatus::Failed: title = errorTitle(content.errorCode); break;
    case MessageStatus::Complete:
    case MessageStatus::Streaming: break;
  }
  // An answer the user stopped needs no attention once the chat has gone on: the line below says it.
  const bool isOldStop = content.status == MessageStatus::Stopped && !content.isLast;
  m_notice->setVisible(!title.isEmpty() && !content.isGenerating && !isOldStop);
  m_noticeTitle->setText(title);
  const qint64 numTokens = content.stats.promptTokens + content.stats.outputTokens;
  const bool isFilled = isContextFull && content.status == MessageStatus::LengthLimit;
  const QString detail =
      isFilled
          ? tr("The conversation has %1 tokens with this answer, and the context holds no more.").arg(formatCount(numTokens))
          : content.errorText;
  m_noticeDetail->setText(detail);
  m_noticeDetail->setVisible(!detail.isEmpty());
  m_noticeTitle->setAccessibleName(title);

  const bool canAct = content.isLast && !content.isBusy;
  m_continue->setVisible(!isContextFull && canAct);
  m_continue->setEnabled(content.isModelReady);
  m_continue->setToolTip(content.isModelReady ? QString() : tr("Load a model first."));
  m_retry->setVisible(isFailed && !isContextFull && canAct);
  m_retry->setEnabled(content.isModelReady);
  m_trim->setVisible(isContextFull && canAct && content.canTrim);
  m_newChat->setVisible(isContextFull && canAct);
  m_models->setVisible(isContextFull && canAct);
  m_noticeButtons->setVisible(canAct);
  const ThemeColors& colors = ThemeColors::of(palette());
  const bool isMild = content.status == MessageStatus::Stopped;
  const QColor ground = isFailed ? colors.badSoft : isMild ? colors.surfaceAlt : colors.warnSoft;
  const QString style = QStringLiteral("#notice { background: %1; border-radius: 8px; }").arg(ground.name());
  if (m_notice->styleSheet() != style) m_notice->setStyleSheet(style);
}

void AnswerFooterRow::setContent(const RowContent& content) {
  m_id = content.messageId;
  setNotice(content);
  m_versions->setVersion(content.version, content.numVersions, !content.isBusy);
  m_copy->setVisible(!content.isGenerating);
  m_regenerate->setVisible(!content.isGenerating);
  m_regenerate->setEnabled(!content.isBusy && content.isModelReady);
  m_regenerate->setToolTip(content.isModelReady ? tr("Answer again") : tr("Load a model first."));
  m_stats->setText(content.isGenerating ? progressText(content.generation)
                   : content.status == MessageStatus::Stopped && !content.isLast
                       ? tr("Stopped", "an answer") + QStringLiteral(" · ") + statsText(content.stats)
                       : statsText(content.stats));
  m_stats->setToolTip(content.isGenerating || content.stats.outputTokens == 0
                          ? QString()
                          : tr("Prompt: %1 tokens. Waiting in line: %2. Seed: %3.")
                                .arg(formatCount(content.stats.promptTokens), shortTime(content.stats.queueMs))
                                .arg(content.stats.seed));
}

int AnswerFooterRow::heightAt(int width) {
  return layoutHeight(this, width);
}

ContextMarkRow::ContextMarkRow(QWidget* parent) : ChatRow(parent), m_label(new QLabel(this)), m_undo(new QToolButton(this)) {
  m_label->setText(tr("Messages above this line are no longer sent to the model."));
  m_label->setWordWrap(true);
  setTextRole(m_label, TextRole::Small);
  m_undo->setText(tr("Send them again"));
  m_undo->setIcon(icon(QStringLiteral("undo")));
  m_undo->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 8, 0, 8);
  auto* line = new QFrame(this);
  line->setFrameShape(QFrame::HLine);
  layout->addWidget(line, 1);
  layout->addWidget(m_label);
  layout->addWidget(m_undo);
  auto* line2 = new QFrame(this);
  line2->setFrameShape(QFrame::HLine);
  layout->addWidget(line2, 1);
  connect(m_undo, &QToolButton::clicked, this, [this] { emit actionRequested(RowAction::UndoTrim, m_id); });
}

void ContextMarkRow::setContent(const RowContent& content) {
  m_id = content.messageId;
  m_undo->setEnabled(!content.isBusy);
}

int ContextMarkRow::heightAt(int width) {
  return layoutHeight(this, width);
}

}  // namespace tandem::gui
