#include "gui/models/load_card.h"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/app/load_progress_text.h"
#include "gui/widgets/elided_label.h"
#include "gui/widgets/error_text.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {

LoadCard::LoadCard(EngineController* engine, QWidget* parent)
    : QWidget(parent),
      m_engine(engine),
      m_icon(new QLabel),
      m_title(new ElidedLabel(Qt::ElideMiddle)),
      m_detail(new QLabel),
      m_progress(new QProgressBar),
      m_cancel(new QPushButton),
      m_retry(new QPushButton),
      m_dismiss(new QPushButton) {
  setCard(this);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(2 * kGrid, 12, 2 * kGrid, 12);
  layout->setSpacing(12);
  layout->addWidget(m_icon, 0, Qt::AlignTop);
  auto* middle = new QVBoxLayout;
  middle->setSpacing(kGrid / 2);
  setTextRole(m_title, TextRole::Heading);
  setTextRole(m_detail, TextRole::Muted);
  m_detail->setWordWrap(true);
  m_detail->setTextFormat(Qt::PlainText);
  m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_progress->setTextVisible(false);
  middle->addWidget(m_title);
  middle->addWidget(m_progress);
  middle->addWidget(m_detail);
  layout->addLayout(middle, 1);
  for (QPushButton* button : {m_cancel, m_retry, m_dismiss}) layout->addWidget(button, 0, Qt::AlignVCenter);
  connect(m_cancel, &QPushButton::clicked, engine, &EngineController::cancelLoad);
  connect(m_retry, &QPushButton::clicked, this, [this] { emit retryRequested(m_engine->modelPath()); });
  connect(m_dismiss, &QPushButton::clicked, this, [this] {
    m_dismissed = true;
    refresh();
  });
  connect(engine, &EngineController::stateChanged, this, [this] {
    m_dismissed = false;
    refresh();
  });
  connect(engine, &EngineController::loadProgressed, this, &LoadCard::refresh);
  refresh();
}

void LoadCard::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh();
}

void LoadCard::retranslate() {
  m_cancel->setText(tr("Cancel"));
  m_cancel->setAccessibleName(tr("Cancel loading"));
  m_retry->setText(tr("Change Settings…"));
  m_dismiss->setText(tr("Dismiss"));
  m_progress->setAccessibleName(tr("Progress of loading the model"));
  refresh();
}

void LoadCard::refresh() {
  const bool loading = m_engine->state() == EngineController::State::Loading;
  const bool failed = m_engine->state() == EngineController::State::Failed && !m_dismissed;
  setVisible(loading || failed);
  m_progress->setVisible(loading);
  m_cancel->setVisible(loading);
  // Other settings do not help a file that is damaged, missing or not supported.
  const ErrorCode code = failed ? m_engine->loadError()->code : ErrorCode::kInternal;
  m_retry->setVisible(failed && code != ErrorCode::kCorrupt && code != ErrorCode::kUnsupported && code != ErrorCode::kNotFound);
  m_dismiss->setVisible(failed);
  const ThemeColors& c = ThemeColors::of(palette());
  const QString name = QFileInfo(m_engine->modelPath()).fileName();
  if (loading) {
    const engine::LoadProgress& progress = m_engine->loadProgress();
    m_icon->setPixmap(iconPixmap(QStringLiteral("load"), c.accent, 20, devicePixelRatioF()));
    m_title->setFullText(tr("Loading %1").arg(name));
    m_progress->setRange(0, progress.bytes_total > 0 ? 1000 : 0);
    m_progress->setValue(int(loadFraction(progress) * 1000));
    m_detail->setText(loadProgressText(progress));
  } else if (failed) {
    const Error& error = *m_engine->loadError();
    m_icon->setPixmap(iconPixmap(QStringLiteral("error"), c.bad, 20, devicePixelRatioF()));
    m_title->setFullText(tr("%1 could not be loaded. %2").arg(name, errorTitle(error.code)));
    m_detail->setText(errorDetail(error));
  }
}

}  // namespace tandem::gui
