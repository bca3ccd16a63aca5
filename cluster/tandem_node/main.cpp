// tandem-node: without a window, all that the window does.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <vector>

#include "base/version.h"
#include "cluster/tandem_node/commands.h"

namespace tandem::node {
namespace {

// In the order of the help text.
const std::vector<AddCommand> kCommands{
    add_chat_command,    add_generate_command, add_tokenize_command, add_logits_command,
    add_inspect_command, add_plan_command,     add_serve_command,    add_bench_command,
};

// A full disk shows itself only when the last bytes are written: a script must not take a cut file for an answer.
bool flush_output() {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return true;
  std::cerr << "tandem-node: the output could not be written: " << std::strerror(errno) << std::endl;
  return false;
}

int run(int argc, char** argv) {
  // stdout belongs to the commands' output.
  spdlog::set_default_logger(spdlog::stderr_logger_mt("tandem-node"));

  CLI::App app("Tandem: run large language models on this machine", "tandem-node");
  app.set_version_flag("--version", std::string("tandem-node ") + kVersion);
  app.require_subcommand(1);
  CommandContext context;
  app.parse_complete_callback([&context] { spdlog::set_level(spdlog::level::from_str(context.common.log_level)); });
  for (const AddCommand add : kCommands) add(app, context);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 prints help and version to stdout with status 0, everything else to stderr.
    if (app.exit(error) == 0) return kExitOk;
    if (app.get_subcommands().empty()) std::cerr << app.help();
    return kExitUsage;
  }
  if (context.exit_status == kExitOk && !flush_output()) return kExitFailed;
  return context.exit_status;
}

}  // namespace
}  // namespace tandem::node

int main(int argc, char** argv) {
  return tandem::node::run(argc, argv);
}
