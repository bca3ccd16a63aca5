// ConversationDelegate: a conversation's title, when it was last used, and what a search found in it.
#pragma once

#include <QStyledItemDelegate>

namespace tandem::gui {

class ConversationDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace tandem::gui
