#include "gui/widgets/format.h"

#include <QCoreApplication>
#include <QLocale>
#include <array>
#include <cmath>

namespace tandem::gui {
namespace {

QString threeDigits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return QLocale().toString(value, 'f', decimals);
}

// Value and unit, the largest unit that keeps the value at 1 or above.
template <std::size_t N>
QString scaled(double value, double step, const std::array<const char*, N>& units) {
  std::size_t unit = 0;
  // Units change where three digits would round up to the next one: 1023.7 KiB is 1.00 MiB.
  while (unit + 1 < N && value >= step - 0.5) {
    value /= step;
    ++unit;
  }
  const QString number = unit == 0 && value == std::floor(value) ? QLocale().toString(qint64(value)) : threeDigits(value);
  return number + QChar(0x00A0) + QLatin1String(units[unit]);
}

}  // namespace

QString formatBytes(quint64 bytes) {
  return scaled<6>(double(bytes), 1024.0, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

QString formatBytesPerSecond(double rate) {
  return scaled<5>(rate, 1000.0, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"});
}

QString formatParameters(quint64 parameters) {
  if (parameters < 1000) return QLocale().toString(parameters);
  return scaled<5>(double(parameters), 1000.0, {"", "K", "M", "B", "T"});
}

QString formatCount(qint64 count) {
  return QLocale().toString(count);
}

QString formatSeconds(double seconds) {
  if (seconds < 9.95) return QCoreApplication::translate("Format", "%1 s").arg(QLocale().toString(seconds, 'f', 1));
  const auto whole = qint64(std::llround(seconds));
  if (whole < 60) return QCoreApplication::translate("Format", "%1 s").arg(whole);
  if (whole < 3600) return QCoreApplication::translate("Format", "%1 min %2 s").arg(whole / 60).arg(whole % 60);
  return QCoreApplication::translate("Format", "%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString formatTokensPerSecond(double rate) {
  return QCoreApplication::translate("Format", "%1 tok/s").arg(threeDigits(rate));
}

QString formatPercent(double fraction) {
  return QLocale().toString(fraction * 100.0, 'f', 0) + QStringLiteral("\u00A0%");
}

}  // namespace tandem::gui
