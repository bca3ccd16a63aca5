#include "engine/server/answer.h"

#include <algorithm>

namespace tandem::engine::server {
namespace {

// Log probabilities of impossible tokens are -inf, which JSON cannot hold.
constexpr float kLowestLogprob = -9999.0F;

bool is_valid_utf8(const std::string& bytes) {
  try {
    (void)Json(bytes).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

Json token_json(const TokenLogprob& token) {
  Json bytes = Json::array();
  for (const char c : token.bytes) bytes.push_back(static_cast<int>(static_cast<unsigned char>(c)));
  return {{"token", is_valid_utf8(token.bytes) ? token.bytes : std::string("\xEF\xBF\xBD")},
          {"logprob", std::max(token.logprob, kLowestLogprob)},
          {"bytes", std::move(bytes)}};
}

Json empty_completion_logprobs() {
  return {{"tokens", Json::array()},
          {"token_logprobs", Json::array()},
          {"top_logprobs", Json::array()},
          {"text_offset", Json::array()}};
}

void append_completion_logprobs(Json& target, const PositionLogprobs& position, std::size_t text_offset) {
  const Json chosen = token_json(position.chosen);
  target["tokens"].push_back(chosen["token"]);
  target["token_logprobs"].push_back(chosen["logprob"]);
  Json top = Json::object();
  for (const TokenLogprob& token : position.top) {
    const Json entry = token_json(token);
    top[entry["token"].get<std::string>()] = entry["logprob"];
  }
  target["top_logprobs"].push_back(std::move(top));
  target["text_offset"].push_back(text_offset);
}

}  // namespace

Answer::Answer(const GenerationRequest& request, std::size_t num_choices, std::string id, std::int64_t created,
               std::string model)
    : request_(request),
      id_(std::move(id)),
      created_(created),
      model_(std::move(model)),
      choices_(num_choices),
      stats_(num_choices) {
  request_.prompts.clear();
  for (std::size_t i = 0; i < num_choices; ++i) {
    choices_[i].completion_logprobs = empty_completion_logprobs();
    if (request_.echo) choices_[i].content = request_.prompt_texts[i / static_cast<std::size_t>(request_.n)];
    choices_[i].text_offset = choices_[i].content.size();
  }
}

Json Answer::header(const char* object) const {
  return {{"id", id_}, {"object", object}, {"created", created_}, {"model", model_}};
}

Json Answer::usage() const {
  std::int64_t prompt = 0;
  std::int64_t cached = 0;
  std::int64_t output = 0;
  for (std::size_t i = 0; i < stats_.size(); ++i) {
    // n answers to one prompt count its tokens once, as OpenAI bills them.
    if (i % static_cast<std::size_t>(request_.n) == 0) {
      prompt += stats_[i].num_prompt_tokens;
      cached += stats_[i].num_cached_tokens;
    }
    output += stats_[i].num_output_tokens;
  }
  return {{"prompt_tokens", prompt},
          {"completion_tokens", output},
          {"total_tokens", prompt + output},
          {"prompt_tokens_details", {{"cached_tokens", cached}}}};
}

Json Answer::chunk(std::size_t choice_idx, Json delta_or_text, Json logprobs, const Choice* finished) const {
  Json choice;
  choice["index"] = choice_idx;
  choice[request_.is_chat ? "delta" : "text"] = std::move(delta_or_text);
  choice["logprobs"] = std::move(logprobs);
  choice["finish_reason"] = finished != nullptr ? Json(finished->finish_reason) : Json(nullptr);
  if (finished != nullptr) choice["stop_reason"] = finished->stop_reason;
  Json result = header(request_.is_chat ? "chat.completion.chunk" : "text_completion");
  result["choices"] = Json::array({std::move(choice)});
  if (request_.include_usage) result["usage"] = request_.continuous_usage ? usage() : Json(nullptr);
  return result;
}

void Answer::add_logprobs(Choice& choice, const TokenEvent& event, Json* chunk_logprobs) {
  if (event.logprobs.empty()) return;
  if (request_.is_chat) {
    Json content = Json::array();
    for (const PositionLogprobs& position : event.logprobs) {
      Json entry = token_json(position.chosen);
      Json top = Json::array();
      for (const TokenLogprob& token : position.top) top.push_back(token_json(token));
      entry["top_logprobs"] = std::move(top);
      choice.logprobs.push_back(entry);
      content.push_back(std::move(entry));
    }
    *chunk_logprobs = {{"content", std::move(content)}};
    return;
  }
  Json piece = empty_completion_logprobs();
  for (const PositionLogprobs& position : event.logprobs) {
    append_completion_logprobs(piece, position, choice.text_offset);
    append_completion_logprobs(choice.completion_logprobs, position, choice.text_offset);
    choice.text_offset += position.chosen.bytes.size();
  }
  *chunk_logprobs = std::move(piece);
}

std::vector<Json> Answer::take(std::size_t choice_idx, const TokenEvent& event) {
  Choice& choice = choices_[choice_idx];
  std::vector<Json> chunks;

  if (!choice.role_sent) {
    choice.role_sent = true;
    if (request_.is_chat) {
      chunks.push_back(chunk(choice_idx, {{"role", "assistant"}, {"content", ""}}, nullptr, nullptr));
    } else if (request_.echo) {
      chunks.push_back(chunk(choice_idx, choice.content, nullptr, nullptr));
    }
  }

  if (event.kind == TokenEvent::Kind::kText) {
    Json logprobs = nullptr;
    add_logprobs(choice, event, &logprobs);
    const bool is_reasoning = event.channel == TokenEvent::Channel::kReasoning;
    (is_reasoning ? choice.reasoning : choice.content) += event.text;
    stats_[choice_idx].num_output_tokens += static_cast<std::int64_t>(event.token_ids.size());
    if (is_reasoning && !request_.include_reasoning) return chunks;
    if (event.text.empty() && logprobs.is_null()) return chunks;
    Json payload;
    if (!request_.is_chat) {
      payload = event.text;
    } else if (is_reasoning) {
      // Both names are in use: DeepSeek's API and llama-server say reasoning_content, vLLM says reasoning.
      payload = {{"reasoning_content", event.text}, {"reasoning", event.text}};
    } else {
      payload = {{"content", event.text}};
    }
    chunks.push_back(chunk(choice_idx, std::move(payload), std::move(logprobs), nullptr));
    return chunks;
  }

  if (event.kind == TokenEvent::Kind::kFinished) {
    stats_[choice_idx] = event.stats;
    if (event.finish_reason == FinishReason::kError) {
      error_ = event.error.value_or(Error{ErrorCode::kInternal, "The engine ended the request without a reason."});
      return {};
    }
    if (event.finish_reason == FinishReason::kCancelled) {
      error_ = Error{ErrorCode::kUnavailable, "The request was cancelled: the model is being unloaded. Send it again later."};
      return {};
    }
    choice.finish_reason = finish_reason_name(event.finish_reason);
    choice.stop_reason = event.stop_match.empty() ? Json(nullptr) : Json(event.stop_match);
    if (request_.include_stop_text && !event.stop_match.empty()) {
      choice.content += event.stop_match;
      chunks.push_back(
          chunk(choice_idx, request_.is_chat ? Json{{"content", event.stop_match}} : Json(event.stop_match), nullptr, nullptr));
    }
    chunks.push_back(chunk(choice_idx, request_.is_chat ? Json::object() : Json(""), nullptr, &choice));
  }
  return chunks;
}

std::optional<Json> Answer::usage_chunk() const {
  if (!request_.include_usage) return std::nullopt;
  Json result = header(request_.is_chat ? "chat.completion.chunk" : "text_completion");
  result["choices"] = Json::array();
  result["usage"] = usage();
  return result;
}

Json Answer::whole() const {
  Json choices = Json::array();
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const Choice& state = choices_[i];
    Json choice;
    choice["index"] = i;
    if (request_.is_chat) {
      Json message{{"role", "assistant"}, {"content", state.content}, {"refusal", nullptr}};
      if (!state.reasoning.empty()) {
        if (state.content.empty()) message["content"] = nullptr;
        if (request_.include_reasoning) {
          message["reasoning_content"] = state.reasoning;
          message["reasoning"] = state.reasoning;
        }
      }
      choice["message"] = std::move(message);
      choice["logprobs"] = state.logprobs.empty() ? Json(nullptr) : Json{{"content", state.logprobs}};
    } else {
      choice["text"] = state.content;
      choice["logprobs"] = state.completion_logprobs["tokens"].empty() ? Json(nullptr) : state.completion_logprobs;
    }
    choice["finish_reason"] = state.finish_reason;
    choice["stop_reason"] = state.stop_reason;
    choices.push_back(std::move(choice));
  }
  Json result = header(request_.is_chat ? "chat.completion" : "text_completion");
  result["choices"] = std::move(choices);
  result["usage"] = usage();
  result["system_fingerprint"] = nullptr;
  return result;
}

}  // namespace tandem::engine::server
