// ModelLoading: the one way by which the window loads a model: settings, check, load, remember.
#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "base/result.h"
#include "engine/planner/planner.h"
#include "gui/app/app_settings.h"
#include "gui/app/engine_controller.h"

class QWidget;

namespace tandem::gui {

class ModelLibrary;

class ModelLoading : public QObject {
  Q_OBJECT
 public:
  using ThisMachine = std::function<Result<engine::MachineSpec>()>;

  // All outlive it; dialogs are children of `window`.
  ModelLoading(ModelLibrary* library, EngineController* engine, AppSettings* settings, ThisMachine thisMachine,
               QWidget* window);

  // Shows the settings with what they need, then loads. Does nothing for a model that cannot be loaded.
  void askAndLoad(const QString& path);
  // With the settings of the last time, or careful ones.
  void loadDirectly(const QString& path);

 private:
  void load(const QString& path, const ModelLoadSettings& settings);

  ModelLibrary* const m_library;
  EngineController* const m_engine;
  AppSettings* const m_settings;
  const ThisMachine m_thisMachine;
  QWidget* const m_window;
};

}  // namespace tandem::gui
