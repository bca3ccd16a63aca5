// The words for a load under way: phase, bytes, speed and time left.
#pragma once

#include <QString>

#include "engine/engine.h"

namespace tandem::gui {

// 0 to 1; 0 while the total is not known.
double loadFraction(const engine::LoadProgress& progress);
// "Loading weights: 310 MiB of 604 MiB, 412 MB/s, 0.8 s left"
QString loadProgressText(const engine::LoadProgress& progress);
QString loadPhaseText(engine::LoadProgress::Phase phase);

}  // namespace tandem::gui
