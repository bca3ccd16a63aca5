// Every op of Backend in double precision, as its formula is written. Slow and plain: what the kernels are held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace tandem::testing {

// [n, num_cols] · [num_rows, num_cols]ᵀ → [n, num_rows].
std::vector<double> reference_linear(std::span<const float> weights, std::span<const float> x, std::int64_t num_cols);

// Rows of `size` values.
std::vector<double> reference_rms_norm(std::span<const float> x, std::span<const float> weight, double eps);

// x [n, num_heads, head_dim], one position per row.
std::vector<double> reference_rope(std::span<const float> x, std::span<const std::int32_t> positions, std::int64_t num_heads,
                                   std::int64_t head_dim, std::span<const float> inv_freq, kernels::RopePairing pairing);

std::vector<double> reference_silu_mul(std::span<const float> gate, std::span<const float> up);

// One query [head_dim] over `num_positions` keys and values [num_positions, head_dim].
std::vector<double> reference_attention(std::span<const float> q, std::span<const float> k, std::span<const float> v,
                                        double scale);

struct ReferenceRoute {
  std::vector<std::int32_t> ids;
  std::vector<double> weights;
};
ReferenceRoute reference_route_softmax(std::span<const float> logits, std::int32_t num_used, bool renormalise);

// Σ(a − b)² / Σb²: normalised mean squared error of `a` against the reference `b`.
double nmse(std::span<const float> a, std::span<const double> b);

// Largest |a − b|.
double max_difference(std::span<const float> a, std::span<const double> b);

}  // namespace tandem::testing
