// Termination: ends the program in order when the terminal or the system asks it to.
#pragma once

#include <QSocketNotifier>
#include <functional>
#include <memory>

namespace tandem::gui {

// SIGINT, SIGTERM and SIGHUP call `closeWindow` on the GUI thread. One at a time may exist.
class Termination {
 public:
  explicit Termination(std::function<void()> closeWindow);
  ~Termination();
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;

 private:
  int m_pipe[2] = {-1, -1};
  std::unique_ptr<QSocketNotifier> m_notifier;
};

}  // namespace tandem::gui
