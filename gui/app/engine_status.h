// EngineStatus: the engine's state in the status bar.
#pragma once

#include <QWidget>

#include "gui/app/engine_controller.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace tandem::gui {

class ElidedLabel;

class EngineStatus : public QWidget {
  Q_OBJECT
 public:
  explicit EngineStatus(EngineController* engine, QWidget* parent = nullptr);
  QString text() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();

  EngineController* const m_engine;
  QLabel* m_dot;
  ElidedLabel* m_text;
  QProgressBar* m_progress;
  QToolButton* m_cancel;
};

}  // namespace tandem::gui
