#include "engine/planner/planner.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "tests/engine/planner/known_models.h"

namespace tandem::engine {
namespace {

using kernels::DType;
using Kind = PlanItem::Kind;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

ModelDescription describe(const ModelConfig& config, DType dtype) {
  auto model = describe_model(testing::hf_config(config), config.name, dtype);
  EXPECT_TRUE(model) << (model ? "" : model.error().detail);
  return model ? *model : ModelDescription{};
}

Plan plan_for(const ModelDescription& model, const MachineSpec& machine, const PlanRequest& request) {
  auto plan = make_plan(model, machine, request);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().detail);
  return plan ? *plan : Plan{};
}

MachineSpec machine_of(std::uint64_t bytes) {
  MachineSpec machine;
  machine.name = "test machine";
  machine.total_bytes = machine.available_bytes = bytes;
  return machine;
}

TEST(DescribeModel, PublishedParameterCountsAreReproduced) {
  EXPECT_EQ(describe(testing::qwen3_0_6b(), DType::kBF16).num_parameters(), 596'049'920u);
  EXPECT_NEAR(static_cast<double>(describe(testing::qwen3_4b(), DType::kBF16).num_parameters()), 4.02e9, 5e6);
  EXPECT_EQ(describe(testing::qwen3_30b_a3b(), DType::kBF16).num_parameters(), 30'532'122'624u);
  EXPECT_EQ(describe(testing::llama_3_1_8b(), DType::kBF16).num_parameters(), 8'030'261'248u);
  EXPECT_EQ(describe(testing::llama_3_1_70b(), DType::kBF16).num_parameters(), 70'553'706'496u);
}

TEST(DescribeModel, Q8CountsMatricesInBlocksAndVectorsInF32) {
  const ModelDescription model = describe(testing::qwen3_0_6b(), DType::kQ8_0);
  // Norms: 28 layers of 2 x 1024 and 2 x 128, and the last one.
  const std::uint64_t vectors = 28 * (2 * 1024 + 2 * 128) + 1024;
  const std::uint64_t matrices = 596'049'920 - vectors;
  EXPECT_EQ(model.weight_bytes(), matrices / 32 * 34 + vectors * 4);
}

TEST(DescribeModel, RowsThatKQuantBlocksDoNotDivideAreKeptFiner) {
  ModelConfig config = testing::qwen3_0_6b();
  config.intermediate_size = 3072 + 32;
  const ModelDescription model = describe(config, DType::kQ4_K);
  for (const auto& weight : model.weights) {
    if (weight.name.ends_with("ffn_down.weight")) {
      EXPECT_EQ(weight.dtype, DType::kQ8_0) << weight.name;
    } else if (weight.name.ends_with("ffn_up.weight")) {
      EXPECT_EQ(weight.dtype, DType::kQ4_K) << weight.name;
    }
  }
}

TEST(DescribeModel, AssumedIndexTypeIsRefused) {
  const auto model = describe_model(testing::hf_config(testing::qwen3_0_6b()), "x", DType::kI32);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::kInvalidArgument);
}

TEST(DescribeModel, ConfigFilesAndFoldersGiveTheSameTable) {
  const std::string folder = TANDEM_TEST_DATA "/golden/micro/qwen3_moe";
  const auto from_config = describe_model(folder + "/config.json", DType::kBF16);
  const auto from_files = describe_model(folder);
  ASSERT_TRUE(from_config) << from_config.error().detail;
  ASSERT_TRUE(from_files) << from_files.error().detail;
  EXPECT_EQ(from_config->name, "qwen3_moe");
  EXPECT_EQ(from_config->num_parameters(), from_files->num_parameters());
  EXPECT_EQ(from_config->weight_bytes(), from_files->weight_bytes());
}

TEST(KvBytesPerToken, PublishedSizesAreReproduced) {
  EXPECT_EQ(kv_bytes_per_token(testing::qwen3_0_6b(), KvDType::kF16, 1), 112u * 1024);
  EXPECT_EQ(kv_bytes_per_token(testing::qwen3_4b(), KvDType::kF16, 1), 144u * 1024);
  EXPECT_EQ(kv_bytes_per_token(testing::qwen3_30b_a3b(), KvDType::kF16, 1), 96u * 1024);
  EXPECT_EQ(kv_bytes_per_token(testing::llama_3_1_8b(), KvDType::kF16, 1), 128u * 1024);
  EXPECT_EQ(kv_bytes_per_token(testing::llama_3_1_70b(), KvDType::kF16, 2), 160u * 1024);
  EXPECT_EQ(kv_bytes_per_token(testing::llama_3_1_8b(), KvDType::kQ8_0, 1), 64u * 1024 * 34 / 32);
  EXPECT_EQ(kv_bytes_per_token(testing::llama_3_1_8b(), KvDType::kFp8, 1), 64u * 1024);
}

TEST(KvBytesPerToken, HeadsFewerThanRanksAreCopied) {
  ModelConfig config = testing::qwen3_0_6b();
  config.num_kv_heads = 1;
  EXPECT_EQ(kv_bytes_per_token(config, KvDType::kF16, 2), kv_bytes_per_token(config, KvDType::kF16, 1));
}

TEST(KvBytesPerToken, QuantisedHeadsRoundUpToBlocks) {
  ModelConfig config = testing::qwen3_0_6b();
  config.head_dim = 80;
  EXPECT_EQ(kv_bytes_per_token(config, KvDType::kQ8_0, 1), 28u * 2 * 8 * 3 * 34);
  EXPECT_EQ(kv_bytes_per_token(config, KvDType::kF16, 1), 28u * 2 * 8 * 80 * 2);
}

TEST(MakePlan, ItemsAddUpAndKvFollowsTheFormula) {
  PlanRequest request;
  request.context_tokens = 4096;
  request.concurrency = 2;
  const Plan plan = plan_for(describe(testing::qwen3_0_6b(), DType::kBF16), dgx_spark(), request);
  ASSERT_EQ(plan.nodes.size(), 1u);
  const NodePlan& node = plan.nodes[0];
  EXPECT_TRUE(plan.fits);
  EXPECT_TRUE(plan.fits_now);
  EXPECT_FALSE(plan.nearest_fit);
  EXPECT_EQ(plan.kv_bytes_per_token, 112u * 1024);
  EXPECT_EQ(node.bytes(Kind::kKvCache), 112ull * 1024 * 4096 * 2);
  EXPECT_EQ(node.bytes(Kind::kReserve), 8 * kGiB);
  EXPECT_EQ(node.capacity_bytes, 1216 * kGiB / 10);
  std::uint64_t sum = 0;
  for (const PlanItem& item : node.items) {
    sum += item.bytes;
    EXPECT_FALSE(item.formula.empty());
    if (item.kind == Kind::kKvCache) {
      EXPECT_EQ(item.formula, "28 layers × 2 × 8 heads × 128 × 2 B × 4096 tokens × 2");
    }
  }
  EXPECT_EQ(node.total_bytes(), sum);
  EXPECT_EQ(plan.max_context, 40960) << "memory for more, but the model was made for no more";
}

TEST(MakePlan, ContextIsTakenInWholeBlocks) {
  PlanRequest request;
  request.context_tokens = 4097;
  const Plan plan = plan_for(describe(testing::qwen3_0_6b(), DType::kBF16), dgx_spark(), request);
  EXPECT_EQ(plan.nodes[0].bytes(Kind::kKvCache), 112ull * 1024 * (4096 + kKvBlockTokens));
}

TEST(MakePlan, SpeedLimitIsBandwidthOverBytesAndBelowThePhysicalOne) {
  const ModelDescription model = describe(testing::qwen3_0_6b(), DType::kBF16);
  MachineSpec machine = dgx_spark();
  PlanRequest request;
  request.context_tokens = 4096;
  const Plan plan = plan_for(model, machine, request);
  // Tied embeddings: the whole table is read as the head.
  EXPECT_EQ(plan.bytes_read_per_token, model.weight_bytes());
  EXPECT_NEAR(plan.decode_tokens_per_s_limit_empty, 231e9 / static_cast<double>(model.weight_bytes()), 1e-6);
  EXPECT_NEAR(plan.decode_tokens_per_s_limit, 231e9 / static_cast<double>(model.weight_bytes() + 4096ull * 112 * 1024), 1e-6);

  machine.bandwidth_bytes_per_s = 900e9;  // a wrong measurement
  EXPECT_NEAR(plan_for(model, machine, request).decode_tokens_per_s_limit_empty,
              273e9 / static_cast<double>(model.weight_bytes()), 1e-6);
  machine.bandwidth_bytes_per_s = machine.bandwidth_peak_bytes_per_s = 0;
  EXPECT_EQ(plan_for(model, machine, request).decode_tokens_per_s_limit_empty, 0.0);
}

TEST(MakePlan, ExpertsThatAreNotChosenAreNotRead) {
  const ModelDescription model = describe(testing::qwen3_30b_a3b(), DType::kBF16);
  const Plan plan = plan_for(model, dgx_spark(), {});
  // 3.04 B of 30.5 B parameters are read per token, two bytes each.
  EXPECT_NEAR(static_cast<double>(plan.bytes_read_per_token), 2 * 3.04e9, 2 * 0.01e9);
}

TEST(MakePlan, SolversReturnTheLastSettingThatFits) {
  const ModelDescription model = describe(testing::llama_3_1_8b(), DType::kQ8_0);
  const MachineSpec machine = machine_of(14 * kGiB);
  PlanRequest request;
  request.context_tokens = 8192;
  request.concurrency = 3;
  const Plan plan = plan_for(model, machine, request);
  ASSERT_GT(plan.max_context, 0);
  ASSERT_LT(plan.max_context, model.config.max_context);
  ASSERT_GT(plan.max_concurrency, 0);
  PlanRequest probe = request;
  probe.context_tokens = plan.max_context;
  EXPECT_TRUE(plan_for(model, machine, probe).fits);
  probe.context_tokens += 1;
  EXPECT_FALSE(plan_for(model, machine, probe).fits);
  probe = request;
  probe.concurrency = plan.max_concurrency;
  EXPECT_TRUE(plan_for(model, machine, probe).fits);
  probe.concurrency += 1;
  EXPECT_FALSE(plan_for(model, machine, probe).fits);
}

TEST(MakePlan, TooLongAContextNamesTheNearestFit) {
  const ModelDescription model = describe(testing::llama_3_1_8b(), DType::kQ8_0);
  PlanRequest request;
  request.context_tokens = 131072;
  const Plan plan = plan_for(model, machine_of(16 * kGiB), request);
  EXPECT_FALSE(plan.fits);
  ASSERT_TRUE(plan.nearest_fit);
  EXPECT_EQ(plan.nearest_fit->context_tokens, plan.max_context);
  EXPECT_EQ(plan.nearest_fit->concurrency, 1);
  EXPECT_TRUE(plan_for(model, machine_of(16 * kGiB), *plan.nearest_fit).fits);
  EXPECT_NE(plan.reasons.front().find("Does not fit"), std::string::npos);
}

TEST(MakePlan, TooManyRequestsAreReducedRatherThanTheContext) {
  const ModelDescription model = describe(testing::llama_3_1_8b(), DType::kQ8_0);
  PlanRequest request;
  request.context_tokens = 8192;
  request.concurrency = 6;
  const MachineSpec machine = machine_of(14 * kGiB);
  const Plan plan = plan_for(model, machine, request);
  ASSERT_FALSE(plan.fits);
  ASSERT_TRUE(plan.nearest_fit);
  EXPECT_TRUE(plan_for(model, machine, *plan.nearest_fit).fits);
}

TEST(MakePlan, ContextBeyondTheModelDoesNotFitHoweverLargeTheMachine) {
  PlanRequest request;
  request.context_tokens = 40961;
  const Plan plan = plan_for(describe(testing::qwen3_0_6b(), DType::kBF16), dgx_spark(), request);
  EXPECT_FALSE(plan.fits);
  EXPECT_EQ(plan.max_concurrency, 0);
  ASSERT_TRUE(plan.nearest_fit);
  EXPECT_EQ(plan.nearest_fit->context_tokens, 40960);
}

TEST(MakePlan, ModelTooLargeForOneSparkFitsOnTwo) {
  const ModelDescription model = describe(testing::llama_3_1_70b(), DType::kBF16);
  const Plan one = plan_for(model, dgx_spark(), {});
  EXPECT_FALSE(one.fits);
  EXPECT_EQ(one.max_context, 0);
  ASSERT_TRUE(one.nearest_fit);
  EXPECT_EQ(one.nearest_fit->num_nodes, 2);
  PlanRequest request;
  request.num_nodes = 2;
  const Plan two = plan_for(model, dgx_spark(), request);
  EXPECT_TRUE(two.fits);
  ASSERT_EQ(two.nodes.size(), 2u);
  EXPECT_GT(two.nodes[0].bytes(Kind::kCommunication), 0u);
  EXPECT_EQ(two.kv_bytes_per_token, 160u * 1024);
  // Norms are on both, everything else is halved.
  const std::uint64_t vectors = (80 * 2 * 8192 + 8192) * 4;
  EXPECT_EQ(two.nodes[0].bytes(Kind::kWeights) + two.nodes[1].bytes(Kind::kWeights), model.weight_bytes() + vectors);
  EXPECT_NEAR(two.decode_tokens_per_s_limit_empty, 2 * 231e9 / 139e9, 0.05);
}

TEST(MakePlan, NothingFitsOnATinyMachine) {
  const Plan plan = plan_for(describe(testing::llama_3_1_70b(), DType::kBF16), machine_of(kGiB), {});
  EXPECT_FALSE(plan.fits);
  EXPECT_FALSE(plan.nearest_fit);
  EXPECT_EQ(plan.max_context, 0);
  EXPECT_EQ(plan.max_concurrency, 0);
}

TEST(MakePlan, MemoryInUseFitsButNotNow) {
  MachineSpec machine = machine_of(16 * kGiB);
  machine.available_bytes = kGiB / 2;
  const Plan plan = plan_for(describe(testing::qwen3_0_6b(), DType::kQ8_0), machine, {});
  EXPECT_TRUE(plan.fits);
  EXPECT_FALSE(plan.fits_now);
}

TEST(MakePlan, SizesBeyond64BitsAreRefused) {
  ModelDescription model = describe(testing::qwen3_0_6b(), DType::kBF16);
  model.config.max_context = 0;
  PlanRequest request;
  request.context_tokens = std::numeric_limits<std::int64_t>::max();
  request.concurrency = std::numeric_limits<std::int32_t>::max();
  const auto plan = make_plan(model, dgx_spark(), request);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
}

TEST(MakePlan, SenselessRequestsAreRefused) {
  const ModelDescription model = describe(testing::qwen3_0_6b(), DType::kBF16);
  PlanRequest request;
  request.context_tokens = 0;
  EXPECT_FALSE(make_plan(model, dgx_spark(), request));
  request = {};
  request.concurrency = 0;
  EXPECT_FALSE(make_plan(model, dgx_spark(), request));
  request = {};
  request.num_nodes = 0;
  EXPECT_FALSE(make_plan(model, dgx_spark(), request));
  EXPECT_FALSE(make_plan(model, MachineSpec{}, {}));
  EXPECT_FALSE(make_plan(ModelDescription{}, dgx_spark(), {}));
}

TEST(ThisMachine, ReportsMemoryAndKeepsAReserve) {
  const auto machine = this_machine();
  ASSERT_TRUE(machine) << machine.error().detail;
  EXPECT_GT(machine->total_bytes, 0u);
  EXPECT_LE(machine->available_bytes, machine->total_bytes);
  EXPECT_GT(machine->reserve_bytes, 0u);
  EXPECT_LE(machine->reserve_bytes, kGiB);
  EXPECT_EQ(machine->bandwidth_bytes_per_s, 0.0);
}

}  // namespace
}  // namespace tandem::engine
