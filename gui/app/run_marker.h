// RunMarker: tells at start whether the program ended normally last time.
#pragma once

#include <QLockFile>
#include <QString>

namespace tandem::gui {

// The marker is a lock file that names its process: one that is left over, and whose process is gone, means an unclean end.
class RunMarker {
 public:
  enum class LastEnd {
    Clean,    // or never ran
    Unclean,  // killed, crashed, or the machine went down
    Running,  // another window of this user is open
  };

  explicit RunMarker(const QString& file) : m_lock(file), m_file(file) {}
  // Call once, before anything heavy starts. The marker is taken, and removed on destruction, unless another holds it.
  LastEnd begin();

 private:
  QLockFile m_lock;
  const QString m_file;
};

}  // namespace tandem::gui
