#include "gui/app/load_progress_text.h"

#include <QCoreApplication>

#include "gui/widgets/format.h"

namespace tandem::gui {

double loadFraction(const engine::LoadProgress& progress) {
  return progress.bytes_total == 0 ? 0.0 : qMin(1.0, double(progress.bytes_done) / double(progress.bytes_total));
}

QString loadPhaseText(engine::LoadProgress::Phase phase) {
  using Phase = engine::LoadProgress::Phase;
  switch (phase) {
    case Phase::kReadingHeader: return QCoreApplication::translate("LoadProgress", "Reading the file's header");
    case Phase::kPlanning: return QCoreApplication::translate("LoadProgress", "Planning memory");
    case Phase::kLoadingWeights: return QCoreApplication::translate("LoadProgress", "Loading weights");
    case Phase::kWarmingUp: return QCoreApplication::translate("LoadProgress", "Warming up");
    case Phase::kReady: return QCoreApplication::translate("LoadProgress", "Ready");
  }
  return {};
}

QString loadProgressText(const engine::LoadProgress& progress) {
  const QString phase = loadPhaseText(progress.phase);
  if (progress.bytes_total == 0 || progress.phase != engine::LoadProgress::Phase::kLoadingWeights) {
    if (progress.elapsed_s < 0.1) return phase + QStringLiteral("…");
    return QCoreApplication::translate("LoadProgress", "%1, %2 so far").arg(phase, formatSeconds(progress.elapsed_s));
  }
  const QString bytes = QCoreApplication::translate("LoadProgress", "%1: %2 of %3")
                            .arg(phase, formatBytes(progress.bytes_done), formatBytes(progress.bytes_total));
  if (progress.elapsed_s < 0.2 || progress.bytes_done == 0) return bytes;
  const double rate = double(progress.bytes_done) / progress.elapsed_s;
  const double left = double(progress.bytes_total - qMin(progress.bytes_done, progress.bytes_total)) / rate;
  return QCoreApplication::translate("LoadProgress", "%1, %2, %3 left")
      .arg(bytes, formatBytesPerSecond(rate), formatSeconds(left));
}

}  // namespace tandem::gui
