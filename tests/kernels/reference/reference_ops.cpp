#include "tests/kernels/reference/reference_ops.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace tandem::testing {

std::vector<double> reference_linear(std::span<const float> weights, std::span<const float> x, std::int64_t num_cols) {
  const std::size_t cols = static_cast<std::size_t>(num_cols);
  const std::size_t num_rows = weights.size() / cols, n = x.size() / cols;
  std::vector<double> out(n * num_rows);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < num_rows; ++r) {
      double sum = 0;
      for (std::size_t k = 0; k < cols; ++k) sum += static_cast<double>(x[i * cols + k]) * weights[r * cols + k];
      out[i * num_rows + r] = sum;
    }
  }
  return out;
}

std::vector<double> reference_rms_norm(std::span<const float> x, std::span<const float> weight, double eps) {
  const std::size_t size = weight.size();
  std::vector<double> out(x.size());
  for (std::size_t first = 0; first < x.size(); first += size) {
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) sum += static_cast<double>(x[first + k]) * x[first + k];
    const double factor = 1 / std::sqrt(sum / static_cast<double>(size) + eps);
    for (std::size_t k = 0; k < size; ++k) out[first + k] = x[first + k] * factor * weight[k];
  }
  return out;
}

std::vector<double> reference_rope(std::span<const float> x, std::span<const std::int32_t> positions, std::int64_t num_heads,
                                   std::int64_t head_dim, std::span<const float> inv_freq, kernels::RopePairing pairing) {
  std::vector<double> out(x.begin(), x.end());
  const std::size_t num_pairs = inv_freq.size();
  for (std::size_t r = 0; r < positions.size(); ++r) {
    for (std::int64_t h = 0; h < num_heads; ++h) {
      double* head = out.data() + (static_cast<std::int64_t>(r) * num_heads + h) * head_dim;
      for (std::size_t i = 0; i < num_pairs; ++i) {
        const double angle = static_cast<double>(positions[r]) * inv_freq[i];
        double& a = pairing == kernels::RopePairing::kHalfSplit ? head[i] : head[2 * i];
        double& b = pairing == kernels::RopePairing::kHalfSplit ? head[i + num_pairs] : head[2 * i + 1];
        const double old_a = a, old_b = b;
        a = old_a * std::cos(angle) - old_b * std::sin(angle);
        b = old_b * std::cos(angle) + old_a * std::sin(angle);
      }
    }
  }
  return out;
}

std::vector<double> reference_silu_mul(std::span<const float> gate, std::span<const float> up) {
  std::vector<double> out(gate.size());
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double x = gate[i];
    out[i] = x / (1 + std::exp(-x)) * up[i];
  }
  return out;
}

std::vector<double> reference_attention(std::span<const float> q, std::span<const float> k, std::span<const float> v,
                                        double scale) {
  const std::size_t head_dim = q.size(), num_positions = k.size() / head_dim;
  std::vector<double> scores(num_positions);
  for (std::size_t j = 0; j < num_positions; ++j) {
    for (std::size_t d = 0; d < head_dim; ++d) scores[j] += static_cast<double>(q[d]) * k[j * head_dim + d];
    scores[j] *= scale;
  }
  const double max = std::ranges::max(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - max);
  std::vector<double> out(head_dim);
  for (std::size_t j = 0; j < num_positions; ++j) {
    for (std::size_t d = 0; d < head_dim; ++d) out[d] += scores[j] / sum * v[j * head_dim + d];
  }
  return out;
}

ReferenceRoute reference_route_softmax(std::span<const float> logits, std::int32_t num_used, bool renormalise) {
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
    return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
  });
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit));
  ReferenceRoute route;
  double used = 0;
  for (std::int32_t j = 0; j < num_used; ++j) {
    const std::int32_t id = order[static_cast<std::size_t>(j)];
    route.ids.push_back(id);
    route.weights.push_back(std::exp(static_cast<double>(logits[static_cast<std::size_t>(id)])) / total);
    used += route.weights.back();
  }
  if (renormalise) {
    for (double& weight : route.weights) weight /= used;
  }
  return route;
}

double nmse(std::span<const float> a, std::span<const double> b) {
  CHECK(a.size() == b.size(), "sizes differ");
  double error = 0, power = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    error += (a[i] - b[i]) * (a[i] - b[i]);
    power += b[i] * b[i];
  }
  return power == 0 ? error : error / power;
}

double max_difference(std::span<const float> a, std::span<const double> b) {
  CHECK(a.size() == b.size(), "sizes differ");
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference;  // NaN wins
  }
  return worst;
}

}  // namespace tandem::testing
