// Tells whether the client of an HTTP exchange has gone away while its answer is still being computed.
#pragma once

#include <string>

namespace tandem::engine::server {

class ConnectionWatch {
 public:
  // The connection of this process whose peer is `remote_address`:`remote_port`. The thread that answers it must be the caller,
  // so that the connection stays open, and its descriptor the same, for the lifetime of this object.
  ConnectionWatch(const std::string& remote_address, int remote_port);
  // True once the peer closed or reset. False while it lives, and when the connection could not be identified.
  bool peer_gone() const;

 private:
  int fd_ = -1;  // not owned
};

}  // namespace tandem::engine::server
