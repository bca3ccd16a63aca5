// inspect: what a model file holds, and what is wrong with it.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cluster/tandem_node/command.h"
#include "cluster/tandem_node/commands.h"
#include "engine/model_catalog/model_catalog.h"
#include "engine/model_file/model_file.h"
#include "engine/model_file/quoted_name.h"
#include "engine/planner/model_summary.h"
#include "engine/planner/planner.h"
#include "engine/planner/size_text.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::node {
namespace {

using engine::GgufMetadata;
using engine::ModelFile;
using Json = nlohmann::ordered_json;

struct Options {
  std::string model;
  bool verify = false;
  bool json = false;
};

struct TypeCount {
  std::uint64_t num_tensors = 0, num_parameters = 0, bytes = 0;
};

struct Report {
  engine::ModelSummary summary;
  std::shared_ptr<const ModelFile> file;
  std::map<std::string, TypeCount> by_type;
  std::vector<engine::IntegrityProblem> problems;
  std::vector<std::string> warnings;
  bool is_damaged = false;  // --verify found values that cannot be right
};

constexpr std::size_t kMaxShownElements = 16;  // of an array in the metadata; vocabularies have 100,000 and more

Json metadata_json(const GgufMetadata::Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, GgufMetadata::Array>) {
          return std::visit(
              [](const auto& elements) -> Json {
                Json list = Json::array();
                if (elements.size() > kMaxShownElements) return Json{{"array_length", elements.size()}};
                for (const auto& element : elements) list.push_back(element);
                return list;
              },
              held);
        } else {
          return held;
        }
      },
      value);
}

Json metadata_json(const ModelFile& file) {
  if (file.format() == engine::ModelFormat::kSafetensors) return file.config();
  Json json = Json::object();
  for (const auto& [key, value] : file.gguf().entries()) json[key] = metadata_json(value);
  return json;
}

void add_tokenizer_findings(Report& report) {
  const auto tokenizer = engine::Tokenizer::create(*report.file);
  if (tokenizer) {
    report.warnings = (*tokenizer)->warnings();
  } else {
    report.problems.push_back({report.file->path().string(), "", "tokenizer: " + tokenizer.error().detail});
  }
}

Result<Report> examine(const Options& options) {
  Report report;
  const std::filesystem::path path = TANDEM_TRY(engine::resolve_model(options.model));
  report.file = TANDEM_TRY(ModelFile::open(path));
  report.summary = engine::summarize_model(path);
  for (const engine::TensorInfo& tensor : report.file->tensors()) {
    TypeCount& count = report.by_type[std::string(kernels::dtype_info(tensor.dtype).name)];
    std::uint64_t elements = 1;
    for (const std::int64_t size : tensor.shape) elements *= static_cast<std::uint64_t>(size);
    ++count.num_tensors;
    count.num_parameters += elements;
    count.bytes += tensor.bytes;
  }
  if (report.summary.error) report.problems.push_back({options.model, "", report.summary.error->detail});
  add_tokenizer_findings(report);
  if (options.verify) {
    const auto found = TANDEM_TRY(engine::verify_tensors(*report.file, [](std::uint64_t, std::uint64_t) { return true; }));
    report.is_damaged = !found.empty();
    report.problems.insert(report.problems.end(), found.begin(), found.end());
  }
  return report;
}

Json to_json(const Options& options, const Report& report) {
  const engine::ModelSummary& summary = report.summary;
  Json files = Json::array(), types = Json::array(), problems = Json::array();
  for (const auto& path : report.file->files()) files.push_back(path.string());
  for (const auto& [type, count] : report.by_type) {
    types.push_back(
        {{"type", type}, {"tensors", count.num_tensors}, {"parameters", count.num_parameters}, {"bytes", count.bytes}});
  }
  for (const auto& problem : report.problems) {
    problems.push_back({{"file", problem.file}, {"tensor", problem.tensor}, {"what", problem.what}});
  }
  Json json;
  json["model"] = summary.name;
  json["path"] = summary.path.string();
  json["format"] = report.file->format() == engine::ModelFormat::kGguf ? "gguf" : "safetensors";
  json["architecture"] = summary.architecture;
  json["parameters"] = summary.num_parameters;
  json["quantization"] = summary.quantization;
  json["max_context"] = summary.max_context;
  json["files"] = std::move(files);
  json["file_bytes"] = summary.bytes;
  json["num_tensors"] = report.file->tensors().size();
  json["tensors_by_type"] = std::move(types);
  json["metadata"] = metadata_json(*report.file);
  json["verified"] = options.verify;
  json["problems"] = std::move(problems);
  json["warnings"] = report.warnings;
  return json;
}

void print_text(const Options& options, const Report& report) {
  const engine::ModelSummary& summary = report.summary;
  // Names come from the file: quoted, so that they cannot steer the terminal.
  std::printf("%s: %s, %s, %llu parameters, %llu B (%s) in %zu file%s\n", engine::quoted_name(summary.name).c_str(),
              engine::quoted_name(summary.architecture).c_str(), summary.quantization.c_str(),
              static_cast<unsigned long long>(summary.num_parameters), static_cast<unsigned long long>(summary.bytes),
              engine::size_text(summary.bytes).c_str(), report.file->files().size(),
              report.file->files().size() == 1 ? "" : "s");
  std::printf("\n  %-8s %8s %16s %16s\n", "type", "tensors", "parameters", "bytes");
  for (const auto& [type, count] : report.by_type) {
    std::printf("  %-8s %8llu %16llu %16llu\n", type.c_str(), static_cast<unsigned long long>(count.num_tensors),
                static_cast<unsigned long long>(count.num_parameters), static_cast<unsigned long long>(count.bytes));
  }
  std::printf("\nMetadata\n");
  const Json metadata = metadata_json(*report.file);
  for (const auto& [key, value] : metadata.items()) {
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > 100) text = text.substr(0, 97) + "...";
    std::printf("  %s = %s\n", engine::quoted_name(key).c_str(), text.c_str());
  }
  if (report.problems.empty()) {
    std::printf("\nNo problems found%s.\n", options.verify ? "" : " in the header; --verify reads every tensor");
  } else {
    std::printf("\nProblems\n");
    for (const auto& problem : report.problems) {
      std::printf("  %s%s%s: %s\n", problem.file.c_str(), problem.tensor.empty() ? "" : ", tensor ",
                  problem.tensor.empty() ? "" : engine::quoted_name(problem.tensor).c_str(), problem.what.c_str());
    }
  }
  for (const std::string& warning : report.warnings) std::printf("Warning: %s\n", warning.c_str());
}

int run(const Options& options) {
  const Result<Report> report = examine(options);
  if (!report) return report_error(report.error(), options.json);
  if (options.json) {
    std::cout << to_json(options, *report).dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
  } else {
    print_text(options, *report);
  }
  return report->is_damaged ? kExitFailed : kExitOk;
}

}  // namespace

void add_inspect_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, context, "inspect", "Show what a model file holds");
  command->add_option("MODEL", options->model, "A .gguf file, a folder with safetensors, or a catalogue id")->required();
  command->add_flag("--verify", options->verify, "Read every tensor and look for damage; exit status 1 when there is some");
  command->add_flag("--json", options->json, "Print one JSON document");
  command->callback([options, &context] { context.exit_status = run(*options); });
}

}  // namespace tandem::node
