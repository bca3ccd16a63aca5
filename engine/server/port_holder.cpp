#include <array>
#include <charconv>
#include <dirent.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "engine/server/server.h"

namespace tandem::engine::server {
namespace {

// Inode of the listening socket on `port`; empty when there is none.
std::string listening_inode(const char* table, int port) {
  constexpr const char* kListenState = "0A";
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string slot, local, remote, state, queues, timer, retransmits, uid, timeout, inode;
    fields >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> uid >> timeout >> inode;
    const auto colon = local.rfind(':');
    if (state != kListenState || colon == std::string::npos) continue;
    int value = 0;
    std::from_chars(local.data() + colon + 1, local.data() + local.size(), value, 16);
    if (value == port) return inode;
  }
  return {};
}

bool holds_socket(const std::string& fd_folder, const std::string& inode) {
  DIR* folder = opendir(fd_folder.c_str());
  if (folder == nullptr) return false;
  const std::string wanted = "socket:[" + inode + "]";
  bool found = false;
  while (const dirent* entry = readdir(folder)) {
    std::array<char, 64> target{};
    const ssize_t size = readlink((fd_folder + "/" + entry->d_name).c_str(), target.data(), target.size());
    if (size > 0 && std::string_view(target.data(), static_cast<std::size_t>(size)) == wanted) {
      found = true;
      break;
    }
  }
  closedir(folder);
  return found;
}

}  // namespace

std::optional<std::string> port_holder(int port) {
  std::string inode = listening_inode("/proc/net/tcp", port);
  if (inode.empty()) inode = listening_inode("/proc/net/tcp6", port);
  if (inode.empty()) return std::nullopt;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return std::nullopt;
  std::optional<std::string> holder;
  while (const dirent* entry = readdir(proc)) {
    const std::string pid = entry->d_name;
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!holds_socket("/proc/" + pid + "/fd", inode)) continue;
    std::string name;
    std::getline(std::ifstream("/proc/" + pid + "/comm") >> std::ws, name);
    holder = "process " + name + " (pid " + pid + ")";
    break;
  }
  closedir(proc);
  return holder;
}

}  // namespace tandem::engine::server
