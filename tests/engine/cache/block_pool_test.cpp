#include "engine/cache/block_pool.h"

#include <gtest/gtest.h>

#include "engine/cache/kv_dtype.h"

namespace tandem::engine {
namespace {

TEST(BlockTable, AppendPastBlockEndAllocatesOneBlock) {
  BlockPool pool(4);
  BlockTable table(32);
  ASSERT_TRUE(table.grow(32, pool));
  EXPECT_EQ(table.blocks().size(), 1U);
  ASSERT_TRUE(table.grow(33, pool));
  EXPECT_EQ(table.blocks().size(), 2U);
  EXPECT_EQ(pool.num_used(), 2);
}

TEST(BlockTable, GrowthBeyondThePoolTakesNothing) {
  BlockPool pool(3);
  BlockTable table(32);
  ASSERT_TRUE(table.grow(40, pool));
  EXPECT_FALSE(table.grow(200, pool));
  EXPECT_EQ(table.blocks().size(), 2U);
  EXPECT_EQ(pool.num_free(), 1);
}

TEST(BlockTable, ReleaseReturnsEveryBlockOnce) {
  BlockPool pool(5);
  BlockTable a(16), b(16);
  ASSERT_TRUE(a.grow(48, pool));
  ASSERT_TRUE(b.grow(32, pool));
  EXPECT_EQ(pool.num_free(), 0);
  a.release(pool);
  EXPECT_EQ(pool.num_free(), 3);
  EXPECT_TRUE(a.blocks().empty());
  ASSERT_TRUE(b.grow(80, pool));
  std::vector<bool> seen(5);
  for (const std::int32_t block : b.blocks()) {
    EXPECT_FALSE(seen[static_cast<std::size_t>(block)]);
    seen[static_cast<std::size_t>(block)] = true;
  }
}

TEST(KvDType, NamesAndSizesAgree) {
  for (const KvDType dtype : {KvDType::kF16, KvDType::kF32, KvDType::kQ8_0, KvDType::kFp8}) {
    EXPECT_EQ(kv_dtype_from_name(kv_dtype_name(dtype)), dtype);
  }
  EXPECT_EQ(kv_dtype_from_name("int4"), std::nullopt);
  EXPECT_EQ(kv_bytes(KvDType::kF16, 64), 128U);
  EXPECT_EQ(kv_bytes(KvDType::kF32, 64), 256U);
  EXPECT_EQ(kv_bytes(KvDType::kQ8_0, 64), 68U);
  EXPECT_EQ(kv_bytes(KvDType::kFp8, 64), 64U);
}

}  // namespace
}  // namespace tandem::engine
