#include "gui/chat/welcome_view.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {

WelcomeView::WelcomeView(QWidget* parent)
    : QWidget(parent),
      m_icon(new QLabel(this)),
      m_title(new QLabel(this)),
      m_explanation(new QLabel(this)),
      m_models(new QPushButton(this)) {
  setTextRole(m_title, TextRole::Title);
  setTextRole(m_explanation, TextRole::Muted);
  m_explanation->setWordWrap(true);
  for (QLabel* label : {m_icon, m_title, m_explanation}) label->setAlignment(Qt::AlignCenter);
  setPrimary(m_models);
  auto* grid = new QGridLayout;
  grid->setSpacing(kGrid);
  for (int i = 0; i < 4; ++i) {
    auto* button = new QPushButton(this);
    button->setProperty("suggestion", true);
    button->setMinimumHeight(40);
    connect(button, &QPushButton::clicked, this, [this, button] { emit suggestionChosen(button->text()); });
    m_suggestions += button;
    grid->addWidget(button, i / 2, i % 2);
  }
  auto* column = new QWidget(this);
  column->setMaximumWidth(620);
  auto* inner = new QVBoxLayout(column);
  inner->setSpacing(12);
  inner->addWidget(m_icon);
  inner->addWidget(m_title);
  inner->addWidget(m_explanation);
  inner->addWidget(m_models, 0, Qt::AlignHCenter);
  inner->addSpacing(kGrid);
  inner->addLayout(grid);
  auto* outer = new QVBoxLayout(this);
  outer->addStretch(2);
  auto* line = new QHBoxLayout;
  line->addStretch();
  line->addWidget(column, 10);
  line->addStretch();
  outer->addLayout(line);
  outer->addStretch(3);
  connect(m_models, &QPushButton::clicked, this, &WelcomeView::modelsRequested);
  updateIcon();
}

void WelcomeView::setModel(const QString& modelName, bool isDemo, bool isLoading) {
  m_modelName = modelName;
  m_isDemo = isDemo;
  m_isLoading = isLoading;
  updateTexts();
}

void WelcomeView::retranslate() {
  updateTexts();
}

void WelcomeView::updateTexts() {
  m_models->setText(tr("Choose a model"));
  m_models->setVisible(m_modelName.isEmpty() && !m_isLoading);
  if (m_isLoading) {
    m_title->setText(tr("The model is being loaded"));
    m_explanation->setText(tr("You can write your first message meanwhile."));
  } else if (m_modelName.isEmpty()) {
    m_title->setText(tr("No model is loaded"));
    m_explanation->setText(tr("Load one on the Models page. The demo model that comes with Tandem loads in a moment."));
  } else if (m_isDemo) {
    m_title->setText(tr("Chat with the demo model"));
    m_explanation->setText(
        tr("This is a tiny model with 13 million parameters. It shows that everything works and knows some "
           "400 topics more or less by heart; for real answers load a real model."));
  } else {
    m_title->setText(tr("Chat with %1").arg(m_modelName));
    m_explanation->setText(tr("Everything you write stays on this machine."));
  }
  // The demo model's own subjects; they make sense for any other, too.
  const QStringList suggestions{tr("Why do models keep a KV cache?"), tr("What is 36 + 48?"), tr("What is a DGX Spark?"),
                                tr("Tell me a short story.")};
  for (qsizetype i = 0; i < m_suggestions.size(); ++i) {
    m_suggestions[i]->setText(suggestions[i]);
    m_suggestions[i]->setAccessibleName(tr("Ask: %1").arg(suggestions[i]));
    m_suggestions[i]->setVisible(!m_modelName.isEmpty());
  }
}

void WelcomeView::updateIcon() {
  m_icon->setPixmap(iconPixmap(QStringLiteral("chat"), ThemeColors::of(palette()).accent, 40, devicePixelRatioF()));
}

void WelcomeView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) updateIcon();
}

}  // namespace tandem::gui
