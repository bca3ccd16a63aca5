#include "gui/chat/chat_session.h"

#include <algorithm>
#include <utility>

namespace tandem::gui {

ChatSession::ChatSession(Conversation conversation, QList<Message> messages, QObject* parent)
    : QObject(parent), m_conversation(std::move(conversation)) {
  for (const Message& message : messages) {
    m_messages.insert(message.id, message);
    m_children[message.parentId] += message.id;
  }
  showHead(m_conversation.headId);
}

const Message* ChatSession::message(HistoryId id) const {
  const auto found = m_messages.constFind(id);
  return found == m_messages.cend() ? nullptr : &*found;
}

QList<HistoryId> ChatSession::siblings(HistoryId id) const {
  const Message* m = message(id);
  return m != nullptr ? m_children.value(m->parentId) : QList<HistoryId>();
}

HistoryId ChatSession::leafBelow(HistoryId id) const {
  for (QList<HistoryId> children = m_children.value(id); !children.isEmpty(); children = m_children.value(id)) {
    id = children.last();
  }
  return id;
}

void ChatSession::addMessage(const Message& message) {
  m_messages.insert(message.id, message);
  m_children[message.parentId] += message.id;
  m_conversation.updatedMs = message.createdMs;
  showHead(message.id);
}

void ChatSession::showHead(HistoryId headId) {
  m_conversation.headId = headId;
  m_branch.clear();
  for (const Message* m = message(headId); m != nullptr; m = message(m->parentId)) m_branch += m->id;
  std::reverse(m_branch.begin(), m_branch.end());
  emit branchChanged();
}

}  // namespace tandem::gui
