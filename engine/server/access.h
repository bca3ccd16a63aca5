// Who may talk to the server: loopback without a key, everybody else only with one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tandem::engine::server {

struct AccessRules {
  std::string host = "127.0.0.1";
  int port = 0;
  std::string api_key;                       // empty: none is asked for
  std::vector<std::string> allowed_origins;  // browser origins, "https://app.example"; none by default
  std::vector<std::string> allowed_hosts;    // further names this machine is reached by, beside address and localhost
};

bool is_loopback(std::string_view host);

// Refuses an address other people can reach when no key is set.
Result<void> check_listen_address(const AccessRules& rules);

enum class Verdict { kAllow, kBadKey, kBadHost, kBadOrigin };

// `authorization`, `host_header` and `origin` are header values; empty when absent. The Host check stops DNS rebinding: a web
// page that resolves its own name to 127.0.0.1 still sends that name. Keys are compared in constant time.
Verdict check_access(const AccessRules& rules, std::string_view authorization, std::string_view host_header,
                     std::string_view origin);

// Equal, in time that depends on the lengths only.
bool constant_time_equal(std::string_view a, std::string_view b);

}  // namespace tandem::engine::server
