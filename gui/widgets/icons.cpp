#include "gui/widgets/icons.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <optional>

namespace tandem::gui {
namespace {

class ThemedIconEngine : public QIconEngine {
 public:
  ThemedIconEngine(QString name, std::optional<QColor> color) : m_name(std::move(name)), m_color(color) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const int size = qMin(rect.width(), rect.height());
    const QPixmap pixmap = iconPixmap(m_name, color(mode), size, painter->device()->devicePixelRatioF());
    painter->drawPixmap(rect.center().x() - size / 2, rect.center().y() - size / 2, pixmap);
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
    return iconPixmap(m_name, color(mode), qMin(size.width(), size.height()), 1.0);
  }

  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override {
    QPixmap pixmap = iconPixmap(m_name, color(mode), qRound(qMin(size.width(), size.height()) / scale), scale);
    return pixmap;
  }

  QIconEngine* clone() const override { return new ThemedIconEngine(m_name, m_color); }

 private:
  QColor color(QIcon::Mode mode) const {
    const QPalette palette = QGuiApplication::palette();
    if (mode == QIcon::Disabled) return palette.color(QPalette::Disabled, QPalette::WindowText);
    return m_color ? *m_color : palette.color(QPalette::WindowText);
  }

  const QString m_name;
  const std::optional<QColor> m_color;
};

}  // namespace

QPixmap iconPixmap(const QString& name, const QColor& color, int size, qreal ratio) {
  const QString key = QStringLiteral("tandem:%1:%2:%3:%4").arg(name, color.name(QColor::HexArgb)).arg(size).arg(ratio);
  QPixmap pixmap;
  if (QPixmapCache::find(key, &pixmap)) return pixmap;
  pixmap = QPixmap(QSize(size, size) * ratio);
  pixmap.fill(Qt::transparent);
  QSvgRenderer renderer(QStringLiteral(":/icons/%1.svg").arg(name));
  QPainter painter(&pixmap);
  renderer.render(&painter, QRectF(QPointF(0, 0), QSizeF(pixmap.size())));
  painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
  painter.fillRect(pixmap.rect(), color);
  painter.end();
  pixmap.setDevicePixelRatio(ratio);
  QPixmapCache::insert(key, pixmap);
  return pixmap;
}

QIcon icon(const QString& name) {
  return QIcon(new ThemedIconEngine(name, std::nullopt));
}
QIcon icon(const QString& name, const QColor& color) {
  return QIcon(new ThemedIconEngine(name, color));
}

}  // namespace tandem::gui
