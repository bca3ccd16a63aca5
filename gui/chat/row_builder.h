// RowBuilder: what the chat view shows of a session.
#pragma once

#include <QHash>
#include <QList>

#include "gui/chat/chat_row.h"
#include "gui/chat/chat_session.h"
#include "gui/chat/markdown.h"

namespace tandem::gui {

// Keeps the Markdown of each answer parsed between calls, so that streamed text costs only its last block.
class RowBuilder {
 public:
  struct Context {
    bool isModelReady = false;
    bool canTrim = false;
  };
  QList<RowContent> rows(const ChatSession& session, const Context& context);
  QList<RowContent> messageRows(const ChatSession& session, HistoryId messageId, const Context& context);
  // Another session is shown now.
  void clear() { m_markdown.clear(); }

 private:
  QHash<HistoryId, MarkdownStream> m_markdown;
};

}  // namespace tandem::gui
