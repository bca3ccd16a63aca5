#include "gui/planner/plan_page.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "gui/planner/bandwidth_probe.h"
#include "gui/planner/plan_models.h"
#include "gui/planner/plan_text.h"
#include "gui/planner/plan_view.h"
#include "gui/widgets/badge.h"
#include "gui/widgets/empty_state.h"
#include "gui/widgets/error_text.h"
#include "gui/widgets/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr int kFormWidth = 304;
constexpr int kMaxConcurrency = 1024;
constexpr int kFirstContext = 8192;

int clampToInt(std::int64_t value) {
  return int(std::clamp<std::int64_t>(value, 1, std::numeric_limits<int>::max()));
}

}  // namespace

PlanPage::PlanPage(PlanModels* models, BandwidthProbe* probe, ThisMachine thisMachine, QWidget* parent)
    : Page(parent),
      m_models(models),
      m_probe(probe),
      m_thisMachine(std::move(thisMachine)),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(QStringLiteral("plan"))),
      m_title(new QLabel),
      m_subtitle(new QLabel) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(3 * kGrid, 2 * kGrid, 3 * kGrid, 2 * kGrid);
  layout->setSpacing(kGrid / 2);
  setTextRole(m_title, TextRole::Title);
  setTextRole(m_subtitle, TextRole::Muted);
  m_subtitle->setWordWrap(true);
  layout->addWidget(m_title);
  layout->addWidget(m_subtitle);
  layout->addSpacing(kGrid);
  layout->addWidget(m_stack, 1);

  auto* content = new QWidget;
  auto* columns = new QHBoxLayout(content);
  columns->setContentsMargins(0, 0, 0, 0);
  columns->setSpacing(2 * kGrid);
  columns->addWidget(buildForm());
  columns->addWidget(buildResult(), 1);
  m_stack->addWidget(m_empty);
  m_stack->addWidget(content);
  m_emptyAdd = m_empty->addButton();
  connect(m_emptyAdd, &QPushButton::clicked, this, [this] { emit pageRequested(QStringLiteral("models")); });

  connect(m_models, &PlanModels::modelsChanged, this, &PlanPage::fillModels);
  connect(m_model, &QComboBox::currentIndexChanged, this, [this] {
    limitContext();
    updatePlan();
  });
  connect(m_machine, &QComboBox::currentIndexChanged, this, &PlanPage::updatePlan);
  connect(m_context, &QSpinBox::valueChanged, this, &PlanPage::updatePlan);
  connect(m_concurrency, &QSpinBox::valueChanged, this, &PlanPage::updatePlan);
  connect(m_kvDType, &QComboBox::currentIndexChanged, this, &PlanPage::updatePlan);
  connect(m_largestContext, &QPushButton::clicked, this, [this] {
    if (m_plan && m_plan->max_context > 0) m_context->setValue(clampToInt(m_plan->max_context));
  });
  connect(m_nearest, &QPushButton::clicked, this, [this] {
    if (!m_plan || !m_plan->nearest_fit) return;
    const engine::PlanRequest fit = *m_plan->nearest_fit;  // the plan changes with each of these
    if (fit.num_nodes == 2) setMachine(Machine::TwoSparks);
    m_concurrency->setValue(fit.concurrency);
    m_kvDType->setCurrentIndex(std::max(0, m_kvDType->findData(int(fit.kv_dtype))));
    m_context->setValue(clampToInt(fit.context_tokens));
  });
  connect(m_measure, &QPushButton::clicked, m_probe, &BandwidthProbe::measure);
  connect(m_probe, &BandwidthProbe::measuringChanged, this, &PlanPage::updateBandwidth);
  connect(m_probe, &BandwidthProbe::measured, this, &PlanPage::updatePlan);
  m_context->setValue(kFirstContext);
  fillModels();
}

QWidget* PlanPage::buildForm() {
  auto* card = new QWidget;
  setCard(card);
  card->setFixedWidth(kFormWidth);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  layout->setSpacing(kGrid / 2);

  m_model = new QComboBox;
  m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_model->setMinimumContentsLength(12);
  m_model->setMaxVisibleItems(20);
  m_machine = new QComboBox;
  for (const Machine machine : {Machine::This, Machine::OneSpark, Machine::TwoSparks}) {
    m_machine->addItem(QString(), int(machine));
  }
  m_context = new QSpinBox;
  m_context->setSingleStep(1024);
  m_context->setGroupSeparatorShown(true);
  m_context->setAccelerated(true);
  m_context->setRange(1, std::numeric_limits<int>::max());
  m_largestContext = new QPushButton;
  m_concurrency = new QSpinBox;
  m_concurrency->setRange(1, kMaxConcurrency);
  m_kvDType = new QComboBox;
  for (const engine::KvDType dtype : {engine::KvDType::kF16, engine::KvDType::kQ8_0, engine::KvDType::kFp8}) {
    m_kvDType->addItem(kvDTypeText(dtype), int(dtype));
  }
  m_modelNote = new QLabel;
  m_modelNote->setWordWrap(true);
  setTextRole(m_modelNote, TextRole::Small);

  QWidget* fields[] = {m_model, m_machine, m_context, m_concurrency, m_kvDType};
  for (int i = 0; i < 5; ++i) {
    m_labels[i] = new QLabel;
    m_labels[i]->setBuddy(fields[i]);
    if (i > 0) layout->addSpacing(kGrid);
    layout->addWidget(m_labels[i]);
    layout->addWidget(fields[i]);
    if (fields[i] == m_model) layout->addWidget(m_modelNote);
    if (fields[i] == m_context) layout->addWidget(m_largestContext);
  }
  layout->addStretch();
  return card;
}

QWidget* PlanPage::buildResult() {
  auto* body = new QWidget;
  body->setProperty("scrollBody", true);
  auto* layout = new QVBoxLayout(body);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2 * kGrid);

  auto* memory = new QWidget;
  setCard(memory);
  auto* memoryLayout = new QVBoxLayout(memory);
  memoryLayout->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  memoryLayout->setSpacing(12);
  auto* verdictRow = new QHBoxLayout;
  verdictRow->setSpacing(12);
  m_badge = new Badge;
  m_verdict = new QLabel;
  m_verdict->setWordWrap(true);
  m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_nearest = new QPushButton;
  verdictRow->addWidget(m_badge, 0, Qt::AlignTop);
  verdictRow->addWidget(m_verdict, 1);
  memoryLayout->addLayout(verdictRow);
  memoryLayout->addWidget(m_nearest, 0, Qt::AlignLeft);
  m_view = new PlanView;
  memoryLayout->addWidget(m_view);
  layout->addWidget(memory);

  auto* figures = new QWidget;
  setCard(figures);
  auto* grid = new QGridLayout(figures);
  grid->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  grid->setHorizontalSpacing(3 * kGrid);
  grid->setVerticalSpacing(2);
  m_maxContext = addFigure(grid, 0, 0);
  m_maxChats = addFigure(grid, 1, 0);
  m_kvPerToken = addFigure(grid, 2, 0);
  grid->setRowMinimumHeight(3, 2 * kGrid);
  m_ceiling = addFigure(grid, 0, 4);
  m_ceilingFull = addFigure(grid, 1, 4);
  m_readPerToken = addFigure(grid, 2, 4);
  for (int column = 0; column < 3; ++column) grid->setColumnStretch(column, 1);
  m_measure = new QPushButton;
  grid->setRowMinimumHeight(7, kGrid);
  grid->addWidget(m_measure, 8, 0, 1, 3, Qt::AlignLeft);
  layout->addWidget(figures);
  layout->addStretch();

  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(body);
  return scroll;
}

PlanPage::Figure PlanPage::addFigure(QGridLayout* grid, int column, int row) {
  Figure figure{new QLabel, new QLabel, new QLabel};
  setTextRole(figure.name, TextRole::Muted);
  setTextRole(figure.value, TextRole::Title);
  setTextRole(figure.note, TextRole::Small);
  for (QLabel* label : {figure.name, figure.value, figure.note}) {
    label->setWordWrap(label != figure.value);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  figure.note->setAlignment(Qt::AlignTop);
  grid->addWidget(figure.name, row, column);
  grid->addWidget(figure.value, row + 1, column);
  grid->addWidget(figure.note, row + 2, column, Qt::AlignTop);
  return figure;
}

void PlanPage::focusFirst() {
  m_model->setFocus(Qt::OtherFocusReason);
}

// The machine's memory may have changed while another page was shown.
void PlanPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  updatePlan();
}

void PlanPage::fillModels() {
  const QString chosen = m_model->currentData().toString();
  {
    const QSignalBlocker blocker(m_model);
    m_model->clear();
    PlanModel::Source last = PlanModel::Source::Library;
    for (const PlanModel& model : m_models->models()) {
      if (model.source != last && m_model->count() > 0) m_model->insertSeparator(m_model->count());
      last = model.source;
      m_model->addItem(icon(model.source == PlanModel::Source::Library ? QStringLiteral("models") : QStringLiteral("info")),
                       model.label, model.id);
    }
    m_model->setCurrentIndex(std::max(0, m_model->findData(chosen)));
  }
  m_stack->setCurrentIndex(m_models->models().isEmpty() ? 0 : 1);
  limitContext();
  updatePlan();
}

bool PlanPage::showModel(const QString& id) {
  const int index = m_model->findData(id);
  if (index < 0) return false;
  m_model->setCurrentIndex(index);
  return true;
}

void PlanPage::setMachine(Machine machine) {
  m_machine->setCurrentIndex(m_machine->findData(int(machine)));
}

void PlanPage::limitContext() {
  const PlanModel* model = m_models->find(m_model->currentData().toString());
  if (!model) return;
  const QSignalBlocker blocker(m_context);
  const std::int64_t limit = model->description->config.max_context;
  m_context->setMaximum(limit > 0 ? clampToInt(limit) : std::numeric_limits<int>::max());
}

engine::PlanRequest PlanPage::request() const {
  engine::PlanRequest request;
  request.num_nodes = m_machine->currentData().toInt() == int(Machine::TwoSparks) ? 2 : 1;
  request.context_tokens = m_context->value();
  request.concurrency = m_concurrency->value();
  request.kv_dtype = engine::KvDType(m_kvDType->currentData().toInt());
  return request;
}

Result<engine::MachineSpec> PlanPage::machine() const {
  if (m_machine->currentData().toInt() != int(Machine::This)) return engine::dgx_spark();
  auto machine = TANDEM_TRY(m_thisMachine());
  machine.bandwidth_bytes_per_s = m_probe->bytesPerSecond();
  return machine;
}

QStringList PlanPage::machineNames() const {
  switch (Machine(m_machine->currentData().toInt())) {
    case Machine::This: return {tr("This machine")};
    case Machine::OneSpark: return {tr("DGX Spark")};
    case Machine::TwoSparks: return {tr("Spark 1"), tr("Spark 2")};
  }
  return {};
}

void PlanPage::updatePlan() {
  const PlanModel* model = m_models->find(m_model->currentData().toString());
  m_plan.reset();
  if (!model) return;
  m_modelNote->setText(model->source == PlanModel::Source::Catalogue
                           ? tr("From the catalogue: not on this machine. The file's own numbers may differ a little.")
                           : QString());
  m_modelNote->setVisible(!m_modelNote->text().isEmpty());

  const auto spec = machine();
  auto plan = spec ? engine::make_plan(*model->description, *spec, request()) : Result<engine::Plan>(spec.error());
  if (!plan) {
    m_badge->setBadge(BadgeKind::Bad, tr("Does not work"));
    m_verdict->setText(errorTitle(plan.error().code) + QLatin1Char(' ') + errorDetail(plan.error()));
    m_nearest->hide();
    m_view->clear();
    return;
  }
  m_plan = std::move(*plan);
  const engine::NodePlan& node = m_plan->nodes.front();
  const QString needed = formatBytes(node.total_bytes());
  const QString capacity = formatBytes(node.capacity_bytes);
  if (m_plan->fits) {
    m_badge->setBadge(BadgeKind::Good, tr("Fits"));
    m_verdict->setText(m_plan->nodes.size() > 1 ? tr("Needs %1 of %2 on each machine.").arg(needed, capacity)
                                                : tr("Needs %1 of %2.").arg(needed, capacity));
  } else {
    m_badge->setBadge(BadgeKind::Bad, tr("Does not fit"));
    m_verdict->setText(m_plan->nodes.size() > 1
                           ? tr("Needs %1 on each machine, but each has only %2 for it.").arg(needed, capacity)
                           : tr("Needs %1, but there are only %2 for it.").arg(needed, capacity));
  }
  m_nearest->setVisible(!m_plan->fits && m_plan->nearest_fit);
  if (m_plan->nearest_fit) m_nearest->setText(tr("Use %1").arg(planRequestText(*m_plan->nearest_fit)));
  m_view->setPlan(*m_plan, machineNames());
  m_largestContext->setEnabled(m_plan->max_context > 0);
  updateFigures(*spec);
}

void PlanPage::updateFigures(const engine::MachineSpec& machine) {
  const engine::Plan& plan = *m_plan;
  const QString none = tr("None", "no context or no chat fits");
  m_maxContext.value->setText(plan.max_context > 0 ? tr("%1 tokens").arg(formatCount(plan.max_context)) : none);
  m_maxContext.note->setText(tr("for %n chat(s) at once", nullptr, plan.request.concurrency));
  m_maxChats.value->setText(plan.max_concurrency > 0 ? formatCount(plan.max_concurrency) : none);
  m_maxChats.note->setText(tr("with %1 tokens each").arg(formatCount(plan.request.context_tokens)));
  m_kvPerToken.value->setText(formatBytes(plan.kv_bytes_per_token));
  m_kvPerToken.note->setText(plan.nodes.size() > 1 ? tr("on each machine")
                                                   : tr("in %1").arg(kvDTypeText(plan.request.kv_dtype)));
  m_readPerToken.value->setText(formatBytes(plan.bytes_read_per_token));
  m_readPerToken.note->setText(tr("weights that one answer token reads"));

  const bool known = plan.decode_tokens_per_s_limit > 0.0;
  const QString bandwidth = formatBytesPerSecond(machine.bandwidth_bytes_per_s);
  m_ceiling.value->setText(known ? formatTokensPerSecond(plan.decode_tokens_per_s_limit_empty) : QStringLiteral("–"));
  m_ceilingFull.value->setText(known ? formatTokensPerSecond(plan.decode_tokens_per_s_limit) : QStringLiteral("–"));
  if (known) {
    m_ceiling.note->setText(tr("one chat, empty context: memory bandwidth %1 ÷ bytes read per token").arg(bandwidth));
    m_ceilingFull.note->setText(tr("one chat, full context: its keys and values are read too"));
  } else {
    m_ceiling.note->setText(tr("memory bandwidth of this machine is not measured yet"));
    m_ceilingFull.note->clear();
  }
  updateBandwidth();
}

void PlanPage::updateBandwidth() {
  const bool here = m_machine->currentData().toInt() == int(Machine::This);
  m_measure->setVisible(here && m_probe->bytesPerSecond() <= 0.0);
  m_measure->setEnabled(!m_probe->isMeasuring());
  m_measure->setText(m_probe->isMeasuring() ? tr("Measuring…") : tr("Measure Memory Bandwidth"));
}

void PlanPage::retranslate() {
  m_title->setText(tr("Memory plan"));
  m_subtitle->setText(
      tr("See what a model needs before you load or download it. The engine keeps to these numbers: it refuses what does not "
         "fit."));
  m_empty->setTexts(tr("Nothing to plan yet"), tr("Add a model on the Models page, then come back to see what it needs."));
  m_emptyAdd->setText(tr("Go to Models"));
  const QString labels[] = {tr("&Model"), tr("M&achine"), tr("C&ontext"), tr("Chats at on&ce"), tr("&KV cache type")};
  QWidget* fields[] = {m_model, m_machine, m_context, m_concurrency, m_kvDType};
  for (int i = 0; i < 5; ++i) {
    m_labels[i]->setText(labels[i]);
    fields[i]->setAccessibleName(QString(labels[i]).remove(QLatin1Char('&')));
  }
  const QString machines[] = {tr("This machine"), tr("One DGX Spark"), tr("Two DGX Sparks")};
  for (int i = 0; i < 3; ++i) m_machine->setItemText(i, machines[i]);
  m_context->setSuffix(tr(" tokens"));
  m_context->setToolTip(tr("How much of a chat the model sees at once"));
  m_concurrency->setToolTip(tr("Chats that are answered at the same time, each with the whole context"));
  m_kvDType->setToolTip(tr("q8_0 and fp8 take about half the memory of f16, with a small loss of precision"));
  m_largestContext->setText(tr("Largest That Fits"));
  m_maxContext.name->setText(tr("Largest context"));
  m_maxChats.name->setText(tr("Most chats at once"));
  m_kvPerToken.name->setText(tr("KV cache per token"));
  m_readPerToken.name->setText(tr("Read per token"));
  m_ceiling.name->setText(tr("Decode speed, at most"));
  m_ceilingFull.name->setText(tr("With a full context, at most"));
  m_view->retranslate();
  updatePlan();
  updateBandwidth();
}

}  // namespace tandem::gui
