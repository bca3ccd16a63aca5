#include "cluster/tandem_node/interrupt.h"

#include <csignal>

namespace tandem::node {
namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigemptyset(&action.sa_mask);
  action.sa_flags = 0;  // no SA_RESTART: a waiting read returns
  sigaction(SIGINT, &action, nullptr);
}

bool take_interrupt() {
  const bool was_interrupted = interrupted != 0;
  interrupted = 0;
  return was_interrupted;
}

}  // namespace tandem::node
