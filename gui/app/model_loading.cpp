#include "gui/app/model_loading.h"

#include <QMessageBox>

#include "gui/models/model_library.h"
#include "gui/planner/load_dialog.h"
#include "gui/widgets/error_text.h"

namespace tandem::gui {
namespace {
constexpr std::int64_t kCarefulContext = 8192;
}

ModelLoading::ModelLoading(ModelLibrary* library, EngineController* engine, AppSettings* settings, ThisMachine thisMachine,
                           QWidget* window)
    : QObject(window),
      m_library(library),
      m_engine(engine),
      m_settings(settings),
      m_thisMachine(std::move(thisMachine)),
      m_window(window) {
  connect(engine, &EngineController::stateChanged, this, [this](EngineController::State state) {
    if (state == EngineController::State::Ready) m_settings->setLastModel(m_engine->modelPath());
  });
}

void ModelLoading::askAndLoad(const QString& path) {
  const int row = m_library->indexOf(path);
  if (row < 0) return;
  const auto record = m_library->entry(row).record;
  if (!record || !record->description) return;
  auto machine = m_thisMachine();
  if (!machine) {
    QMessageBox::warning(m_window, tr("Load"),
                         errorTitle(machine.error().code) + QLatin1Char(' ') + errorDetail(machine.error()));
    return;
  }
  // The model that is loaded now is freed first, so its memory counts as available.
  if (const auto& info = m_engine->modelInfo()) {
    machine->available_bytes =
        std::min(machine->total_bytes, machine->available_bytes + info->weight_bytes + info->kv_cache_bytes);
  }
  auto* dialog = new LoadDialog(record, *machine, m_settings->loadSettings(path), m_window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, path] {
    m_settings->setLoadSettings(path, dialog->settings());
    load(path, dialog->settings());
  });
  dialog->open();
}

void ModelLoading::loadDirectly(const QString& path) {
  ModelLoadSettings settings = m_settings->loadSettings(path);
  if (!settings.contextTokens) {
    const int row = m_library->indexOf(path);
    const auto record = row >= 0 ? m_library->entry(row).record : nullptr;
    // Not known before its header is read: the engine then takes the largest that fits.
    if (record && record->maxContext > 0) settings.contextTokens = std::min<qint64>(record->maxContext, kCarefulContext);
  }
  load(path, settings);
}

void ModelLoading::load(const QString& path, const ModelLoadSettings& settings) {
  engine::LoadOptions options;
  options.context_tokens = settings.contextTokens;
  options.max_num_seqs = settings.concurrency;
  options.kv_dtype = settings.kvDType;
  options.num_threads = settings.threads;
  // The reserve that the dialog planned with, so that both say the same.
  if (const auto machine = m_thisMachine()) options.memory_reserve_bytes = machine->reserve_bytes;
  m_engine->loadModel(path, options);
}

}  // namespace tandem::gui
