#include "engine/cache/kv_cache.h"

#include <string>

namespace tandem::engine {

Result<void> check_kv_dtype(KvDType dtype) {
  if (dtype == KvDType::kF16 || dtype == KvDType::kF32) return {};
  return Error{ErrorCode::kUnsupported, "KV cache type " + std::string(kv_dtype_name(dtype)) +
                                            " can be planned for, but this version computes with f16 and f32 only"};
}

Result<std::unique_ptr<KvCache>> KvCache::create(const KvCacheSpec& spec, kernels::Backend& backend) {
  TANDEM_TRY(check_kv_dtype(spec.dtype));
  const auto dtype = spec.dtype == KvDType::kF32 ? kernels::DType::kF32 : kernels::DType::kF16;
  const kernels::Tensor shape{
      nullptr, dtype, {spec.num_blocks, std::int64_t{spec.num_kv_heads} * spec.block_tokens, spec.head_dim}};
  const auto tensor_bytes = static_cast<std::size_t>(shape.bytes());

  std::unique_ptr<KvCache> cache(new KvCache);
  cache->spec_ = spec;
  cache->buffer_ = TANDEM_TRY(backend.allocate(tensor_bytes * 2 * static_cast<std::size_t>(spec.num_layers), "KV cache"));
  auto* next = static_cast<std::byte*>(cache->buffer_->data());
  const auto place = [&] {
    kernels::Tensor tensor = shape;
    tensor.data = next;
    next += tensor_bytes;
    return tensor;
  };
  for (std::int32_t i = 0; i < spec.num_layers; ++i) {
    kernels::KvLayer layer;
    layer.k = place();
    layer.v = place();
    layer.num_kv_heads = spec.num_kv_heads;
    layer.block_tokens = spec.block_tokens;
    layer.head_dim = spec.head_dim;
    cache->layers_.push_back(layer);
  }
  return cache;
}

}  // namespace tandem::engine
