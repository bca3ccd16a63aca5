// PlanPage: what a model needs and how fast it can be, on machines that are here or not.
#pragma once

#include <functional>
#include <optional>

#include "engine/planner/planner.h"
#include "gui/widgets/page.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QSpinBox;
class QStackedWidget;

namespace tandem::gui {

class Badge;
class BandwidthProbe;
class EmptyState;
class PlanModels;
class PlanView;

class PlanPage : public Page {
  Q_OBJECT
 public:
  enum class Machine { This, OneSpark, TwoSparks };
  using ThisMachine = std::function<Result<engine::MachineSpec>()>;

  // All outlive the page.
  PlanPage(PlanModels* models, BandwidthProbe* probe, ThisMachine thisMachine, QWidget* parent = nullptr);

  QString pageId() const override { return QStringLiteral("plan"); }
  QString title() const override { return tr("Plan"); }
  QString iconName() const override { return QStringLiteral("plan"); }
  void focusFirst() override;
  void retranslate() override;

  // Chooses the model; false when it cannot be planned.
  bool showModel(const QString& id);
  void setMachine(Machine machine);
  const std::optional<engine::Plan>& plan() const { return m_plan; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Figure {
    QLabel* name = nullptr;
    QLabel* value = nullptr;
    QLabel* note = nullptr;
  };

  QWidget* buildForm();
  QWidget* buildResult();
  Figure addFigure(QGridLayout* grid, int column, int row);
  void fillModels();
  void limitContext();
  void updatePlan();
  void updateFigures(const engine::MachineSpec& machine);
  void updateBandwidth();
  engine::PlanRequest request() const;
  Result<engine::MachineSpec> machine() const;
  QStringList machineNames() const;

  PlanModels* const m_models;
  BandwidthProbe* const m_probe;
  const ThisMachine m_thisMachine;
  std::optional<engine::Plan> m_plan;

  QStackedWidget* m_stack;
  EmptyState* m_empty;
  QPushButton* m_emptyAdd;
  QLabel* m_title;
  QLabel* m_subtitle;
  QComboBox* m_model = nullptr;
  QComboBox* m_machine = nullptr;
  QSpinBox* m_context = nullptr;
  QSpinBox* m_concurrency = nullptr;
  QComboBox* m_kvDType = nullptr;
  QPushButton* m_largestContext = nullptr;
  QLabel* m_labels[5] = {};
  QLabel* m_modelNote = nullptr;
  Badge* m_badge = nullptr;
  QLabel* m_verdict = nullptr;
  QPushButton* m_nearest = nullptr;
  PlanView* m_view = nullptr;
  Figure m_maxContext, m_maxChats, m_kvPerToken, m_readPerToken, m_ceiling, m_ceilingFull;
  QPushButton* m_measure = nullptr;
};

}  // namespace tandem::gui
