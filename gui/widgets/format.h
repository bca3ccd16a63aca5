// Numbers as people read them, in the language of the window.
#pragma once

#include <QString>

namespace tandem::gui {

QString formatBytes(quint64 bytes);                   // "13.9 MiB", "1.25 GiB": powers of 1024, three digits
QString formatBytesPerSecond(double bytesPerSecond);  // "1.20 GB/s": powers of 1000, as bandwidth is sold
QString formatParameters(quint64 parameters);         // "13.4 M", "8.03 B"
QString formatCount(qint64 count);                    // "131,072"
QString formatSeconds(double seconds);                // "0.8 s", "42 s", "3 min 20 s"
QString formatTokensPerSecond(double rate);           // "12.3 tok/s"
QString formatPercent(double fraction);               // "53 %"

}  // namespace tandem::gui
