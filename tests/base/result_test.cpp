#include "base/result.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return Error{ErrorCode::kInvalidArgument, "odd: " + std::to_string(value)};
  return value / 2;
}

Result<int> quarter(int value) {
  const int first = TANDEM_TRY(half(value));
  return half(first);
}

Result<void> only_even(int value) {
  TANDEM_TRY(half(value));
  return {};
}

TEST(Result, TryOfValueContinues) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_TRUE(only_even(2));
}

TEST(Result, TryOfErrorReturnsItUnchanged) {
  const Result<int> result = quarter(6);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(result.error().detail, "odd: 3");
  EXPECT_FALSE(only_even(3));
}

TEST(Result, ValueOrGivesFallbackOnlyOnError) {
  EXPECT_EQ(half(8).value_or(-1), 4);
  EXPECT_EQ(half(7).value_or(-1), -1);
}

TEST(ResultDeathTest, ValueOfErrorStopsWithItsText) { EXPECT_DEATH((void)half(3).value(), "odd: 3"); }

}  // namespace
}  // namespace tandem
