// Ctrl-C: a flag that commands poll, so that an answer can be stopped without ending the program.
#pragma once

namespace tandem::node {

// Catches SIGINT from now on. System calls that wait (reading a line) are interrupted by it.
void catch_interrupts();
// Whether Ctrl-C was pressed since the last call.
bool take_interrupt();

}  // namespace tandem::node
