#include "gui/chat/row_builder.h"

namespace tandem::gui {

QList<RowContent> RowBuilder::rows(const ChatSession& session, const Context& context) {
  QList<RowContent> rows;
  for (const HistoryId id : session.branch()) rows += messageRows(session, id, context);
  return rows;
}

QList<RowContent> RowBuilder::messageRows(const ChatSession& session, HistoryId messageId, const Context& context) {
  QList<RowContent> rows;
  const Message* message = session.message(messageId);
  if (message == nullptr) return rows;

  RowContent base;
  base.messageId = messageId;
  base.isGenerating = session.generatingId() == messageId;
  base.isBusy = session.isGenerating();
  const auto add = [&](RowContent::Kind kind, const QString& text, int part = 0) -> RowContent& {
    RowContent row = base;
    row.kind = kind;
    row.text = text;
    row.part = part;
    rows += row;
    return rows.last();
  };

  if (message->startsContext) add(RowContent::Kind::ContextMark, {});
  RowContent footer = base;
  const QList<HistoryId> siblings = session.siblings(messageId);
  footer.version = int(siblings.indexOf(messageId)) + 1;
  footer.numVersions = int(siblings.size());
  footer.isLast = session.branch().last() == messageId;
  footer.isModelReady = context.isModelReady;
  if (message->role == Role::User) {
    add(RowContent::Kind::Question, message->content);
    footer.kind = RowContent::Kind::QuestionFooter;
    rows += footer;
    return rows;
  }

  if (!message->reasoning.trimmed().isEmpty()) {
    add(RowContent::Kind::Thinking, message->reasoning).isGenerating = base.isGenerating && message->content.isEmpty();
  }
  MarkdownStream& markdown = m_markdown[messageId];
  if (!message->content.startsWith(markdown.source())) markdown = MarkdownStream();
  markdown.append(message->content.mid(markdown.source().size()));
  // A part row says nothing about the state: it must not change with it.
  base.isGenerating = base.isBusy = false;
  int part = 0;
  for (const MarkdownPiece& piece : markdown.pieces()) {
    const bool isCode = piece.kind == MarkdownPiece::Kind::Code;
    add(isCode ? RowContent::Kind::Code : RowContent::Kind::RichText, piece.text, part++).language = piece.language;
  }
  footer.kind = RowContent::Kind::AnswerFooter;
  footer.status = message->status;
  if (message->error) {
    footer.errorText = QString::fromStdString(message->error->detail);
    footer.errorCode = message->error->code;
    footer.isContextFull = message->error->code == ErrorCode::kContextExhausted;
  }
  footer.stats = message->stats;
  if (footer.isGenerating) footer.generation = session.generation();
  footer.canTrim = context.canTrim;
  rows += footer;
  return rows;
}

}  // namespace tandem::gui
