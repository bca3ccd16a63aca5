#include "engine/server/connection_watch.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace tandem::engine::server {
namespace {

bool peer_is(int fd, const std::string& address, int port) {
  sockaddr_storage peer{};
  socklen_t size = sizeof(peer);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return false;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (peer.ss_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(peer);
    return ntohs(in.sin_port) == port && inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size()) != nullptr &&
           address == text.data();
  }
  if (peer.ss_family == AF_INET6) {
    const auto& in = reinterpret_cast<const sockaddr_in6&>(peer);
    return ntohs(in.sin6_port) == port && inet_ntop(AF_INET6, &in.sin6_addr, text.data(), text.size()) != nullptr &&
           address == text.data();
  }
  return false;
}

}  // namespace

// The HTTP library does not hand out the socket of a request; the process's own descriptor table names it.
ConnectionWatch::ConnectionWatch(const std::string& remote_address, int remote_port) {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    char* end = nullptr;
    const long fd = std::strtol(entry->d_name, &end, 10);
    if (end != entry->d_name && *end == '\0' && peer_is(static_cast<int>(fd), remote_address, remote_port)) {
      fd_ = static_cast<int>(fd);
      break;
    }
  }
  closedir(folder);
}

bool ConnectionWatch::peer_gone() const {
  if (fd_ < 0) return false;
  pollfd state{fd_, POLLIN | POLLRDHUP, 0};
  if (poll(&state, 1, 0) <= 0) return false;
  if ((state.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return true;
  // A half-closed peer (POLLRDHUP) may still read: HTTP clients that want their answer do not do that.
  if ((state.revents & POLLRDHUP) != 0) return true;
  char byte = 0;
  const ssize_t n = recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace tandem::engine::server
