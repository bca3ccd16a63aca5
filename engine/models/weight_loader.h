// WeightLoader: brings resolved weights onto the device, one by one, with progress and cancelling.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "engine/models/layers.h"
#include "engine/models/weight_source.h"
#include "kernels/backend.h"

namespace tandem::engine {

class WeightLoader {
 public:
  // `progress` gets the bytes read so far, of all weights together, and returns false to cancel; it may be empty.
  WeightLoader(std::shared_ptr<const ModelFile> file, std::vector<ResolvedWeight> weights, kernels::Backend& backend,
               std::function<bool(std::uint64_t)> progress);

  // Each weight by its canonical (GGUF) name, which must be one of the architecture's; asking twice is a bug.
  Result<Linear> linear(const std::string& name);
  Result<Embedding> embedding(const std::string& name);
  Result<Norm> norm(const std::string& name, double eps);
  // Host values of a small vector; empty when an optional one is absent.
  Result<std::vector<float>> vector(const std::string& name);

  std::uint64_t device_bytes() const { return device_bytes_; }  // held by what was loaded

 private:
  const ResolvedWeight& find(const std::string& name) const;
  Result<std::shared_ptr<const kernels::Matrix>> matrix(const std::string& name);
  bool add_progress(std::uint64_t bytes);

  std::shared_ptr<const ModelFile> file_;
  std::vector<ResolvedWeight> weights_;
  std::unordered_map<std::string, std::size_t> index_;
  kernels::Backend& backend_;
  std::function<bool(std::uint64_t)> progress_;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t device_bytes_ = 0;
};

}  // namespace tandem::engine
