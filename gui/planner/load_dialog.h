// LoadDialog: settings of a load, with what they need and what this machine has, before anything is loaded.
#pragma once

#include <QDialog>
#include <memory>
#include <optional>

#include "engine/planner/planner.h"
#include "gui/app/app_settings.h"
#include "gui/models/model_record.h"

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace tandem::gui {

class Badge;
class PlanView;

class LoadDialog : public QDialog {
  Q_OBJECT
 public:
  // The record must have a description. `machine`: this machine, with the memory counted as available that the model loaded
  // now will give back.
  LoadDialog(std::shared_ptr<const ModelRecord> record, engine::MachineSpec machine, const ModelLoadSettings& initial,
             QWidget* parent = nullptr);

  ModelLoadSettings settings() const;
  bool fits() const { return m_plan && m_plan->fits; }
  const std::optional<engine::Plan>& plan() const { return m_plan; }

 private:
  engine::PlanRequest request() const;
  void updatePlan();
  void apply(const engine::PlanRequest& request);

  const std::shared_ptr<const ModelRecord> m_record;
  const engine::MachineSpec m_machine;
  std::optional<engine::Plan> m_plan;

  QSpinBox* m_context;
  QPushButton* m_largest;
  QSpinBox* m_concurrency;
  QComboBox* m_kvDType;
  QSpinBox* m_threads;
  PlanView* m_view;
  Badge* m_badge;
  QLabel* m_verdict;
  QPushButton* m_nearest;
  QDialogButtonBox* m_buttons;
};

}  // namespace tandem::gui
