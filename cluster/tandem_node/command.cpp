#include "cluster/tandem_node/command.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tandem::node {

CLI::App* add_command(CLI::App& app, CommandContext& context, const std::string& name, const std::string& description) {
  CLI::App* command = app.add_subcommand(name, description);
  CommonOptions& common = context.common;
  const std::string group = "Common options";
  command->add_option("--device", common.device, "Where to compute: cpu")->capture_default_str()->group(group);
  command->add_option("--threads", common.num_threads, "CPU threads; 0: one per physical core")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str()
      ->group(group);
  command->add_option("--tp-size", common.tp_size, "Machines that share the model")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->group(group);
  command->add_option("--log-level", common.log_level, "What is logged to stderr")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}))
      ->capture_default_str()
      ->group(group);
  return command;
}

CLI::Validator number_from(double min, double max) {
  const auto check = [min, max](const std::string& text) -> std::string {
    double value = 0.0;
    if (CLI::detail::lexical_cast(text, value) && value >= min && value <= max) return {};
    std::ostringstream complaint;
    complaint << "\"" << text << "\" is not a number ";
    if (max < kNoLimit) {
      complaint << "from " << min << " to " << max;
    } else {
      complaint << "of at least " << min;
    }
    return complaint.str();
  };
  return CLI::Validator(check, "");
}

Result<void> check_common_options(const CommonOptions& common) {
  if (common.device.rfind("cuda", 0) == 0) {
    return Error{ErrorCode::kUnsupported,
                 "--device " + common.device + ": this version computes on the CPU only. Use --device cpu."};
  }
  if (common.device != "cpu") {
    return Error{ErrorCode::kInvalidArgument, "--device " + common.device + ": unknown device. Use --device cpu."};
  }
  if (common.tp_size != 1) {
    return Error{ErrorCode::kUnsupported, "--tp-size " + std::to_string(common.tp_size) +
                                              ": this version runs a model on one machine. Use --tp-size 1."};
  }
  return {};
}

int report_error(const Error& error, bool json) {
  std::cerr << "tandem-node: " << error.detail << std::endl;
  if (json) {
    const nlohmann::ordered_json document{{"error", {{"code", error_code_name(error.code)}, {"message", error.detail}}}};
    // Text from files may hold broken UTF-8: replace it rather than throw.
    std::cout << document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
  }
  return kExitFailed;
}

}  // namespace tandem::node
