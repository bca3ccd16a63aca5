#include <QAction>
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QLibraryInfo>
#include <QLocale>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "gui/app/app_settings.h"
#include "gui/app/application.h"
#include "gui/app/engine_status.h"
#include "gui/app/language.h"
#include "gui/app/load_progress_text.h"
#include "gui/app/main_window.h"
#include "gui/app/run_marker.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/page.h"
#include "gui/widgets/theme.h"
#include "tests/gui/support/fake_engine.h"

namespace tandem::gui {
namespace {

const QString kDemo = QStringLiteral(TANDEM_RESOURCES "/demo-model/tandem-demo-Q8_0.gguf");

}  // namespace

class AppTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> m_dir;

  AppPaths paths() const { return {m_dir->filePath(QStringLiteral("config")), m_dir->filePath(QStringLiteral("data"))}; }
  Environment environment(std::shared_ptr<test::FakeLog> log = std::make_shared<test::FakeLog>(),
                          test::FakeScript script = {}) const {
    Environment environment;
    environment.paths = paths();
    environment.loader = test::fake_loader(std::move(script), std::move(log));
    environment.inspector = &inspectModel;
    environment.measureBandwidth = [] { return 10e9; };
    environment.demoModel = kDemo;
    return environment;
  }
  // As a killed process leaves it: a lock of a process that does not exist.
  void leaveMarkerOfDeadProcess() const {
    QProcess process;
    process.start(QStringLiteral("true"), QStringList());
    QVERIFY(process.waitForStarted());
    const qint64 pid = process.processId();
    QVERIFY(process.waitForFinished());
    QFile file(paths().runMarkerFile());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::number(pid) + "\ntandem\n" + QSysInfo::machineHostName().toUtf8() + "\n" +
               QSysInfo::machineUniqueId() + "\n" + QSysInfo::bootUniqueId() + "\n");
  }

 private slots:
  void init() { m_dir = std::make_unique<QTemporaryDir>(); }
  void cleanup() { LanguageController().apply(QStringLiteral("en")); }

  void settingsSurviveRestart() {
    const QString file = m_dir->filePath(QStringLiteral("tandem.ini"));
    ModelLoadSettings load;
    load.contextTokens = 4096;
    load.concurrency = 2;
    load.kvDType = engine::KvDType::kQ8_0;
    load.threads = 6;
    {
      AppSettings settings(file);
      QVERIFY(settings.isFirstStart());
      settings.setLanguage(QStringLiteral("zh_CN"));
      settings.setTheme(Theme::Dark);
      settings.setDefaultThreads(3);
      settings.setModelPaths({QStringLiteral("/models/空 格.gguf"), QStringLiteral("/b")});
      settings.setLoadSettings(QStringLiteral("/models/空 格.gguf"), load);
      settings.setStarted();
      QVERIFY(settings.save().isEmpty());
    }
    AppSettings settings(file);
    QVERIFY(!settings.isFirstStart());
    QCOMPARE(settings.language(), QStringLiteral("zh_CN"));
    QCOMPARE(settings.theme(), Theme::Dark);
    QCOMPARE(settings.defaultThreads(), 3);
    QCOMPARE(settings.modelPaths(), QStringList({QStringLiteral("/models/空 格.gguf"), QStringLiteral("/b")}));
    QCOMPARE(settings.loadSettings(QStringLiteral("/models/空 格.gguf")), load);
    QCOMPARE(settings.loadSettings(QStringLiteral("/other")).threads, 3);  // the default for models not loaded yet
  }

  void damagedSettingsGiveDefaults() {
    const QString file = m_dir->filePath(QStringLiteral("tandem.ini"));
    QFile ini(file);
    QVERIFY(ini.open(QIODevice::WriteOnly));
    ini.write("[interface]\ntheme=purple\n[engine]\nthreads=-7\n[window]\ngeometry=@ByteArray(xx)\n\xff\xfe garbage");
    ini.close();
    AppSettings settings(file);
    QCOMPARE(settings.theme(), Theme::System);
    QCOMPARE(settings.defaultThreads(), 0);
    QVERIFY(settings.isFirstStart());
  }

  void runMarkerTellsAnUncleanEnd() {
    QVERIFY(paths().ensureExist().isEmpty());
    const QString file = paths().runMarkerFile();
    {
      RunMarker marker(file);
      QCOMPARE(marker.begin(), RunMarker::LastEnd::Clean);
      RunMarker second(file);
      QCOMPARE(second.begin(), RunMarker::LastEnd::Running);
    }
    QVERIFY(!QFile::exists(file));
    leaveMarkerOfDeadProcess();
    RunMarker marker(file);
    QCOMPARE(marker.begin(), RunMarker::LastEnd::Unclean);
  }

  void firstStartLoadsTheDemoModel() {
    auto log = std::make_shared<test::FakeLog>();
    Application application(environment(log));
    application.start({});
    QTRY_VERIFY(application.engine()->isReady());
    QCOMPARE(application.engine()->modelPath(), kDemo);
    QCOMPARE(log->loads.load(), 1);
    QVERIFY(application.window()->engineStatus()->text().contains(QLatin1String("Fake Model")));
    QVERIFY(!application.window()->banner()->isVisibleTo(application.window()));
  }

  void uncleanEndLoadsNothingByItself() {
    QVERIFY(paths().ensureExist().isEmpty());
    {
      AppSettings settings(paths().settingsFile());
      settings.setStarted();
      settings.setLastModel(kDemo);
      settings.save();
    }
    leaveMarkerOfDeadProcess();
    auto log = std::make_shared<test::FakeLog>();
    Application application(environment(log));
    application.start({});
    Banner* banner = application.window()->banner();
    QVERIFY(banner->isVisibleTo(application.window()));
    QTest::qWait(50);
    QCOMPARE(log->loads.load(), 0);
    banner->findChildren<QPushButton*>().last()->click();
    QTRY_VERIFY(application.engine()->isReady());
  }

  void lastModelOfTheUserIsOfferedNotLoaded() {
    QVERIFY(paths().ensureExist().isEmpty());
    const QString mine = m_dir->filePath(QStringLiteral("mine.gguf"));
    QVERIFY(QFile::copy(kDemo, mine));
    {
      AppSettings settings(paths().settingsFile());
      settings.setStarted();
      settings.setModelPaths({mine});
      settings.setLastModel(mine);
      settings.save();
    }
    auto log = std::make_shared<test::FakeLog>();
    Application application(environment(log));
    application.start({});
    Banner* banner = application.window()->banner();
    QVERIFY(banner->isVisibleTo(application.window()));
    QVERIFY(banner->title().contains(QLatin1String("mine.gguf")));
    QCOMPARE(log->loads.load(), 0);
    banner->findChildren<QPushButton*>().first()->click();
    QTRY_VERIFY(application.engine()->isReady());
    QCOMPARE(application.engine()->modelPath(), mine);
  }

  void failedLoadIsShownInTheStatusBar() {
    test::FakeScript script;
    script.loadError = Error{ErrorCode::kOutOfMemory, "needs 9 GiB, 3 GiB are available"};
    Application application(environment(std::make_shared<test::FakeLog>(), script));
    application.start({});
    QTRY_COMPARE(application.engine()->state(), EngineController::State::Failed);
    QVERIFY(application.window()->engineStatus()->text().contains(QLatin1String("not enough memory")));
  }

  void languageSwitchesWhileTheWindowIsOpen() {
    Application application(environment());
    application.settings()->setLanguage(QStringLiteral("en"));
    application.start({});
    MainWindow* window = application.window();
    QVERIFY(window->showPage(QStringLiteral("settings")));
    QCOMPARE(window->currentPage()->title(), QStringLiteral("Settings"));
    QVERIFY(window->windowTitle().startsWith(QLatin1String("Settings")));
    application.settings()->setLanguage(QStringLiteral("zh_CN"));
    QTRY_COMPARE(window->currentPage()->title(), QStringLiteral("设置"));
    QTRY_VERIFY(window->windowTitle().startsWith(QStringLiteral("设置")));
    QStringList menus;
    for (const QAction* action : window->menuBar()->actions()) menus << action->text();
    QVERIFY2(menus.first().contains(QStringLiteral("文件")), qPrintable(menus.join(QLatin1Char(' '))));
    // No label or button of any page keeps an English sentence; lists that are read from disk follow a moment later.
    const auto untranslated = [window]() -> QString {
      static const QRegularExpression sentence(QStringLiteral("[A-Za-z]{3,} [a-z]{2,} [a-z]{2,}"));
      for (const QLabel* label : window->findChildren<QLabel*>()) {
        if (label->text().contains(sentence)) return label->text();
      }
      for (const QAbstractButton* button : window->findChildren<QAbstractButton*>()) {
        if (button->text().contains(sentence)) return button->text();
      }
      return {};
    };
    QTRY_COMPARE(untranslated(), QString());
    application.settings()->setLanguage(QStringLiteral("en"));
    QTRY_COMPARE(window->currentPage()->title(), QStringLiteral("Settings"));
  }

  void pluralsAreWholeSentences() {
    LanguageController language;
    QVERIFY(language.apply(QStringLiteral("en")));
    QCOMPARE(QCoreApplication::translate("Plan", "%n chat(s) at once", nullptr, 1), QStringLiteral("1 chat at once"));
    QCOMPARE(QCoreApplication::translate("Plan", "%n chat(s) at once", nullptr, 3), QStringLiteral("3 chats at once"));
  }

  void themeChangesPaletteAtOnce() {
    Application application(environment());
    application.settings()->setTheme(Theme::Light);
    application.start({});
    QVERIFY(!ThemeColors::isDark(QApplication::palette()));
    application.settings()->setTheme(Theme::Dark);
    QVERIFY(ThemeColors::isDark(QApplication::palette()));
    QCOMPARE(application.window()->palette().color(QPalette::Window), ThemeColors::dark().window);
    application.settings()->setTheme(Theme::Light);
  }

  void pageAndSizeComeBack() {
    {
      Application application(environment());
      application.start({});
      application.window()->showPage(QStringLiteral("plan"));
      application.window()->resize(1000, 700);
      application.window()->close();
    }
    Application application(environment());
    application.start({});
    QCOMPARE(application.window()->currentPage()->pageId(), QStringLiteral("plan"));
    QCOMPARE(application.window()->size(), QSize(1000, 700));
  }

  void everyControlHasAName() {
    Application application(environment());
    application.start({});
    QTRY_VERIFY(application.engine()->isReady());
    for (const QWidget* widget : application.window()->findChildren<QWidget*>()) {
      if (widget->isHidden() || widget->focusPolicy() == Qt::NoFocus || widget->objectName().startsWith(QLatin1String("qt_")))
        continue;
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      if (!button && !widget->inherits("QComboBox") && !widget->inherits("QAbstractSpinBox") && !widget->inherits("QTableView"))
        continue;
      const bool named =
          !widget->accessibleName().isEmpty() || (button && (!button->text().isEmpty() || !button->toolTip().isEmpty()));
      const QString where =
          widget->parentWidget() ? QString::fromLatin1(widget->parentWidget()->metaObject()->className()) : QString();
      QVERIFY2(named, qPrintable(QString::fromLatin1(widget->metaObject()->className()) + QStringLiteral(" in ") + where));
    }
  }

  void loadProgressHasBytesSpeedAndTimeLeft() {
    engine::LoadProgress progress;
    progress.phase = engine::LoadProgress::Phase::kLoadingWeights;
    progress.bytes_total = 1000'000'000;
    progress.bytes_done = 250'000'000;
    progress.elapsed_s = 0.5;
    QCOMPARE(loadFraction(progress), 0.25);
    QCOMPARE(loadProgressText(progress).replace(QChar(0x00A0), QLatin1Char(' ')),
             QStringLiteral("Loading weights: 238 MiB of 954 MiB, 500 MB/s, 1.5 s left"));
  }
};

}  // namespace tandem::gui

QTEST_MAIN(tandem::gui::AppTest)
#include "app_test.moc"
