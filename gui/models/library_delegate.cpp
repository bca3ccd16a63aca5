#include "gui/models/library_delegate.h"

#include <QApplication>
#include <QPainter>

#include "gui/models/library_table_model.h"
#include "gui/models/model_fit.h"
#include "gui/widgets/badge.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {
constexpr int kRowHeight = 40;
}  // namespace

void LibraryDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  option->state &= ~QStyle::State_HasFocus;  // the whole row is the unit
  const ThemeColors& c = ThemeColors::of(option->palette);
  const auto state = LibraryEntry::State(index.data(LibraryTableModel::StateRole).toInt());
  if (index.column() == LibraryTableModel::Name) {
    if (index.data(LibraryTableModel::IsLoadedRole).toBool()) option->font.setWeight(QFont::DemiBold);
    return;
  }
  const QColor color = state == LibraryEntry::State::Failed ? c.bad : c.textMuted;
  option->palette.setColor(QPalette::Text, color);
  option->palette.setColor(QPalette::HighlightedText, color);
}

void LibraryDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QVariant level = index.data(LibraryTableModel::FitLevelRole);
  if (level.isValid()) {
    QStyleOptionViewItem empty = option;
    initStyleOption(&empty, index);
    const QString text = empty.text;
    empty.text.clear();
    const QStyle* style = empty.widget ? empty.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &empty, painter, empty.widget);
    painter->setFont(option.font);
    Badge::paint(painter, option.rect.adjusted(kGrid, 0, -kGrid / 2, 0), option.palette,
                 fitBadgeKind(ModelFit::Level(level.toInt())), text);
    return;
  }
  QStyledItemDelegate::paint(painter, option, index);
  if (index.column() == LibraryTableModel::Name && index.data(LibraryTableModel::IsLoadedRole).toBool()) {
    const ThemeColors& c = ThemeColors::of(option.palette);
    const QRect bar(option.rect.left(), option.rect.top() + 10, 3, option.rect.height() - 20);
    painter->fillRect(bar, c.good);
  }
}

QSize LibraryDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = QStyledItemDelegate::sizeHint(option, index);
  if (index.data(LibraryTableModel::FitLevelRole).isValid()) {
    size.setWidth(Badge::size(option.fontMetrics, index.data(Qt::DisplayRole).toString()).width() + 3 * kGrid);
  }
  size.setHeight(kRowHeight);
  return size;
}

}  // namespace tandem::gui
