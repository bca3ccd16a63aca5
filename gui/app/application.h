// Application: builds the window from its parts, in the order in which they depend on each other.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <functional>
#include <memory>

#include "gui/app/app_paths.h"
#include "gui/app/engine_controller.h"
#include "gui/app/run_marker.h"
#include "gui/models/model_library.h"
#include "gui/planner/bandwidth_probe.h"
#include "gui/planner/plan_models.h"

namespace tandem::gui {

class AppSettings;
class ChatPage;
class HistoryStore;
class LanguageController;
class MachineMemory;
class MainWindow;
class ModelLoading;
class ModelsPage;
class PlanPage;
class ThemeController;

// What the program takes from outside, so that tests can give something else.
struct Environment {
  AppPaths paths;
  EngineController::Loader loader;
  ModelLibrary::Inspector inspector;
  BandwidthProbe::Measure measureBandwidth;
  QString demoModel;  // path; empty: none
  // Reads the catalogue; called on a worker thread.
  std::function<QList<PlanModel>()> catalogue;
};

// What the command line asks for; empty: as stored.
struct StartRequest {
  QString modelPath;
  QString pageId;
  QString language;
  QString theme;
};

class Application : public QObject {
  Q_OBJECT
 public:
  // A QApplication must exist. Folders of `environment.paths` are made.
  explicit Application(const Environment& environment, QObject* parent = nullptr);
  ~Application() override;

  // Shows the window and does what the command line or the last time asks for.
  void start(const StartRequest& request);

  MainWindow* window() const { return m_window.get(); }
  EngineController* engine() const { return m_engine; }
  ModelLibrary* library() const { return m_library; }
  AppSettings* settings() const { return m_settings; }

 private:
  void buildPages(const Environment& environment);
  void decideFirstModel(const QString& asked);
  void offerLastModel(bool endedUncleanly);
  void readCatalogue(const std::function<QList<PlanModel>()>& read);

  const AppPaths m_paths;
  RunMarker m_runMarker;
  RunMarker::LastEnd m_lastEnd = RunMarker::LastEnd::Clean;
  QString m_storageProblem;

  AppSettings* m_settings;
  ThemeController* m_theme;
  LanguageController* m_language;
  EngineController* m_engine;
  MachineMemory* m_memory;
  ModelLibrary* m_library;
  BandwidthProbe* m_bandwidth;
  PlanModels* m_planModels;
  HistoryStore* m_history;
  std::unique_ptr<MainWindow> m_window;  // destroyed first: its pages use all of the above
  ChatPage* m_chatPage = nullptr;
  ModelsPage* m_modelsPage = nullptr;
  PlanPage* m_planPage = nullptr;
  ModelLoading* m_loading = nullptr;
  QThreadPool m_pool;  // reads the catalogue
};

}  // namespace tandem::gui
