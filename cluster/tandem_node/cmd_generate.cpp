// generate: one answer to one prompt.
#include <iostream>
#include <unistd.h>

#include "cluster/tandem_node/answer.h"
#include "cluster/tandem_node/commands.h"
#include "cluster/tandem_node/model_options.h"

namespace tandem::node {
namespace {

using engine::TokenEvent;

struct Options {
  ModelOptions model;
  SamplingOptions sampling;
  std::string prompt;
  std::string system;
  bool raw = false;
  bool ignore_eos = false;
  bool no_thinking = false;
  bool json = false;
};

engine::Request make_request(const Options& options) {
  engine::Request request;
  request.sampling = sampling_params(options.sampling);
  request.sampling.ignore_eos = options.ignore_eos;
  if (options.raw) {
    request.prompt = engine::TextPrompt{options.prompt};
    return request;
  }
  engine::ChatPrompt chat;
  if (!options.system.empty()) chat.messages.push_back({{"role", "system"}, {"content", options.system}});
  chat.messages.push_back({{"role", "user"}, {"content", options.prompt}});
  if (options.no_thinking) chat.template_kwargs["enable_thinking"] = false;
  request.prompt = std::move(chat);
  return request;
}

nlohmann::ordered_json describe(const Answer& answer, const engine::ModelInfo& info) {
  const engine::RequestStats& stats = answer.finished.stats;
  const double decode_s = (stats.total_ms - stats.ttft_ms) / 1000.0;
  nlohmann::ordered_json document;
  document["text"] = answer.text;
  if (!answer.reasoning.empty()) document["reasoning"] = answer.reasoning;
  document["finish_reason"] = engine::finish_reason_name(answer.finished.finish_reason);
  if (!answer.finished.stop_match.empty()) document["stop_match"] = answer.finished.stop_match;
  if (answer.finished.context_full) document["context_full"] = true;
  document["usage"] = {{"prompt_tokens", stats.num_prompt_tokens},
                       {"completion_tokens", stats.num_output_tokens},
                       {"total_tokens", stats.num_prompt_tokens + stats.num_output_tokens}};
  document["timings"] = {{"ttft_ms", stats.ttft_ms},
                         {"tpot_ms", stats.tpot_ms()},
                         {"total_ms", stats.total_ms},
                         {"tokens_per_s", decode_s > 0.0 ? static_cast<double>(stats.num_output_tokens - 1) / decode_s : 0.0}};
  document["seed"] = stats.seed;
  document["model"] = info.name;
  document["context_tokens"] = info.context_tokens;
  document["token_ids"] = answer.token_ids;
  return document;
}

// Reasoning goes to stderr, so that stdout is the answer and nothing else.
void print_event(const TokenEvent& event) {
  if (event.kind != TokenEvent::Kind::kText || event.text.empty()) return;
  (event.channel == TokenEvent::Channel::kReasoning ? std::cerr : std::cout) << event.text << std::flush;
}

int run_generate(const Options& options, const CommonOptions& common) {
  auto engine = load_engine(common, options.model);
  if (!engine) return report_error(engine.error(), options.json);
  const auto on_event = [&options](const TokenEvent& event) {
    if (!options.json) print_event(event);
  };
  auto answer = run_request(**engine, make_request(options), on_event);
  if (!answer) return report_error(answer.error(), options.json);
  if (options.json) {
    std::cout << json_text(describe(*answer, (*engine)->info())) << std::endl;
  } else {
    std::cout << std::endl;
  }
  if (answer->finished.context_full) {
    std::cerr << "tandem-node: the answer was cut: the context of " << (*engine)->info().context_tokens
              << " tokens is full (see --context)" << std::endl;
  }
  return answer->finished.finish_reason == engine::FinishReason::kCancelled ? kExitFailed : kExitOk;
}

}  // namespace

void add_generate_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, context, "generate", "Answer one prompt");
  add_model_options(*command, options->model);
  command->add_option("--prompt", options->prompt, "What to answer")->required();
  command->add_option("--system", options->system, "System prompt");
  add_sampling_options(*command, options->sampling);
  command->add_flag("--raw", options->raw, "Continue the prompt's text instead of answering it in a chat");
  command->add_flag("--no-thinking", options->no_thinking, "Ask models that can think not to");
  command->add_flag("--ignore-eos", options->ignore_eos, "Go on after the model's end-of-text token");
  command->add_flag("--json", options->json, "Print one JSON document instead of the text");
  command->callback([options, &context] { context.exit_status = run_generate(*options, context.common); });
}

}  // namespace tandem::node
