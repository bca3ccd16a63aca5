#include "engine/local_engine.h"

#include <algorithm>

#include "engine/chat/chat_template.h"
#include "engine/sampling/grammar/json_schema.h"
#include "engine/sampling/random.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine {
namespace {

constexpr std::size_t kMaxQueuedRequests = 1024;

double ms_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

std::string_view finish_reason_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop: return "stop";
    case FinishReason::kLength: return "length";
    case FinishReason::kCancelled: return "cancelled";
    case FinishReason::kError: return "error";
  }
  return "error";
}

LocalEngine::LocalEngine(LoadedModel model)
    : model_(std::move(model)),
      sampled_vocab_size_(
          static_cast<std::int32_t>(std::min<std::int64_t>(model_.tokenizer->vocab_size(), model_.info.config.vocab_size))),
      scheduler_(model_.limits),
      pacer_(model_.limits.max_num_batched_tokens) {
  counters_.kv_blocks_total = model_.limits.num_blocks;
  publish_stats();
}

LocalEngine::~LocalEngine() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// --- Calls from any thread.

Result<RequestId> LocalEngine::submit(Request request, TokenSink sink) {
  TANDEM_TRY(check_sampling_params(request.sampling));
  EncodedPrompt prompt = TANDEM_TRY(encode_prompt(request, model_.templates, *model_.tokenizer, model_.info.config.vocab_size));
  const auto num_prompt = static_cast<std::int64_t>(prompt.ids.size());
  const std::int64_t room = model_.info.context_tokens - num_prompt;
  if (room < 1) {
    std::string detail = "The prompt has " + std::to_string(num_prompt) + " tokens, but the context holds " +
                         std::to_string(model_.info.context_tokens) + ", prompt and answer together. Shorten the conversation";
    if (model_.info.context_tokens < model_.info.config.max_context) {
      detail += ", or load the model with a larger context (it was made for up to " +
                std::to_string(model_.info.config.max_context) + ")";
    }
    return Error{ErrorCode::kContextExhausted, detail + "."};
  }

  auto active = std::make_unique<ActiveRequest>();
  active->accepted = Clock::now();
  active->stats.num_prompt_tokens = num_prompt;
  active->stats.seed = request.sampling.seed ? *request.sampling.seed : draw_seed();
  const std::int64_t wanted = request.sampling.max_tokens ? *request.sampling.max_tokens : room;
  active->max_output_tokens = std::min(wanted, room);
  active->context_is_limit = !request.sampling.max_tokens || wanted > room;
  active->sampler = std::make_unique<Sampler>(request.sampling, active->stats.seed, sampled_vocab_size_, std::span(prompt.ids));
  if (!request.json_schema.is_null()) {
    active->constraint = std::make_unique<Constraint>(TANDEM_TRY(json_schema_grammar(request.json_schema)), token_trie());
  }
  const bool split = request.split_reasoning && std::holds_alternative<ChatPrompt>(request.prompt);
  active->output = std::make_unique<OutputStream>(*model_.tokenizer, request.sampling, split, prompt.opens_reasoning);
  active->sampling = std::move(request.sampling);
  active->prompt = std::move(prompt.ids);
  active->sink = std::move(sink);

  RequestId id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (lost_device_) return *lost_device_;
    if (arrivals_.size() + static_cast<std::size_t>(stats_.num_queued) >= kMaxQueuedRequests) {
      return Error{ErrorCode::kUnavailable, std::to_string(kMaxQueuedRequests) + " requests are waiting already: try later"};
    }
    id = next_id_++;
    active->id = id;
    arrivals_.push_back(std::move(active));
  }
  wake_.notify_one();
  return id;
}

void LocalEngine::cancel(RequestId id) {
  {
    const std::lock_guard lock(mutex_);
    cancels_.push_back(id);
  }
  wake_.notify_one();
}

EngineStats LocalEngine::stats() const {
  const std::lock_guard lock(mutex_);
  EngineStats stats = stats_;
  stats.num_queued += static_cast<std::int32_t>(arrivals_.size());
  return stats;
}

Result<std::int64_t> LocalEngine::count_tokens(const Request& request) const {
  const EncodedPrompt prompt =
      TANDEM_TRY(encode_prompt(request, model_.templates, *model_.tokenizer, model_.info.config.vocab_size));
  return static_cast<std::int64_t>(prompt.ids.size());
}

Result<std::vector<float>> LocalEngine::logits(const std::vector<std::int32_t>& ids, std::int32_t chunk) {
  if (chunk < 0) return Error{ErrorCode::kInvalidArgument, "chunk is " + std::to_string(chunk) + "; it must be 0 or more"};
  Request request;
  request.prompt = TokenPrompt{ids};
  TANDEM_TRY(count_tokens(request));  // checks the ids
  const auto num_tokens = static_cast<std::int64_t>(ids.size());
  if (num_tokens > model_.info.context_tokens) {
    return Error{ErrorCode::kContextExhausted, "There are " + std::to_string(num_tokens) + " ids, but the context holds " +
                                                   std::to_string(model_.info.context_tokens)};
  }
  auto job = std::make_unique<LogitsJob>();
  job->ids = ids;
  job->chunk = chunk;
  auto result = job->result.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (lost_device_) return *lost_device_;
    logits_jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return result.get();
}

// --- Engine thread.

Result<void> LocalEngine::warm_up() {
  const std::int32_t most = std::min({PrefillPacer::kFirstTokens, model_.limits.max_num_batched_tokens,
                                      static_cast<std::int32_t>(model_.info.context_tokens)});
  std::vector<std::int32_t> blocks;
  for (std::int32_t block = 0; block * model_.limits.block_tokens < most; ++block) blocks.push_back(block);
  const std::vector<std::int32_t> ids(static_cast<std::size_t>(most), 0);
  // The first run touches the weights for the first time; only the later ones are measured.
  for (const std::int32_t count : {1, 1, most}) {
    plan_.clear();
    plan_.add(0, std::span(ids).first(static_cast<std::size_t>(count)), 0, blocks, /*wants_logits=*/true);
    const auto start = Clock::now();
    TANDEM_TRY(model_.runner->run(plan_));
    pacer_.record(count > 1 ? count : 0, 1, ms_between(start, Clock::now()));
  }
  plan_.clear();
  thread_ = std::thread([this] { run(); });
  return {};
}

void LocalEngine::run() {
  while (take_commands()) step();
  while (!requests_.empty()) finish(requests_.begin()->first, FinishReason::kCancelled);
  const std::lock_guard lock(mutex_);
  for (auto& job : logits_jobs_) job->result.set_value(Error{ErrorCode::kCancelled, "the engine was closed"});
  logits_jobs_.clear();
}

bool LocalEngine::take_commands() {
  std::vector<std::unique_ptr<ActiveRequest>> arrivals;
  std::vector<RequestId> cancels;
  std::unique_ptr<LogitsJob> job;
  bool stop = false;
  {
    std::unique_lock lock(mutex_);
    if (scheduler_.is_idle()) {
      wake_.wait(lock, [this] { return stop_ || !arrivals_.empty() || !cancels_.empty() || !logits_jobs_.empty(); });
    }
    arrivals.swap(arrivals_);
    cancels.swap(cancels_);
    stop = stop_;
    if (scheduler_.is_idle() && arrivals.empty() && !logits_jobs_.empty() && !stop) {
      job = std::move(logits_jobs_.front());
      logits_jobs_.erase(logits_jobs_.begin());
    }
    stats_.num_queued = scheduler_.num_waiting() + static_cast<std::int32_t>(arrivals.size());
  }
  for (auto& request : arrivals) {
    auto sequence = std::make_unique<Sequence>(request->id, std::move(request->prompt), model_.limits.block_tokens);
    const RequestId id = request->id;
    requests_.emplace(id, std::move(request));
    scheduler_.add(std::move(sequence));
  }
  for (const RequestId id : cancels) finish(id, FinishReason::kCancelled);
  if (job != nullptr) job->result.set_value(run_logits(*job));
  return !stop;
}

void LocalEngine::step() {
  scheduler_.schedule(plan_, pacer_.max_prefill_tokens());
  publish_stats();  // before the step, which may be long: what it admitted is running, not queued
  if (plan_.is_empty()) return;
  const auto start = Clock::now();
  std::int32_t num_prompt_rows = 0;
  for (const StepPlan::Sequence& planned : plan_.sequences) {
    ActiveRequest& request = *requests_.at(planned.sequence_id);
    if (planned.num_rows > 1 || planned.first_position == 0) num_prompt_rows += planned.num_rows;
    if (!request.was_scheduled) {
      request.was_scheduled = true;
      request.stats.queue_ms = ms_between(request.accepted, start);
      request.stats.num_cached_tokens = scheduler_.find(request.id)->num_reused;
    }
  }
  tell_queue_places();

  auto logits = model_.runner->run(plan_);
  if (!logits) {
    fail_everything(logits.error());
    return;
  }
  pacer_.record(num_prompt_rows, plan_.num_rows() - num_prompt_rows, ms_between(start, Clock::now()));
  scheduler_.mark_computed(plan_);
  ++counters_.num_steps;
  counters_.prompt_tokens += num_prompt_rows;

  const auto vocab_size = static_cast<std::size_t>(model_.info.config.vocab_size);
  for (const StepPlan::Sequence& planned : plan_.sequences) {
    ActiveRequest& request = *requests_.at(planned.sequence_id);
    tell_prefill(request, planned);
    if (planned.logit_idx >= 0) {
      advance(request, logits->subspan(static_cast<std::size_t>(planned.logit_idx) * vocab_size, vocab_size));
    }
  }
  publish_stats();
}

void LocalEngine::tell_queue_places() {
  std::int32_t place = 0;
  for (const RequestId id : scheduler_.waiting_ids()) {
    ActiveRequest& request = *requests_.at(id);
    if (request.queue_place != place) {
      request.queue_place = place;
      TokenEvent event;
      event.kind = TokenEvent::Kind::kQueued;
      event.queue_place = place;
      std::vector<TokenEvent> events;
      events.push_back(std::move(event));
      deliver(request, std::move(events));
    }
    ++place;
  }
}

void LocalEngine::tell_prefill(ActiveRequest& request, const StepPlan::Sequence& planned) {
  const std::int64_t total = request.stats.num_prompt_tokens;
  if (planned.first_position >= total) return;
  TokenEvent event;
  event.kind = TokenEvent::Kind::kPrefill;
  event.prefill_done = std::min<std::int64_t>(planned.first_position + planned.num_rows, total);
  event.prefill_total = total;
  std::vector<TokenEvent> events;
  events.push_back(std::move(event));
  deliver(request, std::move(events));
}

bool LocalEngine::ends_generation(const ActiveRequest& request, std::int32_t token_id) const {
  const auto& stops = request.sampling.stop_token_ids;
  if (std::find(stops.begin(), stops.end(), token_id) != stops.end()) return true;
  const auto& ends = model_.tokenizer->end_of_generation_ids();
  return (!request.sampling.ignore_eos || request.constraint != nullptr) &&
         std::binary_search(ends.begin(), ends.end(), token_id);
}

TokenMask LocalEngine::allowed_tokens(Constraint& constraint) const {
  TokenMask allowed = constraint.allowed();
  if (constraint.is_complete()) {
    for (const std::int32_t id : model_.tokenizer->end_of_generation_ids()) {
      if (id < sampled_vocab_size_) allowed.set(id);
    }
  }
  return allowed;
}

std::shared_ptr<const TokenTrie> LocalEngine::token_trie() {
  std::call_once(token_trie_built_, [this] { token_trie_ = std::make_shared<TokenTrie>(*model_.tokenizer); });
  return token_trie_;
}

void LocalEngine::advance(ActiveRequest& request, std::span<float> logits) {
  // Thoughts are free; the answer behind them is not.
  const bool is_constrained = request.constraint != nullptr && !request.output->is_reasoning();
  std::optional<TokenMask> allowed;
  if (is_constrained) {
    allowed = allowed_tokens(*request.constraint);
    if (!allowed->any()) {  // complete, and the vocabulary has no token to say so
      finish(request.id, FinishReason::kStop);
      return;
    }
  }
  auto sample = request.sampler->sample(logits, allowed ? &*allowed : nullptr);
  if (!sample) {
    finish(request.id, FinishReason::kError, sample.error());
    return;
  }
  ++request.stats.num_output_tokens;
  ++counters_.generated_tokens;
  scheduler_.append_token(request.id, sample->token_id);

  const bool is_end = ends_generation(request, sample->token_id);
  if (is_constrained && !is_end) request.constraint->advance(model_.tokenizer->token_bytes(sample->token_id));
  deliver(request, request.output->push(*sample, /*is_visible=*/!is_end));
  if (is_end || request.output->has_matched()) {
    finish(request.id, FinishReason::kStop);
  } else if (request.stats.num_output_tokens >= request.max_output_tokens) {
    finish(request.id, FinishReason::kLength, {}, request.context_is_limit);
  }
}

void LocalEngine::deliver(ActiveRequest& request, std::vector<TokenEvent> events) {
  for (TokenEvent& event : events) {
    event.request_id = request.id;
    if (!request.has_text && event.kind == TokenEvent::Kind::kText && !event.text.empty()) {
      request.has_text = true;
      request.stats.ttft_ms = ms_between(request.accepted, Clock::now());
    }
    request.sink(event);
  }
}

void LocalEngine::finish(RequestId id, FinishReason reason, std::optional<Error> error, bool context_full) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  scheduler_.remove(id);
  ActiveRequest& request = *found->second;
  deliver(request, request.output->finish());
  TokenEvent event;
  event.kind = TokenEvent::Kind::kFinished;
  event.finish_reason = reason;
  event.stop_match = request.output->match();
  event.context_full = context_full;
  event.error = std::move(error);
  request.stats.total_ms = ms_between(request.accepted, Clock::now());
  if (!request.has_text) request.stats.ttft_ms = request.stats.total_ms;
  event.stats = request.stats;
  // Before the last event, so that a client that waits for it sees a free place.
  publish_stats();
  std::vector<TokenEvent> events;
  events.push_back(std::move(event));
  deliver(request, std::move(events));
  requests_.erase(id);
}

void LocalEngine::fail_everything(const Error& error) {
  const Error lost{ErrorCode::kDevice, "The compute device failed (" + error.detail + "). Load the model again."};
  {
    const std::lock_guard lock(mutex_);
    lost_device_ = lost;
    for (auto& job : logits_jobs_) job->result.set_value(lost);
    logits_jobs_.clear();
  }
  while (!requests_.empty()) finish(requests_.begin()->first, FinishReason::kError, lost);
}

void LocalEngine::publish_stats() {
  counters_.num_running = scheduler_.num_running();
  counters_.num_queued = scheduler_.num_waiting();
  counters_.kv_blocks_used = scheduler_.pool().num_used();
  counters_.num_preemptions = scheduler_.num_preemptions();
  counters_.prefix_cache_queries = scheduler_.num_prefix_queries();
  counters_.prefix_cache_hits = scheduler_.num_prefix_hits();
  const std::lock_guard lock(mutex_);
  stats_ = counters_;
}

Result<std::vector<float>> LocalEngine::run_logits(const LogitsJob& job) {
  // Nothing else is running, so every block is free; what they remember is written over.
  scheduler_.forget_prefixes();
  const auto num_tokens = static_cast<std::int32_t>(job.ids.size());
  const std::int32_t block_tokens = model_.limits.block_tokens;
  std::vector<std::int32_t> blocks;
  for (std::int32_t block = 0; block * block_tokens < num_tokens; ++block) blocks.push_back(block);
  const std::int32_t most = model_.limits.max_num_batched_tokens;
  const std::int32_t chunk = job.chunk == 0 ? most : std::min(job.chunk, most);

  std::vector<float> all;
  all.reserve(job.ids.size() * static_cast<std::size_t>(model_.info.config.vocab_size));
  for (std::int32_t first = 0; first < num_tokens; first += chunk) {
    const std::int32_t count = std::min(chunk, num_tokens - first);
    plan_.clear();
    plan_.add(0, std::span(job.ids).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)), first, blocks,
              /*wants_logits=*/false);
    TANDEM_TRY(model_.runner->run(plan_));
    for (std::int32_t row = 0; row < count; row += model_.limits.max_num_seqs) {
      std::vector<std::int32_t> rows;
      for (std::int32_t i = row; i < std::min(count, row + model_.limits.max_num_seqs); ++i) rows.push_back(i);
      const std::span<float> values = TANDEM_TRY(model_.runner->logits(rows));
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}

}  // namespace tandem::engine
