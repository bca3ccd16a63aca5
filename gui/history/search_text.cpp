#include "gui/history/search_text.h"

#include <QStringList>

namespace tandem::gui {
namespace {

constexpr QChar kSeparator{0x200B};

// Scripts written without spaces, and Hangul, whose words carry endings.
bool standsAlone(char32_t c) {
  return (c >= 0x3040 && c <= 0x30FF) ||    // Hiragana, Katakana
         (c >= 0x3400 && c <= 0x4DBF) ||    // CJK extension A
         (c >= 0x4E00 && c <= 0x9FFF) ||    // CJK
         (c >= 0xAC00 && c <= 0xD7A3) ||    // Hangul
         (c >= 0xF900 && c <= 0xFAFF) ||    // CJK compatibility
         (c >= 0x20000 && c <= 0x323AF) ||  // CJK extensions B to H
         (c >= 0x0E00 && c <= 0x0EFF);      // Thai, Lao
}

}  // namespace

QString segmentForSearch(const QString& text) {
  QString out;
  out.reserve(text.size() + text.size() / 2);
  for (qsizetype i = 0; i < text.size(); ++i) {
    const QChar unit = text.at(i);
    const bool isPair = unit.isHighSurrogate() && i + 1 < text.size() && text.at(i + 1).isLowSurrogate();
    const char32_t c = isPair ? QChar::surrogateToUcs4(unit, text.at(i + 1)) : unit.unicode();
    const bool alone = standsAlone(c);
    if (alone && !out.isEmpty()) out += kSeparator;
    out += unit;
    if (isPair) out += text.at(++i);
    if (alone) out += kSeparator;
  }
  return out;
}

QString joinSegments(QString text) {
  return text.remove(kSeparator);
}

QString searchQuery(const QString& typed) {
  QStringList phrases;
  const QStringList terms = typed.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (const QString& term : terms) {
    bool hasToken = false;
    for (const QChar c : term) hasToken = hasToken || c.isLetterOrNumber() || c.isSurrogate();
    if (!hasToken) continue;  // punctuation alone is no token: as a phrase it would match nothing
    QString quoted = segmentForSearch(term);
    quoted.replace(QLatin1Char('"'), QLatin1String("\"\""));
    quoted.remove(QChar(0));
    phrases += QLatin1Char('"') + quoted + QLatin1String("\"*");
  }
  return phrases.join(QLatin1Char(' '));
}

}  // namespace tandem::gui
