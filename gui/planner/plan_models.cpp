#include "gui/planner/plan_models.h"

#include "gui/models/model_library.h"

namespace tandem::gui {

PlanModels::PlanModels(ModelLibrary* library, QObject* parent) : QObject(parent), m_library(library) {
  connect(library, &ModelLibrary::entryChanged, this, &PlanModels::rebuild);
  connect(library, &ModelLibrary::entryRemoved, this, &PlanModels::rebuild);
  rebuild();
}

void PlanModels::setCatalogue(const QList<PlanModel>& entries) {
  m_catalogue = entries;
  rebuild();
}

const PlanModel* PlanModels::find(const QString& id) const {
  for (const PlanModel& model : m_models) {
    if (model.id == id) return &model;
  }
  return nullptr;
}

void PlanModels::rebuild() {
  QList<PlanModel> models;
  for (int i = 0; i < m_library->count(); ++i) {
    const LibraryEntry& entry = m_library->entry(i);
    if (!entry.record || !entry.record->description) continue;
    models.append({entry.path, QStringLiteral("%1, %2").arg(entry.record->name, entry.record->quantisation),
                   PlanModel::Source::Library, entry.record->description});
  }
  models += m_catalogue;
  const bool same = models.size() == m_models.size() &&
                    std::equal(models.cbegin(), models.cend(), m_models.cbegin(), [](const PlanModel& a, const PlanModel& b) {
                      return a.id == b.id && a.label == b.label && a.description == b.description;
                    });
  if (same) return;  // a badge changed, nothing that matters here
  m_models = std::move(models);
  emit modelsChanged();
}

}  // namespace tandem::gui
