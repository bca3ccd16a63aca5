#include "gui/history/instance_lock.h"

#include <QFile>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>

namespace tandem::gui {

Result<std::unique_ptr<InstanceLock>> InstanceLock::acquire(const QString& path) {
  const int descriptor = ::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return Error{ErrorCode::kIo, "Chat history: cannot create " + path.toStdString() + ": " + std::strerror(errno)};
  }
  // flock, not a file that names a process: nothing stale is left after kill -9.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    char holder[32] = {};
    const ssize_t length = ::pread(descriptor, holder, sizeof holder - 1, 0);
    ::close(descriptor);
    if (error != EWOULDBLOCK) {
      return Error{ErrorCode::kIo, "Chat history: cannot lock " + path.toStdString() + ": " + std::strerror(error)};
    }
    return Error{ErrorCode::kUnavailable, "Chat history: in use by another Tandem (process " +
                                              std::string(length > 0 ? holder : "unknown") +
                                              "). Close it there, then try again."};
  }
  const std::string self = std::to_string(::getpid());
  // Only for the message above; the lock works without it.
  if (::ftruncate(descriptor, 0) == 0) (void)!::pwrite(descriptor, self.data(), self.size(), 0);
  return std::unique_ptr<InstanceLock>(new InstanceLock(descriptor));
}

InstanceLock::~InstanceLock() {
  ::close(m_descriptor);
}

}  // namespace tandem::gui
