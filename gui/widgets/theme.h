// Theme: the colours of the window, light and dark, and what Qt needs to paint with them.
#pragma once

#include <QColor>
#include <QPalette>
#include <QString>

class QLabel;
class QPushButton;
class QWidget;

namespace tandem::gui {

// All distances in the window are multiples of this many pixels, or half of it inside one control.
inline constexpr int kGrid = 8;

struct ThemeColors {
  QColor window, surface, surfaceAlt, border, text, textMuted, textDisabled;
  QColor accent, accentText, accentSoft;  // accentSoft: behind a chosen row, with text on it
  QColor good, goodSoft, warn, warnSoft, bad, badSoft;
  // Parts of a memory bar; reserve is drawn hatched.
  QColor weights, kvCache, recurrentState, activations, communication, runtime, reserve;

  static const ThemeColors& light();
  static const ThemeColors& dark();
  // The set that belongs to this palette: what a widget asks for when it paints.
  static const ThemeColors& of(const QPalette& palette);
  static bool isDark(const QPalette& palette);
};

QPalette makePalette(const ThemeColors& colors);
QString makeStyleSheet(const ThemeColors& colors);

enum class TextRole { Title, Heading, Body, Muted, Small };
// Size and weight relative to the application font, and the theme's colour.
void setTextRole(QLabel* label, TextRole role);
// The one button of a page or dialog that does what it is for.
void setPrimary(QPushButton* button);
// A framed surface that groups related controls.
void setCard(QWidget* widget);

}  // namespace tandem::gui
