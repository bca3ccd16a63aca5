#include "gui/chat/chat_row.h"

#include "gui/chat/footer_rows.h"
#include "gui/chat/text_rows.h"

namespace tandem::gui {

ChatRow* ChatRow::create(RowContent::Kind kind, QWidget* parent) {
  switch (kind) {
    case RowContent::Kind::ContextMark: return new ContextMarkRow(parent);
    case RowContent::Kind::Question: return new QuestionRow(parent);
    case RowContent::Kind::QuestionFooter: return new QuestionFooterRow(parent);
    case RowContent::Kind::Thinking: return new ThinkingRow(parent);
    case RowContent::Kind::RichText: return new RichTextRow(parent);
    case RowContent::Kind::Code: return new CodeRow(parent);
    case RowContent::Kind::AnswerFooter: return new AnswerFooterRow(parent);
  }
  return nullptr;
}

}  // namespace tandem::gui
