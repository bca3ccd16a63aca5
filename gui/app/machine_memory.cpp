#include "gui/app/machine_memory.h"

namespace tandem::gui {

MachineMemory::MachineMemory(QObject* parent) : QObject(parent) {
  m_timer.setInterval(2000);
  connect(&m_timer, &QTimer::timeout, this, &MachineMemory::read);
  m_timer.start();
  read();
}

// /proc answers from memory in microseconds; no disk is asked.
void MachineMemory::read() {
  const auto memory = read_system_memory();
  m_last = memory ? std::optional(*memory) : std::nullopt;
  emit memoryRead();
}

}  // namespace tandem::gui
