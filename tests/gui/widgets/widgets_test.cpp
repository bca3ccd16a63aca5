#include <QLocale>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "gui/widgets/badge.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/elided_label.h"
#include "gui/widgets/error_text.h"
#include "gui/widgets/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/stacked_bar.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

QString spaced(QString text) {
  return text.replace(QChar(0x00A0), QLatin1Char(' '));
}

double luminance(const QColor& color) {  // WCAG 2.1
  auto part = [](double value) { return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4); };
  return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double light = std::max(luminance(a), luminance(b)), dark = std::min(luminance(a), luminance(b));
  return (light + 0.05) / (dark + 0.05);
}

}  // namespace

class WidgetsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void bytesKeepThreeDigits_data() {
    QTest::addColumn<quint64>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << quint64(0) << "0 B";
    QTest::newRow("bytes") << quint64(1023) << "1,023 B";
    QTest::newRow("one") << quint64(1024) << "1.00 KiB";
    QTest::newRow("demo") << quint64(14'529'440) << "13.9 MiB";
    QTest::newRow("rounds up to the next unit") << quint64(1024 * 1024 - 100) << "1.00 MiB";
    QTest::newRow("spark") << quint64(130'567'462'912) << "122 GiB";
  }
  void bytesKeepThreeDigits() {
    QFETCH(quint64, bytes);
    QFETCH(QString, text);
    QCOMPARE(spaced(formatBytes(bytes)), text);
  }

  void otherNumbers() {
    QCOMPARE(spaced(formatParameters(13'376'896)), QStringLiteral("13.4 M"));
    QCOMPARE(spaced(formatParameters(8'030'261'248)), QStringLiteral("8.03 B"));
    QCOMPARE(spaced(formatBytesPerSecond(231e9)), QStringLiteral("231 GB/s"));
    QCOMPARE(spaced(formatPercent(0.534)), QStringLiteral("53 %"));
    QCOMPARE(formatSeconds(0.84), QStringLiteral("0.8 s"));
    QCOMPARE(formatSeconds(59.6), QStringLiteral("1 min 0 s"));
    QCOMPARE(formatSeconds(200), QStringLiteral("3 min 20 s"));
    QCOMPARE(formatSeconds(7300), QStringLiteral("2 h 1 min"));
  }

  void textIsReadableInBothThemes() {
    for (const ThemeColors* c : {&ThemeColors::light(), &ThemeColors::dark()}) {
      for (const QColor& ground : {c->window, c->surface, c->surfaceAlt}) {
        QVERIFY2(contrast(c->text, ground) >= 7.0, qPrintable(ground.name()));
        QVERIFY2(contrast(c->textMuted, ground) >= 4.5, qPrintable(ground.name()));
      }
      QVERIFY(contrast(c->accentText, c->accent) >= 4.5);
      QVERIFY(contrast(c->text, c->accentSoft) >= 4.5);
      QVERIFY(contrast(c->good, c->goodSoft) >= 4.5);
      QVERIFY(contrast(c->warn, c->warnSoft) >= 4.5);
      QVERIFY(contrast(c->bad, c->badSoft) >= 4.5);
      QVERIFY(contrast(c->bad, c->surface) >= 4.5);
    }
  }

  void themeIsFoundByThePalette() {
    QVERIFY(!ThemeColors::isDark(makePalette(ThemeColors::light())));
    QVERIFY(ThemeColors::isDark(makePalette(ThemeColors::dark())));
    for (const ThemeColors* c : {&ThemeColors::light(), &ThemeColors::dark()})
      QVERIFY(!makeStyleSheet(*c).contains(QLatin1String("%")));
  }

  void iconsAreDrawnInTheGivenColour() {
    const QImage image = iconPixmap(QStringLiteral("models"), Qt::red, 24, 1.0).toImage();
    QCOMPARE(image.size(), QSize(24, 24));
    int drawn = 0;
    for (int y = 0; y < 24; ++y) {
      for (int x = 0; x < 24; ++x) {
        if (image.pixelColor(x, y).alpha() < 250) continue;
        ++drawn;
        QCOMPARE(image.pixelColor(x, y).rgb(), QColor(Qt::red).rgb());
      }
    }
    QVERIFY(drawn > 20);
  }

  void stackedBarNamesItsPartsAndKnowsWhenItIsTooFull() {
    StackedBar bar;
    bar.resize(400, 36);
    bar.show();
    QVERIFY(QTest::qWaitForWindowExposed(&bar));
    QSignalSpy hovered(&bar, &StackedBar::segmentHovered);
    bar.setData({{QStringLiteral("Weights"), QStringLiteral("6 GiB"), QStringLiteral("a"), 6, Qt::blue},
                 {QStringLiteral("Nothing"), QStringLiteral("0"), QString(), 0, Qt::red},
                 {QStringLiteral("KV cache"), QStringLiteral("3 GiB"), QStringLiteral("b"), 3, Qt::green}},
                10, QStringLiteral("Capacity: 10 GiB"));
    QVERIFY(!bar.isOverCapacity());
    QCOMPARE(bar.accessibleDescription(), QStringLiteral("Weights: 6 GiB; Nothing: 0; KV cache: 3 GiB; Capacity: 10 GiB"));
    QTest::mouseMove(&bar, QPoint(100, 18));
    QTRY_COMPARE(hovered.count(), 1);
    QCOMPARE(hovered.last().first().toInt(), 0);
    QTest::keyClick(&bar, Qt::Key_Right);  // passes over the empty part
    QCOMPARE(hovered.last().first().toInt(), 2);
    bar.setData({{QStringLiteral("Weights"), QString(), QString(), 11, Qt::blue}}, 10, QString());
    QVERIFY(bar.isOverCapacity());
    QVERIFY(!bar.grab().isNull());
  }

  void bannerActionRunsOnceAndHides() {
    QWidget parent;
    Banner banner(&parent);
    QVERIFY(!banner.isVisibleTo(&parent));
    banner.showMessage(Banner::Kind::Error, QStringLiteral("It broke."), QStringLiteral("Because."));
    QVERIFY(banner.isVisibleTo(&parent));
    QCOMPARE(banner.accessibleName(), QStringLiteral("It broke. Because."));
    int runs = 0;
    banner.addAction(QStringLiteral("Fix"), [&runs] { ++runs; })->click();
    QCOMPARE(runs, 1);
    QVERIFY(!banner.isVisibleTo(&parent));
    banner.showMessage(Banner::Kind::Info, QStringLiteral("Next"));
    QTRY_VERIFY(banner.findChildren<QPushButton*>().isEmpty());  // the old action has gone
  }

  void elidedLabelKeepsTheWholeText() {
    ElidedLabel label;
    label.setFullText(QStringLiteral("a rather long text that cannot be shown"));
    label.resize(60, 20);
    label.show();
    QVERIFY(label.isElided());
    QCOMPARE(label.toolTip(), label.fullText());
    QCOMPARE(label.accessibleName(), label.fullText());
    label.resize(1000, 20);
    QVERIFY(!label.isElided());
    QVERIFY(label.toolTip().isEmpty());
  }

  void everyErrorCodeHasWords() {
    for (int code = 0; code <= int(ErrorCode::kInternal); ++code) QVERIFY(!errorTitle(ErrorCode(code)).isEmpty());
    QCOMPARE(errorDetail({ErrorCode::kIo, "größer"}), QStringLiteral("größer"));
  }
};

}  // namespace tandem::gui

QTEST_MAIN(tandem::gui::WidgetsTest)
#include "widgets_test.moc"
