#include "engine/planner/size_text.h"

#include <gtest/gtest.h>
#include <limits>

namespace tandem::engine {
namespace {

TEST(SizeText, UnitsAndRounding) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(std::uint64_t{1216} * (1 << 30) / 10), "121.6 GiB");
  EXPECT_EQ(size_text(std::numeric_limits<std::uint64_t>::max()), "16384.0 PiB");
}

TEST(SpeedText, KeepsTwoDigits) {
  EXPECT_EQ(speed_text(193.8), "194");
  EXPECT_EQ(speed_text(8.08), "8.1");
  EXPECT_EQ(speed_text(0.0834), "0.083");
}

}  // namespace
}  // namespace tandem::engine
