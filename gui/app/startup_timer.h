// Measures what a user waits for: from the start of the process to the first painted window.
#pragma once

class QWidget;

namespace tandem::gui {

// Prints "start to first paint: N ms" to stderr once, after the first paint of `window`. The kernel counts the start of a
// process in hundredths of a second, so the number is that exact.
void printStartupTime(QWidget* window);

}  // namespace tandem::gui
