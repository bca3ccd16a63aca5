// Answer: builds the OpenAI-shaped JSON of one HTTP request from its token events, whole or as stream chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/server/generation_request.h"

namespace tandem::engine::server {

class Answer {
 public:
  // `id` as in "chatcmpl-…", `created` in Unix seconds, `model` the served name.
  Answer(const GenerationRequest& request, std::size_t num_choices, std::string id, std::int64_t created, std::string model);

  // Takes an event in. Streaming: the chunks it gives rise to, perhaps none. An error event ends the answer: see error().
  std::vector<Json> take(std::size_t choice_idx, const TokenEvent& event);
  // Streaming, after the last event: the usage chunk when it was asked for.
  std::optional<Json> usage_chunk() const;
  // Not streaming: the response object.
  Json whole() const;

  const std::optional<Error>& error() const { return error_; }
  const std::vector<RequestStats>& stats() const { return stats_; }

 private:
  struct Choice {
    std::string content, reasoning;
    Json logprobs = Json::array();
    std::string finish_reason;
    Json stop_reason;
    bool role_sent = false;
    std::size_t text_offset = 0;
    Json completion_logprobs;
  };

  Json header(const char* object) const;
  Json usage() const;
  Json chunk(std::size_t choice_idx, Json delta_or_text, Json logprobs, const Choice* finished) const;
  void add_logprobs(Choice& choice, const TokenEvent& event, Json* chunk_logprobs);

  GenerationRequest request_;  // without prompts
  std::string id_;
  std::int64_t created_;
  std::string model_;
  std::vector<Choice> choices_;
  std::vector<RequestStats> stats_;
  std::optional<Error> error_;
};

}  // namespace tandem::engine::server
