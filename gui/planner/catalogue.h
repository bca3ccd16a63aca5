// The shipped catalogue as models to plan for.
#pragma once

#include "gui/planner/plan_models.h"

namespace tandem::gui {

// Reads the disk; for a worker thread. Entries that cannot be described are left out and logged; no catalogue: an empty list.
QList<PlanModel> readCatalogue();

}  // namespace tandem::gui
