#include "gui/widgets/empty_state.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {
constexpr int kIconSize = 48;
constexpr int kTextWidth = 440;
}  // namespace

EmptyState::EmptyState(const QString& iconName, QWidget* parent)
    : QWidget(parent),
      m_iconName(iconName),
      m_icon(new QLabel),
      m_title(new QLabel),
      m_explanation(new QLabel),
      m_buttons(new QHBoxLayout) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, 3 * kGrid);
  layout->setSpacing(kGrid);
  layout->addStretch(2);
  m_icon->setAlignment(Qt::AlignCenter);
  layout->addWidget(m_icon);
  layout->addSpacing(kGrid);
  setTextRole(m_title, TextRole::Heading);
  m_title->setAlignment(Qt::AlignCenter);
  m_title->setWordWrap(true);
  layout->addWidget(m_title);
  setTextRole(m_explanation, TextRole::Muted);
  m_explanation->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
  m_explanation->setWordWrap(true);
  m_explanation->setFixedWidth(kTextWidth);
  layout->addWidget(m_explanation, 0, Qt::AlignHCenter);
  layout->addSpacing(kGrid);
  m_buttons->setSpacing(kGrid);
  m_buttons->addStretch();
  m_buttons->addStretch();
  layout->addLayout(m_buttons);
  layout->addStretch(3);
  updateIcon();
}

void EmptyState::setTexts(const QString& title, const QString& explanation) {
  m_title->setText(title);
  m_explanation->setText(explanation);
  m_explanation->setMinimumHeight(m_explanation->heightForWidth(kTextWidth));
}

QPushButton* EmptyState::addButton() {
  auto* button = new QPushButton;
  if (m_buttons->count() == 2) setPrimary(button);
  m_buttons->insertWidget(m_buttons->count() - 1, button);
  return button;
}

void EmptyState::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) updateIcon();
}

void EmptyState::updateIcon() {
  m_icon->setPixmap(iconPixmap(m_iconName, ThemeColors::of(palette()).textDisabled, kIconSize, devicePixelRatioF()));
}

}  // namespace tandem::gui
