#include "gui/widgets/badge.h"

#include <QPainter>

#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr int kPaddingX = 8;
constexpr int kPaddingY = 3;

std::pair<QColor, QColor> colorsOf(const ThemeColors& c, BadgeKind kind) {  // ground, text
  switch (kind) {
    case BadgeKind::Neutral: return {c.surfaceAlt, c.textMuted};
    case BadgeKind::Good: return {c.goodSoft, c.good};
    case BadgeKind::Warn: return {c.warnSoft, c.warn};
    case BadgeKind::Bad: return {c.badSoft, c.bad};
  }
  return {c.surfaceAlt, c.textMuted};
}

}  // namespace

Badge::Badge(QWidget* parent) : QLabel(parent) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void Badge::setBadge(BadgeKind kind, const QString& text) {
  m_kind = kind;
  setText(text);
  setAccessibleName(text);
  updateGeometry();
  update();
}

QSize Badge::sizeHint() const {
  return size(fontMetrics(), text());
}

QSize Badge::size(const QFontMetrics& metrics, const QString& text) {
  return {metrics.horizontalAdvance(text) + 2 * kPaddingX, metrics.height() + 2 * kPaddingY};
}

int Badge::paint(QPainter* painter, const QRect& rect, const QPalette& palette, BadgeKind kind, const QString& text) {
  const QSize wanted = size(painter->fontMetrics(), text);
  const QRect box(rect.left(), rect.center().y() - wanted.height() / 2 + 1, qMin(wanted.width(), rect.width()),
                  wanted.height());
  const auto [ground, foreground] = colorsOf(ThemeColors::of(palette), kind);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(ground);
  painter->drawRoundedRect(box, box.height() / 2.0, box.height() / 2.0);
  painter->setPen(foreground);
  const int inner = box.width() - 2 * kPaddingX;
  painter->drawText(box, Qt::AlignCenter, painter->fontMetrics().elidedText(text, Qt::ElideRight, inner + 1));
  painter->restore();
  return box.width();
}

void Badge::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(&painter, rect().adjusted(0, -1, 0, -1), palette(), m_kind, text());
}

}  // namespace tandem::gui
