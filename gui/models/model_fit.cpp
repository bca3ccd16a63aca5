#include "gui/models/model_fit.h"

#include <QCoreApplication>
#include <algorithm>

#include "gui/widgets/format.h"

namespace tandem::gui {
namespace {

constexpr std::int64_t kModerateContext = 8192;

ModelFit plan(const engine::ModelDescription& model, const engine::MachineSpec& machine, int numNodes) {
  engine::PlanRequest request;
  request.num_nodes = numNodes;
  request.context_tokens = kModerateContext;
  if (model.config.max_context > 0) request.context_tokens = std::min(model.config.max_context, kModerateContext);
  ModelFit fit;
  fit.numNodes = numNodes;
  const auto plan = engine::make_plan(model, machine, request);
  if (!plan) return fit;
  for (const engine::NodePlan& node : plan->nodes) {
    fit.neededBytes = std::max<quint64>(fit.neededBytes, node.total_bytes());
    fit.capacityBytes = node.capacity_bytes;
  }
  fit.maxContext = plan->max_context;
  fit.level = plan->fits              ? ModelFit::Level::Fits
              : plan->max_context > 0 ? ModelFit::Level::Reduced
                                      : ModelFit::Level::DoesNotFit;
  return fit;
}

}  // namespace

ModelFit evaluateFit(const engine::ModelDescription& model, const engine::MachineSpec& machine, int numNodes, bool now) {
  const ModelFit ever = plan(model, machine, numNodes);
  if (!now || ever.level == ModelFit::Level::DoesNotFit || ever.level == ModelFit::Level::Unknown) return ever;
  // The planner measures against the whole machine; now, only what is available can be had.
  engine::MachineSpec inUse = machine;
  inUse.total_bytes = machine.available_bytes;
  ModelFit fit = plan(model, inUse, numNodes);
  if (fit.level == ModelFit::Level::DoesNotFit) fit.level = ModelFit::Level::NotNow;
  return fit;
}

BadgeKind fitBadgeKind(ModelFit::Level level) {
  switch (level) {
    case ModelFit::Level::Unknown: return BadgeKind::Neutral;
    case ModelFit::Level::Fits: return BadgeKind::Good;
    case ModelFit::Level::Reduced:
    case ModelFit::Level::NotNow: return BadgeKind::Warn;
    case ModelFit::Level::DoesNotFit: return BadgeKind::Bad;
  }
  return BadgeKind::Neutral;
}

QString fitBadgeText(const ModelFit& fit) {
  switch (fit.level) {
    case ModelFit::Level::Unknown: return QStringLiteral("–");
    case ModelFit::Level::Fits: return QCoreApplication::translate("ModelFit", "Fits", "badge: a model fits a machine");
    case ModelFit::Level::Reduced:
      return QCoreApplication::translate("ModelFit", "Up to %1", "badge: fits with at most this many tokens of context")
          .arg(formatCount(fit.maxContext));
    case ModelFit::Level::NotNow:
      return QCoreApplication::translate("ModelFit", "Not now", "badge: memory is in use by other programs");
    case ModelFit::Level::DoesNotFit: return QCoreApplication::translate("ModelFit", "Too large", "badge");
  }
  return {};
}

QString fitToolTip(const ModelFit& fit) {
  const QString needed = formatBytes(fit.neededBytes);
  const QString capacity = formatBytes(fit.capacityBytes);
  switch (fit.level) {
    case ModelFit::Level::Unknown: return QCoreApplication::translate("ModelFit", "This cannot be planned for this model.");
    case ModelFit::Level::Fits:
      return (fit.numNodes > 1
                  ? QCoreApplication::translate("ModelFit",
                                                "One chat needs %1 of %2 on each machine. The context can be up to %3 tokens.")
                  : QCoreApplication::translate("ModelFit", "One chat needs %1 of %2. The context can be up to %3 tokens."))
          .arg(needed, capacity, formatCount(fit.maxContext));
    case ModelFit::Level::Reduced:
      return QCoreApplication::translate("ModelFit",
                                         "It would need %1 of %2. It fits with a context of up to %3 tokens for one chat.")
          .arg(needed, capacity, formatCount(fit.maxContext));
    case ModelFit::Level::NotNow:
      return QCoreApplication::translate(
                 "ModelFit",
                 "The machine is large enough, but other programs use its memory: %1 are needed, %2 are "
                 "available. Close some of them.")
          .arg(needed, capacity);
    case ModelFit::Level::DoesNotFit:
      return (fit.numNodes > 1 ? QCoreApplication::translate("ModelFit", "It needs %1 on each machine, which has %2.")
                               : QCoreApplication::translate("ModelFit", "It needs %1, and the machine has %2."))
          .arg(needed, capacity);
  }
  return {};
}

}  // namespace tandem::gui
