// PlanView: a memory plan as one stacked bar per machine, with a legend and the arithmetic behind each number.
#pragma once

#include <QList>
#include <QWidget>
#include <optional>

#include "engine/planner/planner.h"

class QGridLayout;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace tandem::gui {

class StackedBar;

class PlanView : public QWidget {
  Q_OBJECT
 public:
  explicit PlanView(QWidget* parent = nullptr);

  // One name per node of the plan: "Spark 1".
  void setPlan(const engine::Plan& plan, const QStringList& machineNames);
  void clear();
  void retranslate();
  bool showsArithmetic() const;

 public slots:
  void setArithmeticShown(bool shown);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void rebuild();

  std::optional<engine::Plan> m_plan;
  QStringList m_machineNames;
  QVBoxLayout* m_bars;
  QWidget* m_legendBox = nullptr;
  QToolButton* m_arithmetic;
  QVBoxLayout* m_layout;
};

}  // namespace tandem::gui
