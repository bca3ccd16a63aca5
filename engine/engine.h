// The engine's public face: load a model, submit requests, receive tokens. No tensors here.
//
//   auto engine = Engine::load(path, options, progress);
//   auto id = (*engine)->submit(request, [](const TokenEvent& event) { … });
//
// Thread-safe. One engine thread owns the device; sinks are called on it and must return quickly (hand the event on).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "engine/cache/kv_dtype.h"
#include "engine/models/model_config.h"
#include "engine/sampling/sampling_params.h"

namespace tandem::engine {

class Tokenizer;
class ChatTemplate;

struct LoadOptions {
  std::string device = "cpu";
  std::int32_t num_threads = 0;  // 0: one per physical core
  // Per sequence. Absent: the largest that fits into the default KV budget (half of the memory left beside the weights, at most
  // 4 GiB), at most the model's own. The KV cache is reserved for max_num_seqs sequences of this length as far as memory
  // allows, and always for one of them.
  std::optional<std::int64_t> context_tokens;
  std::int32_t max_num_seqs = 4;              // sequences that run at once
  std::int32_t max_num_batched_tokens = 512;  // token budget of one step
  KvDType kv_dtype = KvDType::kF16;
  std::uint64_t memory_limit_bytes = 0;                         // 0: what is available now, less the reserve
  std::uint64_t memory_reserve_bytes = std::uint64_t{1} << 30;  // MemAvailable never goes below this by our doing
};

struct LoadProgress {
  enum class Phase : std::uint8_t { kReadingHeader, kPlanning, kLoadingWeights, kWarmingUp, kReady };
  Phase phase = Phase::kReadingHeader;
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_total = 0;
  double elapsed_s = 0.0;
};
// Called on the loading thread, at most some 20 times a second; returning false cancels the load.
using LoadProgressSink = std::function<bool(const LoadProgress&)>;

using RequestId = std::uint64_t;

struct ChatPrompt {
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();  // OpenAI form: [{"role": …, "content": …}, …]
  nlohmann::ordered_json tools;                                       // null: none
  nlohmann::ordered_json template_kwargs = nlohmann::ordered_json::object();  // enable_thinking, …
  // Continue the last message, which must be the assistant's, instead of opening a new turn.
  bool continue_final_message = false;
};
struct TextPrompt {
  std::string text;
  bool add_special_tokens = true;  // BOS, where the tokenizer says so
};
struct TokenPrompt {
  std::vector<std::int32_t> ids;
};

struct Request {
  std::variant<ChatPrompt, TextPrompt, TokenPrompt> prompt;
  SamplingParams sampling;
  // Null: free text. Otherwise a JSON Schema that the answer, after any reasoning, validates against ({"type": "object"} for
  // any JSON object), unless it is cut by max_tokens or a stop string. A keyword that cannot be kept to exactly refuses the
  // request by name: see engine/sampling/grammar/json_schema.h.
  nlohmann::ordered_json json_schema;
  bool split_reasoning = true;  // chat prompts: deliver <think> text on its own channel
};

enum class FinishReason : std::uint8_t { kStop, kLength, kCancelled, kError };
std::string_view finish_reason_name(FinishReason reason);  // "stop", "length", "cancelled", "error"

struct TokenLogprob {
  std::int32_t token_id = 0;
  std::string bytes;  // may be part of a code point
  float logprob = 0.0F;
};
struct PositionLogprobs {
  TokenLogprob chosen;
  std::vector<TokenLogprob> top;  // best first
};

struct RequestStats {
  std::int64_t num_prompt_tokens = 0;
  std::int64_t num_cached_tokens = 0;  // of the prompt, found in the prefix cache
  std::int64_t num_output_tokens = 0;
  double queue_ms = 0.0;  // accepted → first scheduled
  double ttft_ms = 0.0;   // accepted → first non-empty token delivered
  double total_ms = 0.0;
  std::uint64_t seed = 0;  // the one used
  // (end-to-end − TTFT) / (output tokens − 1); 0 below two tokens.
  double tpot_ms() const { return num_output_tokens > 1 ? (total_ms - ttft_ms) / double(num_output_tokens - 1) : 0.0; }
};

// What a request's sink receives, in order: any number of kQueued, kPrefill and kText, then one kFinished.
struct TokenEvent {
  enum class Kind : std::uint8_t { kQueued, kPrefill, kText, kFinished };
  enum class Channel : std::uint8_t { kContent, kReasoning };

  RequestId request_id = 0;
  Kind kind = Kind::kText;

  std::int32_t queue_place = 0;   // kQueued: requests ahead of this one
  std::int64_t prefill_done = 0;  // kPrefill: prompt tokens computed
  std::int64_t prefill_total = 0;
  Channel channel = Channel::kContent;     // kText
  std::string text;                        // kText: whole code points, never empty unless only ids are new
  std::vector<std::int32_t> token_ids;     // kText: generated since the last event
  std::vector<PositionLogprobs> logprobs;  // kText: one per id when asked for

  FinishReason finish_reason = FinishReason::kStop;  // kFinished
  std::string stop_match;                            // kFinished: the stop string that matched, if one did
  bool context_full = false;                         // kFinished with kLength: the context ended before max_tokens did
  std::optional<Error> error;                        // kFinished with kError
  RequestStats stats;                                // kFinished
};
using TokenSink = std::function<void(const TokenEvent&)>;

struct EngineStats {
  std::int32_t num_running = 0;
  std::int32_t num_queued = 0;
  std::int64_t kv_blocks_used = 0;
  std::int64_t kv_blocks_total = 0;
  std::int64_t prompt_tokens = 0;  // computed since the load
  std::int64_t generated_tokens = 0;
  std::int64_t num_steps = 0;
  std::int64_t num_preemptions = 0;
  std::int64_t prefix_cache_queries = 0;  // prompt tokens looked up in the prefix cache
  std::int64_t prefix_cache_hits = 0;     // of them, found: not computed again
};

struct ModelInfo {
  std::string name;          // for people
  std::string architecture;  // display name
  ModelConfig config;
  std::uint64_t num_parameters = 0;
  std::uint64_t weight_bytes = 0;     // held on the device
  std::uint64_t bytes_per_token = 0;  // weights read for one decoded token
  std::uint64_t kv_bytes_per_token = 0;
  std::uint64_t kv_cache_bytes = 0;  // reserved
  std::int64_t context_tokens = 0;   // limit of one sequence
  std::int32_t max_num_seqs = 0;
  std::string device;  // "AMD EPYC, 2 threads, AVX2"
  double load_s = 0.0;
  bool has_chat_template = false;
  bool supports_thinking = false;     // the template knows enable_thinking
  std::vector<std::string> warnings;  // things the user should know about this file
};

class Engine {
 public:
  // Opens, plans, loads and warms up; blocks until ready. The plan's memory numbers are enforced: a model that does not fit
  // is refused before anything is allocated, with needed and available bytes and the nearest setting that fits.
  static Result<std::unique_ptr<Engine>> load(const std::filesystem::path& model, const LoadOptions& options,
                                              const LoadProgressSink& progress);
  // Ends running requests with kCancelled, then frees everything.
  virtual ~Engine() = default;

  virtual const ModelInfo& info() const = 0;
  virtual const Tokenizer& tokenizer() const = 0;
  virtual const ChatTemplate* chat_template() const = 0;  // null when the model has none

  // Queues a request. Refused at once, with numbers: a prompt that does not fit the context (kContextExhausted), sampling
  // values out of range, a template that fails. Tokenises on the caller's thread.
  virtual Result<RequestId> submit(Request request, TokenSink sink) = 0;
  // Ends the request with kCancelled within one step; unknown or finished ids are ignored.
  virtual void cancel(RequestId id) = 0;
  virtual EngineStats stats() const = 0;
  // Tokens the prompt would take, without running it: for context meters.
  virtual Result<std::int64_t> count_tokens(const Request& request) const = 0;

  // Float32 logits [ids.size(), vocab_size] of one sequence, computed in pieces of at most `chunk` tokens (0, or more than
  // max_num_batched_tokens: pieces of that many). For comparisons with references; waits until no request runs.
  virtual Result<std::vector<float>> logits(const std::vector<std::int32_t>& ids, std::int32_t chunk) = 0;
};

}  // namespace tandem::engine
