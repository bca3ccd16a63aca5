// Rotation frequencies of rotary position embeddings.
#pragma once

#include <span>
#include <vector>

#include "engine/models/model_config.h"

namespace tandem::engine {

// Angle per position of each of the rope_dim / 2 pairs: theta^(-2i / rope_dim), then either divided by `divisors` (the table a
// GGUF carries, which already holds the scaling) or, when there is none, scaled by the formula of config.rope_scaling.
std::vector<float> rope_inverse_frequencies(const ModelConfig& config, std::span<const float> divisors);

}  // namespace tandem::engine
