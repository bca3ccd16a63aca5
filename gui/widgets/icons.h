// Icons of resources/icons, drawn in the palette's colours.
#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <QString>

namespace tandem::gui {

// `name` without ".svg". Follows the theme, also when it changes later, and is grey when disabled.
QIcon icon(const QString& name);
// The same in one given colour.
QIcon icon(const QString& name, const QColor& color);
QPixmap iconPixmap(const QString& name, const QColor& color, int size, qreal devicePixelRatio);

}  // namespace tandem::gui
