// Badge: a short word on a tinted ground, as a widget and for delegates.
#pragma once

#include <QLabel>
#include <QStyleOption>

class QPainter;

namespace tandem::gui {

enum class BadgeKind { Neutral, Good, Warn, Bad };

class Badge : public QLabel {
  Q_OBJECT
 public:
  explicit Badge(QWidget* parent = nullptr);
  void setBadge(BadgeKind kind, const QString& text);
  BadgeKind kind() const { return m_kind; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

  // Draws a badge at the left of `rect`, centred vertically, and returns its width.
  static int paint(QPainter* painter, const QRect& rect, const QPalette& palette, BadgeKind kind, const QString& text);
  static QSize size(const QFontMetrics& metrics, const QString& text);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  BadgeKind m_kind = BadgeKind::Neutral;
};

}  // namespace tandem::gui
