#include "gui/planner/bandwidth_probe.h"

#include <QMetaObject>

namespace tandem::gui {

BandwidthProbe::BandwidthProbe(Measure measure, QObject* parent) : QObject(parent), m_measure(std::move(measure)) {
  m_pool.setMaxThreadCount(1);
}

BandwidthProbe::~BandwidthProbe() {
  m_pool.waitForDone();
}

void BandwidthProbe::measure() {
  if (m_measuring) return;
  m_measuring = true;
  emit measuringChanged(true);
  m_pool.start([this, measure = m_measure] {
    const double rate = measure();
    QMetaObject::invokeMethod(
        this,
        [this, rate] {
          m_measuring = false;
          m_bytesPerSecond = rate;
          emit measuringChanged(false);
          emit measured(rate);
        },
        Qt::QueuedConnection);
  });
}

}  // namespace tandem::gui
