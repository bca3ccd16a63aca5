// MachineMemory: this machine's memory, read every few seconds.
#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "base/system_memory.h"

namespace tandem::gui {

class MachineMemory : public QObject {
  Q_OBJECT
 public:
  explicit MachineMemory(QObject* parent = nullptr);
  // Absent when /proc/meminfo cannot be read.
  const std::optional<SystemMemory>& last() const { return m_last; }

 public slots:
  void read();

 signals:
  void memoryRead();

 private:
  QTimer m_timer;
  std::optional<SystemMemory> m_last;
};

}  // namespace tandem::gui
