#include "gui/planner/plan_view.h"

#include <QEvent>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/planner/plan_text.h"
#include "gui/widgets/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/stacked_bar.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr int kSwatch = 12;

// The colour of a part, as in the bar.
class Swatch : public QWidget {
 public:
  Swatch(engine::PlanItem::Kind kind) : m_kind(kind) { setFixedSize(kSwatch, kSwatch); }

 protected:
  void paintEvent(QPaintEvent*) override {
    const ThemeColors& c = ThemeColors::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool hatched = m_kind == engine::PlanItem::Kind::kReserve;
    painter.setPen(hatched ? QPen(c.border) : Qt::NoPen);
    painter.setBrush(hatched ? QBrush(planItemColor(c, m_kind), Qt::BDiagPattern) : QBrush(planItemColor(c, m_kind)));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  }

 private:
  const engine::PlanItem::Kind m_kind;
};

void clearLayout(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (item->widget()) delete item->widget();
    if (item->layout()) clearLayout(item->layout());
    delete item;
  }
}

}  // namespace

PlanView::PlanView(QWidget* parent)
    : QWidget(parent), m_bars(new QVBoxLayout), m_arithmetic(new QToolButton), m_layout(new QVBoxLayout(this)) {
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(kGrid);
  m_bars->setSpacing(kGrid / 2);
  m_layout->addLayout(m_bars);
  m_arithmetic->setCheckable(true);
  m_arithmetic->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_arithmetic->setIconSize({14, 14});
  m_arithmetic->hide();
  connect(m_arithmetic, &QToolButton::toggled, this, &PlanView::rebuild);
  m_layout->addWidget(m_arithmetic, 0, Qt::AlignLeft);
  retranslate();
}

bool PlanView::showsArithmetic() const {
  return m_arithmetic->isChecked();
}
void PlanView::setArithmeticShown(bool shown) {
  m_arithmetic->setChecked(shown);
}

void PlanView::setPlan(const engine::Plan& plan, const QStringList& machineNames) {
  m_plan = plan;
  m_machineNames = machineNames;
  rebuild();
}

void PlanView::clear() {
  m_plan.reset();
  rebuild();
}

void PlanView::retranslate() {
  m_arithmetic->setText(tr("Show the arithmetic"));
  m_arithmetic->setToolTip(tr("How each number was computed"));
  rebuild();
}

void PlanView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // Later: Qt is walking over the very children that a rebuild deletes.
  if (event->type() == QEvent::PaletteChange) QMetaObject::invokeMethod(this, &PlanView::rebuild, Qt::QueuedConnection);
}

void PlanView::rebuild() {
  clearLayout(m_bars);
  delete m_legendBox;
  m_legendBox = nullptr;
  m_arithmetic->setVisible(m_plan.has_value());
  m_arithmetic->setIcon(icon(m_arithmetic->isChecked() ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right")));
  if (!m_plan) return;

  const ThemeColors& colors = ThemeColors::of(palette());
  for (std::size_t node = 0; node < m_plan->nodes.size(); ++node) {
    const engine::NodePlan& plan = m_plan->nodes[node];
    auto* header = new QWidget;
    auto* line = new QHBoxLayout(header);
    line->setContentsMargins(0, node == 0 ? 0 : kGrid, 0, 0);
    auto* name = new QLabel(m_machineNames.value(qsizetype(node)));
    setTextRole(name, TextRole::Heading);
    auto* sum = new QLabel(tr("%1 of %2").arg(formatBytes(plan.total_bytes()), formatBytes(plan.capacity_bytes)));
    if (!plan.fits()) {
      QPalette red = sum->palette();
      red.setColor(QPalette::WindowText, colors.bad);
      sum->setPalette(red);
      sum->setText(tr("%1 of %2: %3 too much")
                       .arg(formatBytes(plan.total_bytes()), formatBytes(plan.capacity_bytes),
                            formatBytes(plan.total_bytes() - plan.capacity_bytes)));
    }
    line->addWidget(name);
    line->addStretch();
    line->addWidget(sum);
    m_bars->addWidget(header);

    QList<StackedBar::Segment> segments;
    for (const engine::PlanItem& item : plan.items) {
      segments.append({planItemName(item.kind), formatBytes(item.bytes), planFormula(item.formula), item.bytes,
                       planItemColor(colors, item.kind), item.kind == engine::PlanItem::Kind::kReserve});
    }
    auto* bar = new StackedBar;
    bar->setAccessibleName(tr("Memory of %1").arg(m_machineNames.value(qsizetype(node))));
    bar->setData(segments, plan.capacity_bytes, tr("Capacity: %1").arg(formatBytes(plan.capacity_bytes)));
    m_bars->addWidget(bar);
  }

  m_legendBox = new QWidget;
  auto* grid = new QGridLayout(m_legendBox);
  grid->setContentsMargins(0, kGrid / 2, 0, 0);
  grid->setHorizontalSpacing(kGrid);
  grid->setVerticalSpacing(kGrid / 2);
  int row = 0;
  for (const engine::PlanItem& item : m_plan->nodes.front().items) {
    // What can never be there is not listed: a model without recurrent layers has no such state.
    if (item.bytes == 0) continue;
    grid->addWidget(new Swatch(item.kind), row, 0, Qt::AlignCenter);
    auto* name = new QLabel(planItemName(item.kind));
    name->setToolTip(planItemExplanation(item.kind));
    grid->addWidget(name, row, 1);
    int column = 2;
    for (const engine::NodePlan& node : m_plan->nodes) {
      auto* value = new QLabel(formatBytes(node.bytes(item.kind)));
      value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
      value->setToolTip(planFormula(item.formula));
      grid->addWidget(value, row, column++);
    }
    if (m_arithmetic->isChecked()) {
      auto* formula = new QLabel(planFormula(item.formula));
      setTextRole(formula, TextRole::Small);
      formula->setWordWrap(true);
      formula->setTextInteractionFlags(Qt::TextSelectableByMouse);
      formula->setMinimumWidth(80);
      ++row;
      grid->addWidget(formula, row, 1, 1, column);
    }
    ++row;
  }
  grid->setColumnStretch(int(m_plan->nodes.size()) + 2, 1);
  m_layout->insertWidget(1, m_legendBox);
}

}  // namespace tandem::gui
