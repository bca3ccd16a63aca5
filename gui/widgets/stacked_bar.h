// StackedBar: parts of a whole against a capacity, one horizontal bar. The parts are also reachable by keyboard and named for
// screen readers.
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <QWidget>

namespace tandem::gui {

class StackedBar : public QWidget {
  Q_OBJECT
 public:
  struct Segment {
    QString label;      // "Weights"
    QString valueText;  // "13.9 MiB"
    QString toolTip;    // the formula
    quint64 value = 0;
    QColor color;
    bool hatched = false;
  };

  explicit StackedBar(QWidget* parent = nullptr);
  // Values and capacity are in the same unit. Over capacity, the bar is scaled to the sum and the capacity is marked in it.
  void setData(const QList<Segment>& segments, quint64 capacity, const QString& capacityText);
  const QList<Segment>& segments() const { return m_segments; }
  bool isOverCapacity() const { return m_total > m_capacity; }

  QSize sizeHint() const override { return {320, 36}; }
  QSize minimumSizeHint() const override { return {120, 36}; }

 signals:
  // The mouse or the keyboard is on this segment; -1: on none.
  void segmentHovered(int index);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  QRectF barRect() const;
  QRectF segmentRect(int index) const;
  int segmentAt(const QPointF& position) const;
  void setCurrent(int index);
  QString segmentText(int index) const;

  QList<Segment> m_segments;
  quint64 m_total = 0;
  quint64 m_capacity = 0;
  QString m_capacityText;
  int m_current = -1;
};

}  // namespace tandem::gui
