// Whether a model fits a machine: the badges of the library.
#pragma once

#include <QString>

#include "engine/planner/planner.h"
#include "gui/widgets/badge.h"

namespace tandem::gui {

struct ModelFit {
  enum class Level {
    Unknown,     // cannot be planned
    Fits,        // at a moderate context
    Reduced,     // only with a smaller context
    NotNow,      // the machine is large enough, but other programs hold too much of it
    DoesNotFit,  // weights and reserve alone are too large
  };
  Level level = Level::Unknown;
  quint64 neededBytes = 0;
  quint64 capacityBytes = 0;
  qint64 maxContext = 0;  // for one chat; 0: none
  int numNodes = 1;
  bool operator==(const ModelFit&) const = default;
};

// For one chat at 8,192 tokens of context, or the model's own limit where that is smaller. `now`: the machine's memory in
// use counts; otherwise only its size.
ModelFit evaluateFit(const engine::ModelDescription& model, const engine::MachineSpec& machine, int numNodes, bool now);

BadgeKind fitBadgeKind(ModelFit::Level level);
QString fitBadgeText(const ModelFit& fit);
QString fitToolTip(const ModelFit& fit);

}  // namespace tandem::gui
