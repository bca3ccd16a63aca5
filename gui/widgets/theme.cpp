#include "gui/widgets/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QVariant>
#include <QWidget>

namespace tandem::gui {

// Text colours keep a contrast of at least 4.5 : 1 on every surface they are used on (WCAG 2.1, level AA).
const ThemeColors& ThemeColors::light() {
  static const ThemeColors colors = {
      .window = 0xF4F5F7,
      .surface = 0xFFFFFF,
      .surfaceAlt = 0xEDEFF3,
      .border = 0xD8DCE3,
      .text = 0x1B2430,
      .textMuted = 0x566171,
      .textDisabled = 0x9AA3AF,
      .accent = 0x2563C9,
      .accentText = 0xFFFFFF,
      .accentSoft = 0xDFE9FA,
      .good = 0x1B6E45,
      .goodSoft = 0xDFF2E7,
      .warn = 0x7F5200,
      .warnSoft = 0xFBEFD5,
      .bad = 0xAE231B,
      .badSoft = 0xFBE5E3,
      .weights = 0x3B78D8,
      .kvCache = 0x1E9C8B,
      .recurrentState = 0x8A63C9,
      .activations = 0xDE9B2C,
      .communication = 0xC5617A,
      .runtime = 0x76839A,
      .reserve = 0xB4BCC8,
  };
  return colors;
}

const ThemeColors& ThemeColors::dark() {
  static const ThemeColors colors = {
      .window = 0x15181D,
      .surface = 0x1D2127,
      .surfaceAlt = 0x272C34,
      .border = 0x363D48,
      .text = 0xE4E8EE,
      .textMuted = 0xA0AAB8,
      .textDisabled = 0x616B79,
      .accent = 0x6EA0F5,
      .accentText = 0x0E1420,
      .accentSoft = 0x263855,
      .good = 0x74D09E,
      .goodSoft = 0x1B3427,
      .warn = 0xE8B961,
      .warnSoft = 0x3A2F17,
      .bad = 0xF4938A,
      .badSoft = 0x43221F,
      .weights = 0x5C93E8,
      .kvCache = 0x3DB8A6,
      .recurrentState = 0xA583DD,
      .activations = 0xE5AE4D,
      .communication = 0xD8819A,
      .runtime = 0x8793A7,
      .reserve = 0x4C5563,
  };
  return colors;
}

bool ThemeColors::isDark(const QPalette& palette) {
  // By the text: a style sheet that makes a ground transparent changes Window and Base, but not this.
  return palette.color(QPalette::WindowText).lightness() >= 128;
}

const ThemeColors& ThemeColors::of(const QPalette& palette) {
  return isDark(palette) ? dark() : light();
}

QPalette makePalette(const ThemeColors& c) {
  QPalette palette;
  auto set = [&palette](QPalette::ColorRole role, const QColor& color, const QColor& disabled) {
    palette.setColor(QPalette::Active, role, color);
    palette.setColor(QPalette::Inactive, role, color);
    palette.setColor(QPalette::Disabled, role, disabled);
  };
  set(QPalette::Window, c.window, c.window);
  set(QPalette::WindowText, c.text, c.textDisabled);
  set(QPalette::Base, c.surface, c.window);
  set(QPalette::AlternateBase, c.surfaceAlt, c.window);
  set(QPalette::Text, c.text, c.textDisabled);
  set(QPalette::PlaceholderText, c.textMuted, c.textDisabled);
  set(QPalette::Button, c.surface, c.window);
  set(QPalette::ButtonText, c.text, c.textDisabled);
  set(QPalette::BrightText, c.bad, c.textDisabled);
  set(QPalette::ToolTipBase, c.surface, c.surface);
  set(QPalette::ToolTipText, c.text, c.text);
  set(QPalette::Highlight, c.accent, c.border);
  set(QPalette::HighlightedText, c.accentText, c.textDisabled);
  set(QPalette::Link, c.accent, c.textDisabled);
  set(QPalette::LinkVisited, c.accent, c.textDisabled);
  set(QPalette::Light, c.surface, c.surface);
  set(QPalette::Midlight, c.surfaceAlt, c.surfaceAlt);
  set(QPalette::Mid, c.border, c.border);
  set(QPalette::Dark, c.border, c.border);
  set(QPalette::Shadow, c.border, c.border);
  return palette;
}

QString makeStyleSheet(const ThemeColors& c) {
  const QString arrow = &c == &ThemeColors::dark() ? QStringLiteral("dark") : QStringLiteral("light");
  QString sheet = QStringLiteral(R"(
QWidget { selection-background-color: %accent; selection-color: %accentText; }
QToolTip { background: %surface; color: %text; border: 1px solid %border; padding: 6px 8px; }
QLabel[textRole="muted"], QLabel[textRole="small"] { color: %muted; }
QLabel:disabled { color: %disabled; }
*[card="true"] { background: %surface; border: 1px solid %border; border-radius: 8px; }

QPushButton { background: %surface; color: %text; border: 1px solid %border; border-radius: 6px; padding: 6px 14px; min-height: 18px; }
QPushButton:hover { background: %surfaceAlt; }
QPushButton:pressed { background: %border; }
QPushButton:focus { border-color: %accent; }
QPushButton:disabled { color: %disabled; background: %window; }
QPushButton[primary="true"] { background: %accent; color: %accentText; border-color: %accent; font-weight: 600; }
QPushButton[primary="true"]:hover { background: %accentHover; }
QPushButton[primary="true"]:focus { border: 2px solid %text; padding: 5px 13px; }
QPushButton[primary="true"]:disabled { background: %surfaceAlt; color: %disabled; border-color: %border; }
QToolButton { border: 1px solid transparent; border-radius: 6px; padding: 5px; color: %text; background: transparent; }
QToolButton:hover { background: %surfaceAlt; }
QToolButton:pressed { background: %border; }
QToolButton:focus { border-color: %accent; }
QToolButton:disabled { color: %disabled; }
QToolButton::menu-indicator { image: none; }
QToolButton[navigation="true"] { text-align: left; padding: 8px 12px; border-radius: 8px; }
QToolButton[navigation="true"]:checked { background: %accentSoft; font-weight: 600; }

QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox {
  background: %surface; color: %text; border: 1px solid %border; border-radius: 6px; padding: 5px 8px; min-height: 18px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QAbstractSpinBox:focus, QComboBox:focus { border-color: %accent; }
QLineEdit:disabled, QPlainTextEdit:disabled, QTextEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled {
  color: %disabled; background: %window; }
QAbstractSpinBox QLineEdit { border: none; padding: 0; min-height: 0; background: transparent; }
QComboBox { padding-right: 24px; }
QComboBox::drop-down { subcontrol-origin: padding; subcontrol-position: center right; width: 22px; border: none; }
QComboBox::down-arrow, QAbstractSpinBox::down-arrow { image: url(:/icons/style-arrow-down-%theme.svg); width: 12px; height: 12px; }
QAbstractSpinBox::up-arrow { image: url(:/icons/style-arrow-up-%theme.svg); width: 12px; height: 12px; }
QAbstractSpinBox { padding-right: 22px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { subcontrol-origin: border; width: 20px; border: none; border-radius: 4px; }
QAbstractSpinBox::up-button { subcontrol-position: top right; margin: 2px 2px 0 0; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; margin: 0 2px 2px 0; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: %surfaceAlt; }
QComboBox QAbstractItemView { background: %surface; border: 1px solid %border; border-radius: 0; padding: 4px; outline: none; }
QComboBox QAbstractItemView::item { min-height: 26px; padding: 0 6px; border-radius: 4px; }
QComboBox QAbstractItemView::item:selected { background: %accentSoft; color: %text; }
QCheckBox, QRadioButton { spacing: 8px; color: %text; }
QCheckBox::indicator { width: 16px; height: 16px; border: 1px solid %muted; border-radius: 4px; background: %surface; }
QCheckBox::indicator:checked { background: %accent; border-color: %accent; image: url(:/icons/style-check-%theme.svg); }
QCheckBox::indicator:focus { border: 2px solid %accent; }
QCheckBox:disabled, QRadioButton:disabled { color: %disabled; }

QAbstractItemView { background: %surface; border: 1px solid %border; border-radius: 8px; outline: none; }
QTableView::item, QTreeView::item, QListView::item { padding: 4px 8px; border: none; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected { background: %accentSoft; color: %text; }
QListView::item:hover:!selected { background: %surfaceAlt; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: %surface; color: %muted; border: none; border-bottom: 1px solid %border; padding: 7px 8px; }
QHeaderView::section:hover { color: %text; }
QTableCornerButton::section { background: %surface; border: none; }

QProgressBar { background: %surfaceAlt; border: none; border-radius: 4px; min-height: 8px; max-height: 8px; text-align: center; }
QProgressBar::chunk { background: %accent; border-radius: 4px; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: %border; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: %muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QScrollArea { border: none; background: transparent; }
QScrollArea > QWidget > QWidget[scrollBody="true"] { background: transparent; }
QSplitter::handle { background: transparent; }
QTabWidget::pane { border: none; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: %muted; border: none; border-bottom: 2px solid transparent; padding: 6px 2px; margin-right: 16px; }
QTabBar::tab:selected { color: %text; border-bottom-color: %accent; font-weight: 600; }
QTabBar::tab:hover { color: %text; }
QTabBar::tab:focus { border-bottom-color: %text; }

QMenuBar { background: %window; border-bottom: 1px solid %border; padding: 2px 4px; }
QMenuBar::item { background: transparent; padding: 5px 10px; border-radius: 4px; }
QMenuBar::item:selected { background: %surfaceAlt; }
QMenu { background: %surface; border: 1px solid %border; padding: 4px; }
QMenu::item { padding: 6px 28px 6px 28px; border-radius: 4px; }
QMenu::item:selected { background: %accentSoft; color: %text; }
QMenu::item:disabled { color: %disabled; }
QMenu::separator { height: 1px; background: %border; margin: 4px 8px; }
QMenu::icon { padding-left: 8px; }
QStatusBar { background: %window; border-top: 1px solid %border; }
QStatusBar::item { border: none; }
QWidget[navigationBar="true"] { background: %surface; border: none; border-right: 1px solid %border; }
QDialog { background: %window; }
)");
  const std::pair<const char*, QString> values[] = {
      {"%window", c.window.name()},
      {"%surfaceAlt", c.surfaceAlt.name()},
      {"%surface", c.surface.name()},
      {"%border", c.border.name()},
      {"%muted", c.textMuted.name()},
      {"%disabled", c.textDisabled.name()},
      {"%accentText", c.accentText.name()},
      {"%accentSoft", c.accentSoft.name()},
      {"%accentHover", c.accent.darker(108).name()},
      {"%accent", c.accent.name()},
      {"%theme", arrow},
      {"%text", c.text.name()},
  };
  for (const auto& [name, value] : values) sheet.replace(QLatin1String(name), value);
  return sheet;
}

void setTextRole(QLabel* label, TextRole role) {
  QFont font = label->font();
  const qreal base = QLabel().font().pointSizeF();
  switch (role) {
    case TextRole::Title:
      font.setPointSizeF(base * 1.5);
      font.setWeight(QFont::DemiBold);
      break;
    case TextRole::Heading:
      font.setPointSizeF(base * 1.1);
      font.setWeight(QFont::DemiBold);
      break;
    case TextRole::Body: break;
    case TextRole::Muted: label->setProperty("textRole", QStringLiteral("muted")); break;
    case TextRole::Small:
      label->setProperty("textRole", QStringLiteral("small"));
      font.setPointSizeF(base * 0.9);
      break;
  }
  label->setFont(font);
}

void setPrimary(QPushButton* button) {
  button->setProperty("primary", true);
}

void setCard(QWidget* widget) {
  widget->setProperty("card", true);
  widget->setAttribute(Qt::WA_StyledBackground);
}

}  // namespace tandem::gui
