#include "gui/planner/catalogue.h"

#include <QLoggingCategory>

#include "engine/model_catalog/model_catalog.h"

namespace tandem::gui {

QList<PlanModel> readCatalogue() {
  QList<PlanModel> models;
  const auto entries = engine::load_catalog();
  if (!entries) {
    qWarning("catalogue: %s", entries.error().detail.c_str());
    return models;
  }
  for (const engine::CatalogEntry& entry : *entries) {
    if (entry.shipped) continue;  // on this machine, so in the library
    auto description = engine::describe_entry(entry);
    if (!description) {
      qWarning("catalogue: %s: %s", entry.id.c_str(), description.error().detail.c_str());
      continue;
    }
    models.append({QStringLiteral("catalogue:") + QString::fromStdString(entry.id), QString::fromStdString(entry.name),
                   PlanModel::Source::Catalogue, std::make_shared<const engine::ModelDescription>(std::move(*description))});
  }
  return models;
}

}  // namespace tandem::gui
