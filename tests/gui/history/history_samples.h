// Conversations for history tests.
#pragma once

#include <QString>

#include "gui/history/history_database.h"

namespace tandem::test {

inline constexpr qint64 kSampleTimeMs = 1'750'000'000'000;

inline gui::Conversation sampleConversation(gui::HistoryId id, const QString& title) {
  gui::Conversation c;
  c.id = id;
  c.title = title;
  c.createdMs = kSampleTimeMs + id;
  c.updatedMs = kSampleTimeMs + id;
  return c;
}

inline gui::Message sampleMessage(gui::HistoryId id, gui::HistoryId conversation, gui::HistoryId parent, gui::Role role,
                                  const QString& content) {
  gui::Message m;
  m.id = id;
  m.conversationId = conversation;
  m.parentId = parent;
  m.role = role;
  m.content = content;
  m.createdMs = kSampleTimeMs + id;
  return m;
}

// `count` conversations with a question and an answer of about `answerChars` characters each. Ids: conversation 3k+1,
// question 3k+2, answer 3k+3.
inline QList<gui::ConversationData> sampleConversations(int count, int answerChars) {
  QList<gui::ConversationData> list;
  for (int k = 0; k < count; ++k) {
    const gui::HistoryId id = 3 * k + 1;
    gui::ConversationData data{sampleConversation(id, QStringLiteral("Chat %1").arg(k)), {}};
    data.messages += sampleMessage(id + 1, id, 0, gui::Role::User, QStringLiteral("Question %1?").arg(k));
    QString answer = QStringLiteral("Answer %1: ").arg(k);
    while (answer.size() < answerChars) answer += QStringLiteral("word%1 ").arg(answer.size());
    data.messages += sampleMessage(id + 2, id, id + 1, gui::Role::Assistant, answer);
    data.conversation.headId = id + 2;
    list += data;
  }
  return list;
}

}  // namespace tandem::test
