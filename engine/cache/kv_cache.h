// KvCache: the device memory behind the block tables, one pair of tensors per layer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/cache/kv_dtype.h"
#include "kernels/backend.h"

namespace tandem::engine {

struct KvCacheSpec {
  KvDType dtype = KvDType::kF16;
  std::int32_t num_layers = 0;
  std::int32_t num_kv_heads = 0;
  std::int32_t head_dim = 0;
  std::int32_t block_tokens = 0;
  std::int32_t num_blocks = 0;
};

// Reserved whole at load time; steps never allocate.
class KvCache {
 public:
  // Errors: kUnsupported for types this version cannot store, kOutOfMemory.
  static Result<std::unique_ptr<KvCache>> create(const KvCacheSpec& spec, kernels::Backend& backend);

  const kernels::KvLayer& layer(std::size_t index) const { return layers_[index]; }
  std::uint64_t bytes() const { return buffer_->bytes(); }
  const KvCacheSpec& spec() const { return spec_; }

 private:
  KvCache() = default;
  KvCacheSpec spec_;
  std::unique_ptr<kernels::Buffer> buffer_;
  std::vector<kernels::KvLayer> layers_;
};

// kUnsupported, naming the types that work, when this version's kernels cannot store the type.
Result<void> check_kv_dtype(KvDType dtype);

}  // namespace tandem::engine
