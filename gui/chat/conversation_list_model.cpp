#include "gui/chat/conversation_list_model.h"

#include <QDateTime>
#include <QLocale>

namespace tandem::gui {

void ConversationListModel::setEntries(const QList<SearchHit>& entries) {
  const bool isSameList =
      entries.size() == m_entries.size() &&
      std::equal(entries.cbegin(), entries.cend(), m_entries.cbegin(), [](const SearchHit& a, const SearchHit& b) {
        return a.conversationId == b.conversationId && a.messageId == b.messageId;
      });
  if (isSameList) {  // the selection stays
    m_entries = entries;
    if (!entries.isEmpty()) emit dataChanged(index(0), index(int(entries.size()) - 1));
    return;
  }
  beginResetModel();
  m_entries = entries;
  endResetModel();
}

void ConversationListModel::setConversations(const QList<ConversationSummary>& conversations) {
  QList<SearchHit> entries;
  for (const ConversationSummary& c : conversations) entries += {c.id, 0, c.title, {}, c.updatedMs};
  setEntries(entries);
}

void ConversationListModel::setHits(const QList<SearchHit>& hits) {
  setEntries(hits);
}

void ConversationListModel::setGenerating(const QSet<HistoryId>& conversationIds) {
  if (m_generating == conversationIds) return;
  m_generating = conversationIds;
  if (!m_entries.isEmpty()) emit dataChanged(index(0), index(int(m_entries.size()) - 1), {IsGeneratingRole});
}

int ConversationListModel::rowOf(HistoryId conversationId) const {
  for (qsizetype i = 0; i < m_entries.size(); ++i) {
    if (m_entries[i].conversationId == conversationId) return int(i);
  }
  return -1;
}

int ConversationListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_entries.size());
}

QVariant ConversationListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const SearchHit& entry = m_entries[index.row()];
  const QString title = entry.title.isEmpty() ? tr("Untitled chat") : entry.title;
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole: return title;
    case Qt::AccessibleTextRole:
      return m_generating.contains(entry.conversationId) ? tr("%1, an answer is being written").arg(title) : title;
    case ConversationIdRole: return entry.conversationId;
    case MessageIdRole: return entry.messageId;
    case SnippetRole: return entry.messageId != 0 ? entry.snippet : QString();
    case MarkedTitleRole: return entry.messageId == 0 && !entry.snippet.isEmpty() ? entry.snippet : title;
    case UpdatedRole: return entry.updatedMs;
    case IsGeneratingRole: return m_generating.contains(entry.conversationId);
    default: return {};
  }
}

}  // namespace tandem::gui
