#include "gui/app/application.h"

#include <QFileInfo>

#include "gui/app/app_settings.h"
#include "gui/app/language.h"
#include "gui/app/machine_memory.h"
#include "gui/app/main_window.h"
#include "gui/app/model_loading.h"
#include "gui/app/theme_controller.h"
#include "gui/chat/chat_page.h"
#include "gui/history/history_store.h"
#include "gui/models/models_page.h"
#include "gui/planner/plan_models.h"
#include "gui/planner/plan_page.h"
#include "gui/settings/settings_page.h"
#include "gui/widgets/banner.h"

namespace tandem::gui {

Application::Application(const Environment& environment, QObject* parent)
    : QObject(parent),
      m_paths(environment.paths),
      m_runMarker(environment.paths.runMarkerFile()),
      m_storageProblem(environment.paths.ensureExist()),
      m_settings(new AppSettings(environment.paths.settingsFile(), this)),
      m_theme(new ThemeController(this)),
      m_language(new LanguageController(this)),
      m_engine(new EngineController(environment.loader, this)),
      m_memory(new MachineMemory(this)),
      m_library(new ModelLibrary(m_settings, environment.inspector, environment.demoModel, this)),
      m_bandwidth(new BandwidthProbe(environment.measureBandwidth, this)),
      m_planModels(new PlanModels(m_library, this)),
      m_history(new HistoryStore(environment.paths.historyFile(), {}, this)) {
  m_lastEnd = m_runMarker.begin();
  m_language->apply(m_settings->language());
  m_theme->apply(m_settings->theme());
  connect(m_settings, &AppSettings::languageChanged, m_language, &LanguageController::apply);
  connect(m_settings, &AppSettings::themeChanged, m_theme, &ThemeController::apply);
  m_window = std::make_unique<MainWindow>(m_settings, m_engine, m_memory);
  buildPages(environment);
  readCatalogue(environment.catalogue);
}

Application::~Application() {
  m_pool.clear();
  m_pool.waitForDone();
  // The pages end before what they use: chats write their last words while engine and history are still there.
  m_window.reset();
}

void Application::readCatalogue(const std::function<QList<PlanModel>()>& read) {
  if (!read) return;
  m_pool.start([this, read] {
    const QList<PlanModel> entries = read();
    QMetaObject::invokeMethod(
        this, [this, entries] { m_planModels->setCatalogue(entries); }, Qt::QueuedConnection);
  });
}

void Application::buildPages(const Environment& environment) {
  m_chatPage = new ChatPage(*m_engine, *m_history);
  m_modelsPage = new ModelsPage(m_library, m_engine, m_settings);
  m_planPage = new PlanPage(m_planModels, m_bandwidth, &engine::this_machine);
  QList<SettingsPage::Language> languages;
  for (const auto& language : LanguageController::available()) languages.append({language.code, language.name});
  auto* settingsPage = new SettingsPage(m_settings, m_library, environment.paths, languages);

  m_window->addPage(m_chatPage);
  m_window->addPage(m_modelsPage);
  m_window->addPage(m_planPage);
  m_window->addPage(settingsPage);

  m_loading = new ModelLoading(m_library, m_engine, m_settings, &engine::this_machine, m_window.get());
  connect(m_modelsPage, &ModelsPage::loadRequested, m_loading, &ModelLoading::askAndLoad);
  connect(m_modelsPage, &ModelsPage::planRequested, this, [this](const QString& path) {
    if (m_planPage->showModel(path)) m_window->showPage(m_planPage->pageId());
  });
  connect(m_window.get(), &MainWindow::pathsDropped, this, [this](const QStringList& paths) {
    m_window->showPage(m_modelsPage->pageId());
    m_modelsPage->addPaths(paths);
  });
}

void Application::start(const StartRequest& request) {
  if (!request.language.isEmpty()) m_settings->setLanguage(request.language);
  if (const auto theme = themeFromName(request.theme)) m_settings->setTheme(*theme);
  m_window->restoreState();
  if (!request.pageId.isEmpty()) m_window->showPage(request.pageId);
  m_window->show();
  m_library->start();
  if (!m_storageProblem.isEmpty()) {
    m_window->banner()->showMessage(Banner::Kind::Error, tr("The folder %1 cannot be made.").arg(m_storageProblem),
                                    tr("Settings and chats are lost when this window closes. Make the folder writable, or set "
                                       "TANDEM_HOME to another one, and start again."));
  }
  decideFirstModel(request.modelPath);
  m_settings->setStarted();
  m_settings->save();
}

// The demo model loads by itself, so that a newcomer can chat at once. A model of the user's is only offered: it may take long
// and fill the memory. After an unclean end nothing loads by itself, since the model may have been the cause.
void Application::decideFirstModel(const QString& asked) {
  if (!asked.isEmpty()) {
    m_modelsPage->addPaths({asked});
    m_loading->loadDirectly(QFileInfo(asked).absoluteFilePath());
    return;
  }
  const QString last = m_settings->lastModel();
  const bool demoListed = m_library->indexOf(m_library->demoPath()) >= 0;
  if (m_lastEnd == RunMarker::LastEnd::Unclean && !last.isEmpty()) {
    offerLastModel(true);
  } else if (demoListed && (m_settings->isFirstStart() || last.isEmpty() || last == m_library->demoPath())) {
    m_loading->loadDirectly(m_library->demoPath());
  } else if (!last.isEmpty()) {
    offerLastModel(false);
  }
}

void Application::offerLastModel(bool endedUncleanly) {
  const QString last = m_settings->lastModel();
  if (!QFileInfo::exists(last)) return;
  const QString name = last == m_library->demoPath() ? tr("the demo model") : QFileInfo(last).fileName();
  Banner* banner = m_window->banner();
  if (endedUncleanly) {
    banner->showMessage(Banner::Kind::Warning, tr("Tandem did not end normally last time."),
                        tr("No model was loaded by itself, in case it was the cause. The last one was %1.").arg(name));
  } else {
    banner->showMessage(Banner::Kind::Info, tr("Last time you used %1.").arg(name));
  }
  if (endedUncleanly) {
    banner->addAction(tr("Choose Settings…"), [this, last] {
      m_window->showPage(m_modelsPage->pageId());
      m_modelsPage->selectPath(last);
      m_loading->askAndLoad(last);
    });
  }
  banner->addAction(tr("Load"), [this, last] { m_loading->loadDirectly(last); });
}

}  // namespace tandem::gui
