#include "gui/widgets/page.h"

#include <QEvent>

namespace tandem::gui {

void Page::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::LanguageChange) retranslate();
}

}  // namespace tandem::gui
