// PlanModels: what can be planned for: models of the library and entries of the catalogue.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <memory>

#include "engine/planner/planner.h"

namespace tandem::gui {

class ModelLibrary;

struct PlanModel {
  enum class Source { Library, Catalogue };
  QString id;     // path, or "catalogue:" and the entry's id: stable over restarts
  QString label;  // "Qwen3 8B, Q4_K"
  Source source = Source::Library;
  std::shared_ptr<const engine::ModelDescription> description;
};

class PlanModels : public QObject {
  Q_OBJECT
 public:
  explicit PlanModels(ModelLibrary* library, QObject* parent = nullptr);

  void setCatalogue(const QList<PlanModel>& entries);
  // Library first, in its order; models that cannot be planned are left out.
  const QList<PlanModel>& models() const { return m_models; }
  const PlanModel* find(const QString& id) const;

 signals:
  void modelsChanged();

 private:
  void rebuild();
  ModelLibrary* const m_library;
  QList<PlanModel> m_catalogue;
  QList<PlanModel> m_models;
};

}  // namespace tandem::gui
