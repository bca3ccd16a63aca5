// ConversationListModel: the stored conversations, or what a search found in them.
#pragma once

#include <QAbstractListModel>
#include <QSet>

#include "gui/history/types.h"

namespace tandem::gui {

class ConversationListModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role {
    ConversationIdRole = Qt::UserRole,
    MessageIdRole,    // of a search hit; 0 otherwise
    SnippetRole,      // with kMatchStart and kMatchEnd; empty: no hit in a message
    MarkedTitleRole,  // the title, with its matches marked
    UpdatedRole,      // ms since the epoch
    IsGeneratingRole,
  };
  using QAbstractListModel::QAbstractListModel;

  void setConversations(const QList<ConversationSummary>& conversations);
  void setHits(const QList<SearchHit>& hits);
  void setGenerating(const QSet<HistoryId>& conversationIds);
  // -1: not in the list.
  int rowOf(HistoryId conversationId) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  void setEntries(const QList<SearchHit>& entries);
  QList<SearchHit> m_entries;  // a plain conversation is a hit without snippet
  QSet<HistoryId> m_generating;
};

}  // namespace tandem::gui
