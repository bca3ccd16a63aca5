// tandem: the window. See --help for what the command line can choose.
#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QMessageBox>
#include <QTextStream>

#include "base/version.h"
#include "engine/engine.h"
#include "gui/app/app_settings.h"
#include "gui/app/application.h"
#include "gui/app/language.h"
#include "gui/app/main_window.h"
#include "gui/app/startup_timer.h"
#include "gui/app/termination.h"
#include "gui/planner/catalogue.h"
#include "kernels/read_bandwidth.h"

namespace {

using namespace tandem;
using namespace tandem::gui;

constexpr double kBandwidthSeconds = 1.0;

// Text for people comes before any preference is read, so it is English.
std::optional<QString> problemWith(const StartRequest& request) {
  if (!request.theme.isEmpty() && !themeFromName(request.theme)) {
    return QStringLiteral("--theme is '%1'; it can be system, light or dark").arg(request.theme);
  }
  if (!request.language.isEmpty() && !LanguageController::isAvailable(request.language)) {
    return QStringLiteral("--language is '%1'; it can be en or zh_CN").arg(request.language);
  }
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  QCoreApplication::setApplicationName(QStringLiteral("tandem"));
  QCoreApplication::setApplicationVersion(QString::fromUtf8(kVersion));
  QGuiApplication::setApplicationDisplayName(QStringLiteral("Tandem"));
  QGuiApplication::setDesktopFileName(QStringLiteral("io.github.tandem.Tandem"));
  QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/tandem.svg")));
  // Chinese in the same kind of letters as the rest; without this some systems fall back to a serif face.
  QFont font = QApplication::font();
  font.setFamilies({font.family(), QStringLiteral("Noto Sans CJK SC"), QStringLiteral("WenQuanYi Micro Hei")});
  QApplication::setFont(font);

  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Run large language models on your own machine."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption model(QStringLiteral("model"), QStringLiteral("Add this model to the list and load it."),
                                 QStringLiteral("path"));
  const QCommandLineOption page(QStringLiteral("page"), QStringLiteral("Show this page first."), QStringLiteral("name"));
  const QCommandLineOption language(QStringLiteral("language"), QStringLiteral("en or zh_CN; is remembered."),
                                    QStringLiteral("code"));
  const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("system, light or dark; is remembered."),
                                 QStringLiteral("name"));
  const QCommandLineOption startupTime(
      QStringLiteral("print-startup-time"),
      QStringLiteral("Print the milliseconds from the start of the process to the first paint to stderr, then go on."));
  parser.addOptions({model, page, language, theme, startupTime});
  parser.process(app);

  const StartRequest request{parser.value(model), parser.value(page), parser.value(language), parser.value(theme)};
  if (const auto problem = problemWith(request)) {
    QTextStream(stderr) << "tandem: " << *problem << '\n';
    return 2;
  }

  Environment environment;
  environment.paths = AppPaths::fromEnvironment();
  environment.loader = &engine::Engine::load;
  environment.inspector = &inspectModel;
  environment.measureBandwidth = [] { return kernels::measure_read_bandwidth(0, kBandwidthSeconds).value_or(0.0); };
  environment.demoModel = AppPaths::resourceFile(QStringLiteral("demo-model/tandem-demo-Q8_0.gguf"));

  environment.catalogue = &readCatalogue;

  Application application(environment);
  if (!request.pageId.isEmpty() && !application.window()->pageIds().contains(request.pageId)) {
    QTextStream(stderr) << "tandem: --page is '" << request.pageId << "'; the pages are "
                        << application.window()->pageIds().join(QStringLiteral(", ")) << '\n';
    return 2;
  }
  const Termination termination([&application] { application.window()->close(); });
  if (parser.isSet(startupTime)) printStartupTime(application.window());
  application.start(request);
  return QApplication::exec();
}
