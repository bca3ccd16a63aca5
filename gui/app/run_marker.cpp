#include "gui/app/run_marker.h"

#include <QFile>

namespace tandem::gui {

RunMarker::LastEnd RunMarker::begin() {
  const bool leftOver = QFile::exists(m_file);
  m_lock.setStaleLockTime(0);  // never stale by age: only when its process has gone
  if (m_lock.tryLock(0)) return leftOver ? LastEnd::Unclean : LastEnd::Clean;
  return m_lock.error() == QLockFile::LockFailedError ? LastEnd::Running : LastEnd::Clean;
}

}  // namespace tandem::gui
