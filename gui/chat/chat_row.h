// ChatRow: one piece of a message in the chat view, and what it shows.
#pragma once

#include <QString>
#include <QWidget>

#include "gui/chat/chat_session.h"
#include "gui/history/types.h"

namespace tandem::gui {

struct RowContent {
  enum class Kind {
    ContextMark,  // what stands above is not sent to the model
    Question,
    QuestionFooter,
    Thinking,
    RichText,      // part of an answer
    Code,          // part of an answer
    AnswerFooter,  // state, figures, actions
  };

  Kind kind = Kind::RichText;
  HistoryId messageId = 0;
  int part = 0;      // RichText, Code: which piece of the answer
  QString text;      // HTML for RichText, else plain
  QString language;  // Code

  // Footers, and Thinking for isGenerating.
  MessageStatus status = MessageStatus::Complete;
  QString errorText;
  ErrorCode errorCode = ErrorCode::kInternal;
  bool isContextFull = false;  // why it failed or ended
  AnswerStats stats;
  GenerationState generation;
  bool isGenerating = false;
  bool isLast = false;  // of the shown branch
  bool isBusy = false;  // the conversation generates: nothing can be asked for
  bool isModelReady = false;
  bool canTrim = false;
  int version = 1;  // of numVersions siblings
  int numVersions = 1;

  bool operator==(const RowContent&) const = default;
  bool isSameRow(const RowContent& other) const {
    return kind == other.kind && messageId == other.messageId && part == other.part;
  }
};

enum class RowAction {
  Copy,
  Edit,
  Regenerate,
  Continue,
  PreviousVersion,
  NextVersion,
  TrimAndRetry,
  UndoTrim,
  NewChat,
  OpenModels,
};

class ChatRow : public QWidget {
  Q_OBJECT
 public:
  using QWidget::QWidget;
  // Of the kind it was made for.
  virtual void setContent(const RowContent& content) = 0;
  // Height it wants at this width; lays its parts out for it.
  virtual int heightAt(int width) = 0;

  static ChatRow* create(RowContent::Kind kind, QWidget* parent);

 signals:
  void actionRequested(tandem::gui::RowAction action, tandem::gui::HistoryId messageId);
  void linkActivated(const QString& address);
  void linkHovered(const QString& address);
  // Its wanted height is another one now, by the user's doing (unfolded, shown in full).
  void heightChanged();
};

}  // namespace tandem::gui
