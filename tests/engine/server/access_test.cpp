#include "engine/server/access.h"

#include <gtest/gtest.h>

namespace tandem::engine::server {
namespace {

TEST(ListenAddress, LoopbackNeedsNoKeyAndOthersDo) {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "localhost", "::1"}) {
    EXPECT_TRUE(check_listen_address({host, 8000, "", {}, {}})) << host;
  }
  for (const char* host : {"0.0.0.0", "::", "192.168.1.4", "spark.local", "127.evil.example"}) {
    EXPECT_FALSE(check_listen_address({host, 8000, "", {}, {}})) << host;
    EXPECT_TRUE(check_listen_address({host, 8000, "secret", {}, {}})) << host;
  }
}

TEST(Access, KeyMustMatchWholly) {
  const AccessRules rules{"0.0.0.0", 8000, "secret", {}, {}};
  EXPECT_EQ(check_access(rules, "Bearer secret", "127.0.0.1:8000", ""), Verdict::kAllow);
  for (const char* header : {"", "secret", "Bearer ", "Bearer secre", "Bearer secret2", "bearer secret", "Basic secret"}) {
    EXPECT_EQ(check_access(rules, header, "127.0.0.1:8000", ""), Verdict::kBadKey) << header;
  }
}

TEST(Access, ReboundHostNameIsRefused) {
  const AccessRules rules{"127.0.0.1", 8000, "", {}, {"spark.local"}};
  for (const char* host : {"127.0.0.1:8000", "localhost:8000", "LOCALHOST", "[::1]:8000", "192.168.1.4", "spark.local:80"}) {
    EXPECT_EQ(check_access(rules, "", host, ""), Verdict::kAllow) << host;
  }
  for (const char* host : {"evil.example", "evil.example:8000", "", "127.0.0.1.evil.example", "[broken"}) {
    EXPECT_EQ(check_access(rules, "", host, ""), Verdict::kBadHost) << host;
  }
}

TEST(Access, OriginsAreOffUnlessListed) {
  AccessRules rules{"127.0.0.1", 8000, "", {}, {}};
  EXPECT_EQ(check_access(rules, "", "localhost", "https://app.example"), Verdict::kBadOrigin);
  EXPECT_EQ(check_access(rules, "", "localhost", "null"), Verdict::kBadOrigin);
  rules.allowed_origins = {"https://app.example"};
  EXPECT_EQ(check_access(rules, "", "localhost", "https://app.example"), Verdict::kAllow);
  EXPECT_EQ(check_access(rules, "", "localhost", "https://app.example.evil"), Verdict::kBadOrigin);
}

TEST(ConstantTimeEqual, ComparesContentAndLength) {
  EXPECT_TRUE(constant_time_equal("", ""));
  EXPECT_TRUE(constant_time_equal("abc", "abc"));
  EXPECT_FALSE(constant_time_equal("abc", "abd"));
  EXPECT_FALSE(constant_time_equal("abc", "ab"));
  EXPECT_FALSE(constant_time_equal(std::string_view("a\0", 2), "a"));
}

}  // namespace
}  // namespace tandem::engine::server
