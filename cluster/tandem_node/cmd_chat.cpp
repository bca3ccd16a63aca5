// chat: a conversation in the terminal. Reads lines from stdin, also when it is not a terminal.
#include <iostream>
#include <unistd.h>

#include "cluster/tandem_node/answer.h"
#include "cluster/tandem_node/commands.h"
#include "cluster/tandem_node/interrupt.h"
#include "cluster/tandem_node/model_options.h"

namespace tandem::node {
namespace {

using engine::TokenEvent;
using Json = nlohmann::ordered_json;

struct Options {
  ModelOptions model;
  SamplingOptions sampling;
  std::string system;
  bool no_thinking = false;
};

constexpr const char* kHelp =
    "/reset          start a new conversation\n"
    "/system TEXT    set the system prompt and start a new conversation; without TEXT: none\n"
    "/help           this text\n"
    "/exit           leave; Ctrl-D does so too. Ctrl-C stops an answer.\n";

class Conversation {
 public:
  Conversation(engine::Engine& engine, const Options& options)
      : engine_(engine), options_(options), system_(options.system), is_terminal_(isatty(STDOUT_FILENO) != 0) {
    reset();
  }

  // False: the user wants to leave.
  bool handle(const std::string& line) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) return true;
    if (line[0] != '/') {
      answer(line);
      return true;
    }
    const std::string command = line.substr(0, line.find(' '));
    const auto rest = line.find_first_not_of(' ', command.size());
    if (command == "/exit" || command == "/quit") return false;
    if (command == "/reset") {
      reset();
      std::cerr << "New conversation." << std::endl;
    } else if (command == "/system") {
      system_ = rest == std::string::npos ? std::string() : line.substr(rest);
      reset();
      std::cerr << (system_.empty() ? "No system prompt." : "System prompt set.") << " New conversation." << std::endl;
    } else if (command == "/help") {
      std::cerr << kHelp << std::flush;
    } else {
      std::cerr << "Unknown command " << command << ". /help lists the commands." << std::endl;
    }
    return true;
  }

  bool has_failed() const { return has_failed_; }

 private:
  void reset() {
    messages_ = Json::array();
    if (!system_.empty()) messages_.push_back({{"role", "system"}, {"content", system_}});
  }

  void answer(const std::string& line) {
    messages_.push_back({{"role", "user"}, {"content", line}});
    engine::ChatPrompt prompt;
    prompt.messages = messages_;
    if (options_.no_thinking) prompt.template_kwargs["enable_thinking"] = false;
    engine::Request request;
    request.prompt = std::move(prompt);
    request.sampling = sampling_params(options_.sampling);

    channel_ = TokenEvent::Channel::kContent;
    auto answer = run_request(engine_, std::move(request), [this](const TokenEvent& event) { show(event); });
    end_reasoning();
    if (!answer) {
      // The question stays out of the conversation, so that the next one can succeed.
      messages_.erase(messages_.size() - 1);
      has_failed_ = true;
      report_error(answer.error(), /*json=*/false);
      return;
    }
    messages_.push_back({{"role", "assistant"}, {"content", answer->text}});
    std::cout << std::endl;
    show_stats(answer->finished);
  }

  void show(const TokenEvent& event) {
    if (event.kind != TokenEvent::Kind::kText || event.text.empty()) return;
    if (event.channel != channel_) {
      if (event.channel == TokenEvent::Channel::kReasoning) {
        std::cout << (is_terminal_ ? "\033[2m" : "[thinking] ");
      } else {
        end_reasoning();
      }
      channel_ = event.channel;
    }
    std::cout << event.text << std::flush;
  }

  // Back to normal print after reasoning, on a line of its own.
  void end_reasoning() {
    if (channel_ != TokenEvent::Channel::kReasoning) return;
    std::cout << (is_terminal_ ? "\033[0m" : "") << "\n\n" << std::flush;
    channel_ = TokenEvent::Channel::kContent;
  }

  void show_stats(const TokenEvent& finished) const {
    const engine::RequestStats& stats = finished.stats;
    const double decode_s = (stats.total_ms - stats.ttft_ms) / 1000.0;
    char line[160];
    std::snprintf(line, sizeof line, "[%lld tokens, %.1f tok/s, first after %.0f ms%s]",
                  static_cast<long long>(stats.num_output_tokens),
                  decode_s > 0.0 ? static_cast<double>(stats.num_output_tokens - 1) / decode_s : 0.0, stats.ttft_ms,
                  finished.finish_reason == engine::FinishReason::kCancelled ? ", stopped"
                  : finished.context_full                                    ? ", cut: the context is full"
                  : finished.finish_reason == engine::FinishReason::kLength  ? ", cut at --max-tokens"
                                                                             : "");
    std::cerr << line << std::endl;
  }

  engine::Engine& engine_;
  const Options& options_;
  std::string system_;
  bool is_terminal_;
  bool has_failed_ = false;
  Json messages_;
  TokenEvent::Channel channel_ = TokenEvent::Channel::kContent;
};

int run_chat(const Options& options, const CommonOptions& common) {
  auto engine = load_engine(common, options.model);
  if (!engine) return report_error(engine.error(), /*json=*/false);
  if (const auto valid = engine::check_sampling_params(sampling_params(options.sampling)); !valid) {
    return report_error(valid.error(), /*json=*/false);
  }
  const engine::ModelInfo& info = (*engine)->info();
  if (!info.has_chat_template) {
    return report_error({ErrorCode::kUnsupported, info.name + " has no chat template: use generate --raw"}, /*json=*/false);
  }
  const bool is_interactive = isatty(STDIN_FILENO) != 0;
  if (is_interactive) {
    std::cerr << info.name << ", " << info.architecture << ", " << info.context_tokens << " tokens of context. /help lists the "
              << "commands." << std::endl;
  }
  Conversation conversation(**engine, options);
  for (;;) {
    if (is_interactive) std::cerr << "> " << std::flush;
    std::string line;
    // Ends at Ctrl-D, and at Ctrl-C while waiting for a line.
    if (!std::getline(std::cin, line)) break;
    if (!conversation.handle(line)) break;
  }
  if (is_interactive) std::cerr << std::endl;
  // A script that fed lines wants to know whether one of them went unanswered.
  return !is_interactive && conversation.has_failed() ? kExitFailed : kExitOk;
}

}  // namespace

void add_chat_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, context, "chat", "Talk with a model in the terminal");
  add_model_options(*command, options->model);
  command->add_option("--system", options->system, "System prompt");
  add_sampling_options(*command, options->sampling);
  command->add_flag("--no-thinking", options->no_thinking, "Ask models that can think not to");
  command->callback([options, &context] { context.exit_status = run_chat(*options, context.common); });
}

}  // namespace tandem::node
