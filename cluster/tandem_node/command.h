// What every command of tandem-node shares. A command is one file, cmd_<name>.cpp, and a line each in commands.h and main.cpp.
//
//   void add_inspect_command(CLI::App& app, CommandContext& context) {
//     struct Options { std::string model; bool json = false; };
//     auto options = std::make_shared<Options>();
//     CLI::App* command = add_command(app, context, "inspect", "Show what a model file holds");
//     command->add_option("MODEL", options->model, "…")->required();
//     command->callback([options, &context] { context.exit_status = run_inspect(*options, context.common); });
//   }
//
// The callback must keep its options alive (shared_ptr), since it runs after this function has returned.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace tandem::node {

// Exit statuses, part of the contract with scripts.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

// Options that every command takes.
struct CommonOptions {
  std::string device = "cpu";
  std::int32_t num_threads = 0;  // 0: one per physical core
  std::int32_t tp_size = 1;
  std::string log_level = "warn";
};

struct CommandContext {
  CommonOptions common;
  int exit_status = kExitOk;  // set by the command that ran
};

// A subcommand with the common options in a group of their own.
CLI::App* add_command(CLI::App& app, CommandContext& context, const std::string& name, const std::string& description);

// Accepts numbers from `min` to `max`, and neither NaN nor infinity. What it says names only a limit that means something:
// `max` is left out of the text where it is beyond 2^53 - 1, "no limit".
inline constexpr double kNoLimit = 9007199254740991.0;
CLI::Validator number_from(double min, double max = kNoLimit);

// Refuses devices and world sizes this version cannot serve, with what to use instead.
Result<void> check_common_options(const CommonOptions& common);

// Tells the user: one line on stderr and, when `json`, {"error": {"code", "message"}} on stdout. Returns kExitFailed.
int report_error(const Error& error, bool json);

using AddCommand = void (*)(CLI::App& app, CommandContext& context);

}  // namespace tandem::node
