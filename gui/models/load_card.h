// LoadCard: a load under way, or why the last one failed, on the Models page. Hidden otherwise.
#pragma once

#include <QWidget>

#include "gui/app/engine_controller.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace tandem::gui {

class ElidedLabel;

class LoadCard : public QWidget {
  Q_OBJECT
 public:
  explicit LoadCard(EngineController* engine, QWidget* parent = nullptr);
  void retranslate();

 signals:
  // Load the failed model again, with settings to choose.
  void retryRequested(const QString& path);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  EngineController* const m_engine;
  bool m_dismissed = false;
  QLabel* m_icon;
  ElidedLabel* m_title;
  QLabel* m_detail;
  QProgressBar* m_progress;
  QPushButton* m_cancel;
  QPushButton* m_retry;
  QPushButton* m_dismiss;
};

}  // namespace tandem::gui
