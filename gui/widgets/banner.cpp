#include "gui/widgets/banner.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {

Banner::Banner(QWidget* parent)
    : QFrame(parent),
      m_icon(new QLabel),
      m_title(new QLabel),
      m_detail(new QLabel),
      m_actions(new QHBoxLayout),
      m_close(new QToolButton) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(2 * kGrid, kGrid, kGrid, kGrid);
  layout->setSpacing(12);
  layout->addWidget(m_icon, 0, Qt::AlignTop);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  setTextRole(m_title, TextRole::Heading);
  for (QLabel* label : {m_title, m_detail}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    texts->addWidget(label);
  }
  layout->addLayout(texts, 1);
  m_actions->setSpacing(kGrid);
  layout->addLayout(m_actions);
  m_close->setIcon(icon(QStringLiteral("cancel")));
  connect(m_close, &QToolButton::clicked, this, &Banner::dismiss);
  layout->addWidget(m_close, 0, Qt::AlignTop);
  hide();
}

void Banner::showMessage(Kind kind, const QString& title, const QString& detail) {
  m_kind = kind;
  m_title->setText(title);
  m_detail->setText(detail);
  m_detail->setVisible(!detail.isEmpty());
  while (QLayoutItem* item = m_actions->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  setAccessibleName(detail.isEmpty() ? title : title + QLatin1Char(' ') + detail);
  restyle();
  show();
  QAccessibleEvent event(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&event);
}

QPushButton* Banner::addAction(const QString& text, std::function<void()> action) {
  auto* button = new QPushButton(text);
  connect(button, &QPushButton::clicked, this, [this, action = std::move(action)] {
    hide();
    action();
  });
  m_actions->addWidget(button);
  return button;
}

QString Banner::title() const {
  return m_title->text();
}
QString Banner::detail() const {
  return m_detail->text();
}

void Banner::dismiss() {
  hide();
  emit dismissed();
}

void Banner::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::LanguageChange) restyle();
}

void Banner::restyle() {
  const ThemeColors& c = ThemeColors::of(palette());
  const QColor color = m_kind == Kind::Info ? c.accent : m_kind == Kind::Warning ? c.warn : c.bad;
  const char* name = m_kind == Kind::Info ? "info" : m_kind == Kind::Warning ? "warning" : "error";
  m_icon->setPixmap(iconPixmap(QLatin1String(name), color, 20, devicePixelRatioF()));
  m_close->setToolTip(tr("Dismiss"));
  m_close->setAccessibleName(tr("Dismiss this message"));
  update();
}

void Banner::paintEvent(QPaintEvent*) {
  const ThemeColors& c = ThemeColors::of(palette());
  const QColor ground = m_kind == Kind::Info ? c.accentSoft : m_kind == Kind::Warning ? c.warnSoft : c.badSoft;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(rect(), 8, 8);
}

}  // namespace tandem::gui
