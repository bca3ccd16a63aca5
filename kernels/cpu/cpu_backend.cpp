#include "kernels/cpu/cpu_backend.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "kernels/cpu/cpu_cores.h"

namespace tandem::kernels {
namespace cpu {

CpuBackend::CpuBackend(const Target& target, std::unique_ptr<ThreadPool> pool)
    : target_(target), kernels_(target.kernels()), pool_(std::move(pool)) {}

DeviceInfo CpuBackend::device() const {
  DeviceInfo info;
  info.kind = "cpu";
  info.num_threads = pool_->num_threads();
  info.description = cpu_model_name() + ", " + std::to_string(info.num_threads) +
                     (info.num_threads == 1 ? " thread, " : " threads, ") + std::string(target_.name);
  return info;
}

Result<std::unique_ptr<Buffer>> CpuBackend::allocate(std::size_t bytes, std::string_view purpose) {
  return allocate_buffer(bytes, purpose);
}

Result<void> CpuBackend::upload(std::span<const std::byte> host, Tensor device) {
  if (static_cast<std::int64_t>(host.size()) != device.bytes()) {
    return Error{ErrorCode::kInvalidArgument, "upload of " + std::to_string(host.size()) + " bytes into a tensor of " +
                                                  std::to_string(device.bytes()) + " bytes"};
  }
  if (!host.empty()) std::memcpy(device.data, host.data(), host.size());
  return {};
}

Result<void> CpuBackend::download(Tensor device, std::span<std::byte> host) {
  if (static_cast<std::int64_t>(host.size()) != device.bytes()) {
    return Error{ErrorCode::kInvalidArgument, "download of a tensor of " + std::to_string(device.bytes()) + " bytes into " +
                                                  std::to_string(host.size()) + " bytes"};
  }
  if (!host.empty()) std::memcpy(host.data(), device.data, host.size());
  return {};
}

std::byte* CpuBackend::workspace(std::size_t bytes) {
  if (!workspace_ || workspace_->bytes() < bytes) {
    workspace_.reset();
    auto larger = allocate_buffer(bytes + bytes / 4, "working memory of the CPU kernels");
    if (!larger) {
      if (!fault_) fault_ = larger.error();
      return nullptr;
    }
    workspace_ = std::move(larger).value();
  }
  return static_cast<std::byte*>(workspace_->data());
}

Result<void> CpuBackend::finish() {
  if (fault_) return *fault_;
  return {};
}

}  // namespace cpu

Result<std::unique_ptr<Backend>> create_cpu_backend(const CpuOptions& options) {
  const char* forced = std::getenv("TANDEM_CPU_TARGET");
  const cpu::Target target = TANDEM_TRY(cpu::choose_target(forced == nullptr ? "" : forced));
  if (options.num_threads < 0 || options.num_threads > cpu::ThreadPool::kMaxThreads) {
    return Error{ErrorCode::kInvalidArgument, "number of CPU threads is " + std::to_string(options.num_threads) +
                                                  "; it must be 0 (one per core) to " +
                                                  std::to_string(cpu::ThreadPool::kMaxThreads)};
  }
  std::int32_t num_threads = options.num_threads;
  if (num_threads == 0) num_threads = std::min(cpu::num_usable_cores(), cpu::ThreadPool::kMaxThreads);
  auto pool = TANDEM_TRY(cpu::ThreadPool::create(num_threads));
  return std::unique_ptr<Backend>(std::make_unique<cpu::CpuBackend>(target, std::move(pool)));
}

}  // namespace tandem::kernels
