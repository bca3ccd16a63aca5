// InstanceLock: one process per history file. Freed by the kernel when the process ends, however it ends.
#pragma once

#include <QString>
#include <memory>

#include "base/result.h"

namespace tandem::gui {

class InstanceLock {
 public:
  // Creates `path` when missing. kUnavailable when another process holds it; the detail names its process id.
  static Result<std::unique_ptr<InstanceLock>> acquire(const QString& path);
  ~InstanceLock();
  InstanceLock(const InstanceLock&) = delete;
  InstanceLock& operator=(const InstanceLock&) = delete;

 private:
  explicit InstanceLock(int descriptor) : m_descriptor(descriptor) {}
  int m_descriptor;
};

}  // namespace tandem::gui
