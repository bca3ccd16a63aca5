#include "gui/chat/conversation_delegate.h"

#include <QDateTime>
#include <QLocale>
#include <QPainter>
#include <QTextLayout>

#include "gui/chat/conversation_list_model.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr int kPaddingX = 10;
constexpr int kPaddingY = 7;

QString dayText(qint64 ms) {
  const QDateTime time = QDateTime::fromMSecsSinceEpoch(ms);
  const QLocale locale;
  return time.date() == QDate::currentDate() ? time.time().toString(QStringLiteral("HH:mm"))
                                             : locale.toString(time.date(), QLocale::ShortFormat);
}

// One line with the marked parts highlighted. A match far to the right is brought into view.
void paintMarked(QPainter* painter, const QRect& rect, QString text, const QFont& font, const QColor& color,
                 const ThemeColors& colors) {
  const qsizetype firstMatch = text.indexOf(kMatchStart);
  const int charsThatFit = rect.width() / qMax(1, QFontMetrics(font).averageCharWidth());
  if (firstMatch > charsThatFit / 2) text = QStringLiteral("…") + text.mid(firstMatch - charsThatFit / 4);
  QList<QTextLayout::FormatRange> formats;
  QString plain;
  for (const QChar c : std::as_const(text)) {
    if (c == kMatchStart) {
      QTextLayout::FormatRange range{int(plain.size()), 0, {}};
      range.format.setFontWeight(QFont::Bold);
      range.format.setBackground(colors.accentSoft);
      range.format.setForeground(colors.text);
      formats += range;
    } else if (c == kMatchEnd) {
      if (!formats.isEmpty()) formats.last().length = int(plain.size()) - formats.last().start;
    } else {
      plain += c;
    }
  }
  QTextLayout layout(plain, font);
  layout.setFormats(formats);
  layout.beginLayout();
  QTextLine line = layout.createLine();
  if (line.isValid()) line.setLineWidth(1e6);
  layout.endLayout();
  painter->save();
  painter->setClipRect(rect, Qt::IntersectClip);
  painter->setPen(color);
  layout.draw(painter, rect.topLeft());
  painter->restore();
}

}  // namespace

QSize ConversationDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const bool hasSnippet = !index.data(ConversationListModel::SnippetRole).toString().isEmpty();
  const int lines = hasSnippet ? 2 : 1;
  return {120, lines * option.fontMetrics.lineSpacing() + 2 * kPaddingY + (hasSnippet ? 2 : 0)};
}

void ConversationDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const ThemeColors& colors = ThemeColors::of(option.palette);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  const QRect ground = option.rect.adjusted(4, 1, -4, -1);
  if (option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) {
    painter->setPen(Qt::NoPen);
    painter->setBrush(option.state & QStyle::State_Selected ? colors.accentSoft : colors.surfaceAlt);
    painter->drawRoundedRect(ground, 6, 6);
  }
  if ((option.state & QStyle::State_HasFocus) && (option.state & QStyle::State_KeyboardFocusChange)) {
    painter->setPen(QPen(colors.accent, 1.5));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(ground).adjusted(1, 1, -1, -1), 6, 6);
  }

  QRect rect = option.rect.adjusted(kPaddingX + 4, kPaddingY, -kPaddingX - 4, -kPaddingY);
  const int lineHeight = option.fontMetrics.lineSpacing();
  QRect line(rect.left(), rect.top(), rect.width(), lineHeight);
  if (index.data(ConversationListModel::IsGeneratingRole).toBool()) {
    painter->setPen(Qt::NoPen);
    painter->setBrush(colors.accent);
    painter->drawEllipse(QPointF(line.right() - 3, line.center().y() + 0.5), 3.5, 3.5);
    line.setRight(line.right() - 14);
  } else {
    QFont small = option.font;
    small.setPointSizeF(option.font.pointSizeF() * 0.85);
    const QString day = dayText(index.data(ConversationListModel::UpdatedRole).toLongLong());
    const int width = QFontMetrics(small).horizontalAdvance(day);
    painter->setFont(small);
    painter->setPen(colors.textMuted);
    painter->drawText(line, int(Qt::AlignRight | Qt::AlignVCenter), day);
    line.setRight(line.right() - width - 8);
  }
  const QString title = index.data(ConversationListModel::MarkedTitleRole).toString();
  if (title.contains(kMatchStart)) {
    paintMarked(painter, line, title, option.font, colors.text, colors);
  } else {
    painter->setFont(option.font);
    painter->setPen(colors.text);
    painter->drawText(line, int(Qt::AlignLeft | Qt::AlignVCenter),
                      option.fontMetrics.elidedText(title, Qt::ElideRight, line.width()));
  }
  const QString snippet = index.data(ConversationListModel::SnippetRole).toString();
  if (!snippet.isEmpty()) {
    paintMarked(painter, QRect(rect.left(), rect.top() + lineHeight + 2, rect.width(), lineHeight), snippet, option.font,
                colors.textMuted, colors);
  }
  painter->restore();
}

}  // namespace tandem::gui
