#include "engine/server/access.h"

#include <algorithm>
#include <cctype>

namespace tandem::engine::server {
namespace {

// "name:8080" → "name", "[::1]:8080" → "::1", lower case.
std::string host_of(std::string_view header) {
  std::string_view name = header;
  if (!name.empty() && name.front() == '[') {
    const auto end = name.find(']');
    name = end == std::string_view::npos ? std::string_view() : name.substr(1, end - 1);
  } else if (std::count(name.begin(), name.end(), ':') == 1) {
    name = name.substr(0, name.find(':'));
  }
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

bool is_ip_address(std::string_view host) {
  if (host.find(':') != std::string_view::npos) return true;  // IPv6; a name has no colon
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

}  // namespace

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || (is_ip_address(host) && host.substr(0, 4) == "127.");
}

Result<void> check_listen_address(const AccessRules& rules) {
  if (is_loopback(rules.host) || !rules.api_key.empty()) return {};
  return Error{ErrorCode::kInvalidArgument, "The address " + rules.host +
                                                " can be reached by other machines, so the server needs an API key: set one "
                                                "(--api-key-file FILE), or listen on 127.0.0.1."};
}

bool constant_time_equal(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  const std::size_t size = std::max(a.size(), b.size());
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned char x = i < a.size() ? static_cast<unsigned char>(a[i]) : 0;
    const unsigned char y = i < b.size() ? static_cast<unsigned char>(b[i]) : 0;
    difference = static_cast<unsigned char>(difference | (x ^ y));
  }
  return difference == 0;
}

Verdict check_access(const AccessRules& rules, std::string_view authorization, std::string_view host_header,
                     std::string_view origin) {
  const std::string host = host_of(host_header);
  // A numeric address cannot be rebound; a name must be one of ours.
  const bool known_host = is_ip_address(host) || host == "localhost" || host == host_of(rules.host) ||
                          std::find(rules.allowed_hosts.begin(), rules.allowed_hosts.end(), host) != rules.allowed_hosts.end();
  if (!known_host) return Verdict::kBadHost;

  if (!origin.empty() &&
      std::find(rules.allowed_origins.begin(), rules.allowed_origins.end(), origin) == rules.allowed_origins.end()) {
    return Verdict::kBadOrigin;
  }

  if (!rules.api_key.empty()) {
    constexpr std::string_view kBearer = "Bearer ";
    const bool has_scheme = authorization.substr(0, kBearer.size()) == kBearer;
    const std::string_view key = has_scheme ? authorization.substr(kBearer.size()) : std::string_view();
    if (!constant_time_equal(key, rules.api_key)) return Verdict::kBadKey;
  }
  return Verdict::kAllow;
}

}  // namespace tandem::engine::server
