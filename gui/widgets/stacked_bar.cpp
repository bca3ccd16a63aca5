#include "gui/widgets/stacked_bar.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {
constexpr qreal kRadius = 6.0;
constexpr qreal kMinWidth = 2.0;  // a part that is not zero stays visible
}  // namespace

StackedBar::StackedBar(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void StackedBar::setData(const QList<Segment>& segments, quint64 capacity, const QString& capacityText) {
  m_segments = segments;
  m_capacity = capacity;
  m_capacityText = capacityText;
  m_total = 0;
  QStringList description;
  for (int i = 0; i < m_segments.size(); ++i) {
    m_total += m_segments[i].value;
    description << segmentText(i);
  }
  description << capacityText;
  setAccessibleDescription(description.join(QStringLiteral("; ")));
  m_current = -1;
  update();
}

QString StackedBar::segmentText(int index) const {
  const Segment& segment = m_segments[index];
  return tr("%1: %2", "part of a bar and its size").arg(segment.label, segment.valueText);
}

QRectF StackedBar::barRect() const {
  return QRectF(rect()).adjusted(2.5, 4.5, -2.5, -4.5);
}

QRectF StackedBar::segmentRect(int index) const {
  const QRectF bar = barRect();
  const double scale = bar.width() / double(qMax<quint64>(1, qMax(m_total, m_capacity)));
  qreal x = bar.left();
  for (int i = 0; i <= index; ++i) {
    const qreal width = m_segments[i].value == 0 ? 0.0 : qMax(kMinWidth, double(m_segments[i].value) * scale);
    if (i == index) return {x, bar.top(), qMin(width, bar.right() - x), bar.height()};
    x += width;
  }
  return {};
}

int StackedBar::segmentAt(const QPointF& position) const {
  for (int i = 0; i < m_segments.size(); ++i) {
    if (segmentRect(i).contains(position)) return i;
  }
  return -1;
}

void StackedBar::setCurrent(int index) {
  if (index == m_current) return;
  m_current = index;
  update();
  emit segmentHovered(index);
}

bool StackedBar::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int index = segmentAt(help->pos());
    if (index < 0) {
      QToolTip::showText(help->globalPos(), m_capacityText, this);
    } else {
      QToolTip::showText(help->globalPos(), segmentText(index) + QLatin1Char('\n') + m_segments[index].toolTip, this);
    }
    return true;
  }
  return QWidget::event(event);
}

void StackedBar::paintEvent(QPaintEvent*) {
  const ThemeColors& c = ThemeColors::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF bar = barRect();
  QPainterPath outline;
  outline.addRoundedRect(bar, kRadius, kRadius);

  painter.fillPath(outline, c.surfaceAlt);
  painter.save();
  painter.setClipPath(outline);
  for (int i = 0; i < m_segments.size(); ++i) {
    const QRectF box = segmentRect(i);
    if (box.isEmpty()) continue;
    const Segment& segment = m_segments[i];
    if (segment.hatched) {
      painter.fillRect(box, c.surfaceAlt);
      painter.fillRect(box, QBrush(segment.color, Qt::BDiagPattern));
    } else {
      painter.fillRect(box, i == m_current ? segment.color.lighter(115) : segment.color);
    }
    // A gap in the ground's colour keeps neighbours apart for those who see the colours alike.
    if (box.width() > 4) painter.fillRect(QRectF(box.right() - 1, box.top(), 1, box.height()), c.surface);
  }
  painter.restore();

  painter.setBrush(Qt::NoBrush);
  if (m_current >= 0) {
    painter.setPen(QPen(c.text, 2));
    painter.drawRect(segmentRect(m_current));
  }
  painter.setPen(QPen(isOverCapacity() ? c.bad : c.border, 1));
  painter.drawPath(outline);
  if (isOverCapacity()) {
    const qreal x = bar.left() + bar.width() * double(m_capacity) / double(m_total);
    painter.setPen(QPen(c.bad, 2));
    painter.drawLine(QPointF(x, bar.top() - 4), QPointF(x, bar.bottom() + 4));
  }
  if (hasFocus() && m_current < 0) {
    painter.setPen(QPen(c.accent, 2));
    painter.drawRoundedRect(bar.adjusted(-1.5, -1.5, 1.5, 1.5), kRadius, kRadius);
  }
}

void StackedBar::keyPressEvent(QKeyEvent* event) {
  const int count = int(m_segments.size());
  const bool forward = event->key() == Qt::Key_Right;
  if (count == 0 || (!forward && event->key() != Qt::Key_Left)) {
    QWidget::keyPressEvent(event);
    return;
  }
  int index = m_current;
  for (int i = 0; i < count; ++i) {  // to the next part that is there
    index = forward ? (index + 1) % count : (index <= 0 ? count - 1 : index - 1);
    if (m_segments[index].value > 0) break;
  }
  setCurrent(index);
  const QPoint place = mapToGlobal(segmentRect(index).bottomLeft().toPoint());
  QToolTip::showText(place, segmentText(index) + QLatin1Char('\n') + m_segments[index].toolTip, this);
}

void StackedBar::mouseMoveEvent(QMouseEvent* event) {
  setCurrent(segmentAt(event->position()));
}
void StackedBar::leaveEvent(QEvent*) {
  setCurrent(-1);
}
void StackedBar::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  setCurrent(-1);
}

}  // namespace tandem::gui
