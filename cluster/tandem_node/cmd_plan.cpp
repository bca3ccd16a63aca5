// plan: what a model needs on one or two machines, what fits, and how fast it can be.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cluster/tandem_node/command.h"
#include "cluster/tandem_node/commands.h"
#include "engine/model_catalog/model_catalog.h"
#include "engine/planner/planner.h"
#include "engine/planner/size_text.h"

namespace tandem::node {
namespace {

using engine::NodePlan;
using engine::Plan;
using engine::PlanItem;
using Json = nlohmann::ordered_json;

struct Options {
  std::string model;
  engine::PlanRequest request;
  std::int64_t context_tokens = 0;  // 0: as default_context() says
  std::string kv_dtype = "f16";
  std::string weight_type = "BF16";
  std::string machine = "spark";
  double memory_gib = 0.0;  // 0: the machine's own
  bool json = false;
};

Json nearest_fit_json(const Plan& plan) {
  if (!plan.nearest_fit) return nullptr;
  const engine::PlanRequest& fit = *plan.nearest_fit;
  return {{"nodes", fit.num_nodes},
          {"context", fit.context_tokens},
          {"concurrency", fit.concurrency},
          {"kv_dtype", engine::kv_dtype_name(fit.kv_dtype)}};
}

Json to_json(const engine::ModelDescription& model, const Plan& plan) {
  Json per_node = Json::array();
  for (const NodePlan& node : plan.nodes) {
    per_node.push_back({{"weights_bytes", node.bytes(PlanItem::Kind::kWeights)},
                        {"kv_bytes", node.bytes(PlanItem::Kind::kKvCache)},
                        {"state_bytes", node.bytes(PlanItem::Kind::kState)},
                        {"activation_bytes", node.bytes(PlanItem::Kind::kActivations)},
                        {"communication_bytes", node.bytes(PlanItem::Kind::kCommunication)},
                        {"runtime_bytes", node.bytes(PlanItem::Kind::kRuntime)},
                        {"reserve_bytes", node.bytes(PlanItem::Kind::kReserve)},
                        {"total_bytes", node.total_bytes()},
                        {"capacity_bytes", node.capacity_bytes}});
  }
  Json json;
  json["model"] = model.name;
  json["nodes"] = plan.request.num_nodes;
  json["fits"] = plan.fits;
  json["per_node"] = std::move(per_node);
  json["kv_bytes_per_token"] = plan.kv_bytes_per_token;
  json["max_context"] = plan.max_context;
  json["max_concurrency"] = plan.max_concurrency;
  json["decode_tokens_per_s_limit"] = plan.decode_tokens_per_s_limit;
  json["reasons"] = plan.reasons;
  json["nearest_fit"] = nearest_fit_json(plan);
  return json;
}

const char* item_name(PlanItem::Kind kind) {
  switch (kind) {
    case PlanItem::Kind::kWeights: return "weights";
    case PlanItem::Kind::kKvCache: return "KV cache";
    case PlanItem::Kind::kState: return "recurrent state";
    case PlanItem::Kind::kActivations: return "activations";
    case PlanItem::Kind::kCommunication: return "communication";
    case PlanItem::Kind::kRuntime: return "runtime";
    case PlanItem::Kind::kReserve: return "reserve";
  }
  return "";
}

void print_row(const char* name, std::uint64_t bytes, const std::string& note) {
  std::printf("  %-16s %16llu B  %10s  %s\n", name, static_cast<unsigned long long>(bytes), engine::size_text(bytes).c_str(),
              note.c_str());
}

void print_text(const engine::ModelDescription& model, const engine::MachineSpec& machine, const Plan& plan) {
  std::printf("%s (%s, %llu parameters) on %d x %s: %s\n", model.name.c_str(), model.architecture.c_str(),
              static_cast<unsigned long long>(model.num_parameters()), plan.request.num_nodes, machine.name.c_str(),
              plan.fits ? "fits" : "does not fit");
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const NodePlan& node = plan.nodes[i];
    std::printf("\nMachine %zu\n", i + 1);
    for (const PlanItem& item : node.items) print_row(item_name(item.kind), item.bytes, item.formula);
    print_row("total", node.total_bytes(), "");
    print_row("capacity", node.capacity_bytes, "");
  }
  std::printf("\n");
  for (const std::string& reason : plan.reasons) std::printf("%s\n", reason.c_str());
}

Result<engine::MachineSpec> choose_machine(const Options& options) {
  engine::MachineSpec machine = options.machine == "this" ? TANDEM_TRY(engine::this_machine()) : engine::dgx_spark();
  if (options.memory_gib > 0) {
    machine.total_bytes = machine.available_bytes = static_cast<std::uint64_t>(std::ldexp(options.memory_gib, 30));
    machine.name += " with " + engine::size_text(machine.total_bytes);
  }
  return machine;
}

// A path, or a catalogue entry, which need not be on this machine.
Result<engine::ModelDescription> describe(const std::string& model, kernels::DType weight_type) {
  std::error_code error;
  if (!std::filesystem::exists(model, error)) {
    for (const engine::CatalogEntry& entry : TANDEM_TRY(engine::load_catalog())) {
      if (entry.id == model) return engine::describe_entry(entry);
    }
  }
  return engine::describe_model(TANDEM_TRY(engine::resolve_model(model)), weight_type);
}

// What was not asked for must not be why a model with a small context "does not fit".
std::int64_t default_context(const engine::ModelDescription& model) {
  const std::int64_t usual = engine::PlanRequest{}.context_tokens;
  return model.config.max_context > 0 ? std::min(usual, model.config.max_context) : usual;
}

Result<void> run(Options options) {
  const auto weight_type = kernels::dtype_from_name(options.weight_type);
  if (!weight_type) {
    return Error{ErrorCode::kInvalidArgument, "--weight-type " + options.weight_type + ": unknown; try BF16, Q8_0 or Q4_K"};
  }
  options.request.kv_dtype = *engine::kv_dtype_from_name(options.kv_dtype);
  const engine::MachineSpec machine = TANDEM_TRY(choose_machine(options));
  const engine::ModelDescription model = TANDEM_TRY(describe(options.model, *weight_type));
  options.request.context_tokens = options.context_tokens > 0 ? options.context_tokens : default_context(model);
  const Plan plan = TANDEM_TRY(engine::make_plan(model, machine, options.request));
  if (options.json) {
    // Names from files may hold broken UTF-8: replace it rather than throw.
    std::cout << to_json(model, plan).dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
  } else {
    print_text(model, machine, plan);
  }
  return {};
}

}  // namespace

void add_plan_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, context, "plan", "Show whether a model fits, and how fast it can be");
  command->add_option("MODEL", options->model, "A .gguf file, a folder with safetensors, a config.json, or a catalogue id")
      ->required();
  command->add_option("--nodes", options->request.num_nodes, "Machines")->check(CLI::Range(1, 2))->capture_default_str();
  command
      ->add_option("--context", options->context_tokens,
                   "Tokens of context per request; left out: 4096, or the model's own limit where that is less")
      ->check(number_from(1));
  command->add_option("--concurrency", options->request.concurrency, "Requests at once")
      ->check(number_from(1, 2147483647.0))
      ->capture_default_str();
  command->add_option("--kv-dtype", options->kv_dtype, "Type of cached keys and values")
      ->check(CLI::IsMember({"f16", "f32", "q8_0", "fp8"}))
      ->capture_default_str();
  command->add_option("--weight-type", options->weight_type, "Type of the weights, where MODEL is a config.json")
      ->capture_default_str();
  command->add_option("--machine", options->machine, "spark (a DGX Spark) or this (the one you are using)")
      ->check(CLI::IsMember({"spark", "this"}))
      ->capture_default_str();
  command->add_option("--memory-gib", options->memory_gib, "Memory of each machine, instead of its own")
      ->check(number_from(0.001, 1048576.0));
  command->add_flag("--json", options->json, "Print one JSON document");
  command->callback([options, &context] {
    const Result<void> done = run(*options);
    context.exit_status = done ? kExitOk : report_error(done.error(), options->json);
  });
}

}  // namespace tandem::node
