#include "gui/app/termination.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace tandem::gui {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> writeEnd{-1};

// Only write() is allowed here; the pipe carries the news to the event loop.
void onSignal(int) {
  const char byte = 1;
  [[maybe_unused]] const auto written = write(writeEnd.load(), &byte, 1);
}

}  // namespace

Termination::Termination(std::function<void()> closeWindow) {
  if (pipe2(m_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;
  writeEnd = m_pipe[1];
  m_notifier = std::make_unique<QSocketNotifier>(m_pipe[0], QSocketNotifier::Read);
  QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(),
                   [this, closeWindow = std::move(closeWindow)] {
                     char byte = 0;
                     [[maybe_unused]] const auto count = read(m_pipe[0], &byte, 1);
                     closeWindow();
                   });
  for (const int signal : kSignals) std::signal(signal, onSignal);
}

Termination::~Termination() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  writeEnd = -1;
  for (const int end : m_pipe) {
    if (end >= 0) close(end);
  }
}

}  // namespace tandem::gui
