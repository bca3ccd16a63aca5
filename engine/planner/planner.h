// The planner: what a model needs on one or two machines, what fits, and the speed that memory bandwidth allows. Pure
// functions over a model's tensor table; nothing is loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/cache/kv_dtype.h"
#include "engine/models/model_config.h"
#include "kernels/dtype.h"

namespace tandem::engine {

class ModelFile;

// What the planner knows of a model: from an opened file, or from a config.json alone with an assumed weight type.
struct ModelDescription {
  struct Weight {
    std::string name;
    kernels::DType dtype = kernels::DType::kBF16;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;     // as the engine holds it: small vectors are F32 whatever the file has
    bool read_per_token = true;  // the embedding table is not, unless it is also the output head
    double read_fraction = 1.0;  // experts used / experts
    std::int32_t split = 0;      // engine::Split as an integer
  };
  std::string name;
  std::string architecture;
  ModelConfig config;
  std::vector<Weight> weights;
  std::uint64_t weight_bytes() const;
  std::uint64_t num_parameters() const;
};

// `path`: anything ModelFile::open takes, or a config.json (weights are then counted as `assumed_dtype`).
Result<ModelDescription> describe_model(const std::filesystem::path& path,
                                        kernels::DType assumed_dtype = kernels::DType::kBF16);
Result<ModelDescription> describe_model(const ModelFile& file);
Result<ModelDescription> describe_model(const nlohmann::ordered_json& hf_config, std::string name,
                                        kernels::DType assumed_dtype);

// One machine, as the planner sees it.
struct MachineSpec {
  std::string name;                         // "DGX Spark", "this machine"
  std::uint64_t total_bytes = 0;            // memory the OS can see
  std::uint64_t available_bytes = 0;        // now; equal to total for a machine that is only planned for
  std::uint64_t reserve_bytes = 0;          // left to the system
  double bandwidth_bytes_per_s = 0.0;       // measured read bandwidth; 0: not known
  double bandwidth_peak_bytes_per_s = 0.0;  // the specification's: no speed above it is ever shown
  bool has_cuda = false;
};
MachineSpec dgx_spark();
// Memory from /proc/meminfo; bandwidth is 0 until measured.
Result<MachineSpec> this_machine();

struct PlanRequest {
  std::int32_t num_nodes = 1;
  std::int64_t context_tokens = 4096;
  std::int32_t concurrency = 1;
  KvDType kv_dtype = KvDType::kF16;
  std::int32_t max_num_batched_tokens = 512;
};

// One line of a bar, with the arithmetic that gave it.
struct PlanItem {
  enum class Kind : std::uint8_t { kWeights, kKvCache, kState, kActivations, kCommunication, kRuntime, kReserve };
  Kind kind = Kind::kWeights;
  std::uint64_t bytes = 0;
  std::string formula;  // "28 layers × 2 × 8 heads × 128 × 2 B × 4096 tokens × 1"
};

struct NodePlan {
  std::vector<PlanItem> items;
  std::uint64_t capacity_bytes = 0;  // the machine's memory
  std::uint64_t total_bytes() const;
  std::uint64_t bytes(PlanItem::Kind kind) const;
  bool fits() const { return total_bytes() <= capacity_bytes; }
};

struct Plan {
  PlanRequest request;
  std::vector<NodePlan> nodes;
  bool fits = false;                       // in the machines' whole memory, and within the model's own context
  bool fits_now = false;                   // the same in what is available now
  std::uint64_t kv_bytes_per_token = 0;    // on one node
  std::int64_t max_context = 0;            // at this concurrency; 0: not even one block fits
  std::int32_t max_concurrency = 0;        // at this context
  double decode_tokens_per_s_limit = 0.0;  // one sequence at full context: bandwidth ÷ bytes read; 0: bandwidth not known
  double decode_tokens_per_s_limit_empty = 0.0;  // at empty context
  std::uint64_t bytes_read_per_token = 0;        // weights, over all nodes
  std::vector<std::string> reasons;              // English sentences with numbers: why it does not fit, what limits it
  std::optional<PlanRequest> nearest_fit;  // the smallest change that fits; absent when the request fits and when nothing does
};

// Errors: kInvalidArgument for requests that make no sense or whose sizes do not fit 64 bits. Not fitting is no error. Any
// thread, well under a millisecond.
Result<Plan> make_plan(const ModelDescription& model, const MachineSpec& machine, const PlanRequest& request);

// The one place that knows what the engine allocates besides weights and cache, used by the plan and by the engine. Both stick
// at 2^64 - 1 when the number does not fit; make_plan() refuses such a size. Any thread.
//
// activation_bytes: an upper bound of the scratch tensors of a step of `max_num_batched_tokens` rows (F32, kernels' workspace
// included) and of the logits of `max_num_seqs` sequences, on one device that holds the whole model.
// kv_bytes_per_token: exact bytes of one token's keys and values in all layers, on the rank of `tp_size` that holds the most KV
// heads. The cache is taken in blocks of kKvBlockTokens tokens.
std::uint64_t activation_bytes(const ModelConfig& config, std::int32_t max_num_batched_tokens, std::int32_t max_num_seqs);
std::uint64_t kv_bytes_per_token(const ModelConfig& config, KvDType dtype, std::int32_t tp_size);
inline constexpr std::int32_t kKvBlockTokens = 32;

}  // namespace tandem::engine
