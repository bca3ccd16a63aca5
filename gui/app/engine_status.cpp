#include "gui/app/engine_status.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QToolButton>

#include "gui/app/load_progress_text.h"
#include "gui/widgets/elided_label.h"
#include "gui/widgets/error_text.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

QPixmap dot(const QColor& color, qreal ratio) {
  QPixmap pixmap(QSize(10, 10) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawEllipse(QRectF(1, 1, 8, 8));
  return pixmap;
}

}  // namespace

EngineStatus::EngineStatus(EngineController* engine, QWidget* parent)
    : QWidget(parent),
      m_engine(engine),
      m_dot(new QLabel),
      m_text(new ElidedLabel),
      m_progress(new QProgressBar),
      m_cancel(new QToolButton) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(kGrid, 0, 0, 0);
  layout->setSpacing(kGrid);
  layout->addWidget(m_dot);
  layout->addWidget(m_progress);
  layout->addWidget(m_cancel);
  layout->addWidget(m_text, 1);
  m_progress->setFixedWidth(160);
  m_progress->setTextVisible(false);
  m_cancel->setIcon(icon(QStringLiteral("cancel")));
  m_cancel->setIconSize({14, 14});
  connect(m_cancel, &QToolButton::clicked, engine, &EngineController::cancelLoad);
  connect(engine, &EngineController::stateChanged, this, &EngineStatus::refresh);
  connect(engine, &EngineController::loadProgressed, this, &EngineStatus::refresh);
  connect(engine, &EngineController::numRunningChanged, this, &EngineStatus::refresh);
  refresh();
}

QString EngineStatus::text() const {
  return m_text->fullText();
}

void EngineStatus::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange) refresh();
}

void EngineStatus::refresh() {
  const ThemeColors& c = ThemeColors::of(palette());
  QString text;
  QColor color = c.textDisabled;
  switch (m_engine->state()) {
    case EngineController::State::NoModel: text = tr("No model is loaded"); break;
    case EngineController::State::Loading:
      color = c.warn;
      text = loadProgressText(m_engine->loadProgress());
      break;
    case EngineController::State::Ready: {
      color = c.good;
      const QString name = QString::fromStdString(m_engine->modelInfo()->name);
      const int running = int(m_engine->numRunning());
      text = running == 0 ? tr("%1 is ready").arg(name) : tr("%1 is answering (%n request(s))", nullptr, running).arg(name);
      break;
    }
    case EngineController::State::Failed:
      color = c.bad;
      text = tr("The model could not be loaded: %1").arg(errorTitle(m_engine->loadError()->code));
      break;
  }
  const bool loading = m_engine->state() == EngineController::State::Loading;
  m_progress->setVisible(loading);
  m_cancel->setVisible(loading);
  m_progress->setRange(0, m_engine->loadProgress().bytes_total > 0 ? 1000 : 0);
  m_progress->setValue(int(loadFraction(m_engine->loadProgress()) * 1000));
  m_progress->setAccessibleName(tr("Progress of loading the model"));
  m_cancel->setToolTip(tr("Cancel loading"));
  m_cancel->setAccessibleName(tr("Cancel loading"));
  m_dot->setPixmap(dot(color, devicePixelRatioF()));
  m_text->setFullText(text);
  setAccessibleName(tr("Engine state"));
  setAccessibleDescription(text);
}

}  // namespace tandem::gui
