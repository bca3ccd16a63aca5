// ModelRecord: what the window shows of one model, read from its files without loading it.
#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>

#include "base/result.h"
#include "engine/planner/planner.h"
#include "gui/models/model_fit.h"

namespace tandem::gui {

struct TensorTypeRow {
  QString type;  // "Q4_K"
  qint64 numTensors = 0;
  quint64 numParameters = 0;
  quint64 bytes = 0;
};

struct ModelRecord {
  QString path;  // as it is given to the engine
  QString name;
  QString architecture;  // display name, or the file's own word when this version does not know it
  QString quantisation;  // "Q4_K_M": see engine::quantization_label()
  QString format;        // "GGUF", "safetensors"
  quint64 numParameters = 0;
  quint64 fileBytes = 0;
  qint64 maxContext = 0;  // 0: not known
  QStringList files;
  QList<QPair<QString, QString>> metadata;  // in file order; long values are shortened
  QList<TensorTypeRow> tensorTypes;         // most bytes first

  // What the planner works on; null when this version cannot run the model, `problem` then says why.
  std::shared_ptr<const engine::ModelDescription> description;
  std::optional<Error> problem;

  // At a moderate context and one chat, on machines that never change; this machine is judged anew when memory changes.
  ModelFit fitOneSpark, fitTwoSparks;
};

// Reads headers only; for a worker thread. Errors: whatever ModelFile::open says.
Result<ModelRecord> inspectModel(const QString& path);

}  // namespace tandem::gui
