#include "gui/planner/load_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "engine/cache/kv_cache.h"
#include "gui/planner/plan_text.h"
#include "gui/planner/plan_view.h"
#include "gui/widgets/badge.h"
#include "gui/widgets/error_text.h"
#include "gui/widgets/format.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr int kMaxConcurrency = 256;
constexpr int kMaxThreads = 1024;
constexpr int kContextStep = 1024;
constexpr std::int64_t kFirstContext = 8192;  // when the user has not chosen one for this model

// A load can take what is available now, not what the machine has in all.
engine::MachineSpec availableOnly(engine::MachineSpec machine) {
  machine.total_bytes = machine.available_bytes;
  return machine;
}

int clampToInt(std::int64_t value) {
  return int(std::clamp<std::int64_t>(value, 1, std::numeric_limits<int>::max()));
}

}  // namespace

LoadDialog::LoadDialog(std::shared_ptr<const ModelRecord> record, engine::MachineSpec machine, const ModelLoadSettings& initial,
                       QWidget* parent)
    : QDialog(parent),
      m_record(std::move(record)),
      m_machine(availableOnly(std::move(machine))),
      m_context(new QSpinBox),
      m_largest(new QPushButton),
      m_concurrency(new QSpinBox),
      m_kvDType(new QComboBox),
      m_threads(new QSpinBox),
      m_view(new PlanView),
      m_badge(new Badge),
      m_verdict(new QLabel),
      m_nearest(new QPushButton),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
  setWindowTitle(tr("Load %1").arg(m_record->name));
  const std::int64_t modelContext = m_record->maxContext > 0 ? m_record->maxContext : kFirstContext;

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, 2 * kGrid);
  layout->setSpacing(2 * kGrid);
  auto* title = new QLabel(m_record->name);
  setTextRole(title, TextRole::Title);
  title->setTextFormat(Qt::PlainText);
  layout->addWidget(title);

  auto* form = new QFormLayout;
  form->setHorizontalSpacing(2 * kGrid);
  form->setVerticalSpacing(kGrid);
  m_context->setRange(1, clampToInt(modelContext));
  m_context->setSingleStep(kContextStep);
  m_context->setGroupSeparatorShown(true);
  m_context->setSuffix(tr(" tokens"));
  m_context->setAccelerated(true);
  m_context->setValue(clampToInt(initial.contextTokens.value_or(std::min(modelContext, kFirstContext))));
  m_context->setToolTip(
      tr("How much of a chat the model sees at once. It was made for up to %1 tokens.").arg(formatCount(modelContext)));
  m_largest->setText(tr("Largest That Fits"));
  m_largest->setAutoDefault(false);
  auto* contextRow = new QHBoxLayout;
  contextRow->setSpacing(kGrid);
  contextRow->addWidget(m_context, 1);
  contextRow->addWidget(m_largest);
  m_concurrency->setRange(1, kMaxConcurrency);
  m_concurrency->setValue(initial.concurrency);
  m_concurrency->setToolTip(tr("Chats that can be answered at the same time, each with the whole context"));
  for (const engine::KvDType dtype :
       {engine::KvDType::kF16, engine::KvDType::kQ8_0, engine::KvDType::kFp8, engine::KvDType::kF32}) {
    if (engine::check_kv_dtype(dtype)) m_kvDType->addItem(kvDTypeText(dtype), int(dtype));
  }
  m_kvDType->setCurrentIndex(std::max(0, m_kvDType->findData(int(initial.kvDType))));
  m_kvDType->setToolTip(tr("How keys and values are stored. f16 is right for almost everything; f32 takes twice as much."));
  m_threads->setRange(0, kMaxThreads);
  m_threads->setSpecialValueText(tr("One per processor core"));
  m_threads->setValue(initial.threads);

  const std::pair<QString, QWidget*> rows[] = {
      {tr("Chats at &once"), m_concurrency}, {tr("&KV cache type"), m_kvDType}, {tr("&Threads"), m_threads}};
  auto* contextLabel = new QLabel(tr("C&ontext"));
  contextLabel->setBuddy(m_context);
  form->addRow(contextLabel, contextRow);
  m_context->setAccessibleName(tr("Context in tokens"));
  for (const auto& [text, widget] : rows) {
    form->addRow(text, widget);
    widget->setAccessibleName(QString(text).remove(QLatin1Char('&')));
  }
  layout->addLayout(form);

  auto* verdictRow = new QHBoxLayout;
  verdictRow->setSpacing(kGrid);
  verdictRow->addWidget(m_badge, 0, Qt::AlignTop);
  m_verdict->setWordWrap(true);
  m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
  verdictRow->addWidget(m_verdict, 1);
  layout->addLayout(verdictRow);
  m_nearest->setAutoDefault(false);
  layout->addWidget(m_nearest, 0, Qt::AlignLeft);
  layout->addWidget(m_view);
  layout->addStretch();

  QPushButton* load = m_buttons->button(QDialogButtonBox::Ok);
  load->setText(tr("Load"));
  load->setIcon({});
  m_buttons->button(QDialogButtonBox::Cancel)->setIcon({});
  setPrimary(load);
  load->setDefault(true);
  layout->addWidget(m_buttons);

  connect(m_context, &QSpinBox::valueChanged, this, &LoadDialog::updatePlan);
  connect(m_concurrency, &QSpinBox::valueChanged, this, &LoadDialog::updatePlan);
  connect(m_kvDType, &QComboBox::currentIndexChanged, this, &LoadDialog::updatePlan);
  connect(m_largest, &QPushButton::clicked, this, [this] {
    if (m_plan && m_plan->max_context > 0) m_context->setValue(clampToInt(m_plan->max_context));
  });
  connect(m_nearest, &QPushButton::clicked, this, [this] {
    if (m_plan && m_plan->nearest_fit) apply(*m_plan->nearest_fit);
  });
  connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  setMinimumWidth(560);
  updatePlan();
  m_context->setFocus();
}

engine::PlanRequest LoadDialog::request() const {
  engine::PlanRequest request;
  request.context_tokens = m_context->value();
  request.concurrency = m_concurrency->value();
  request.kv_dtype = engine::KvDType(m_kvDType->currentData().toInt());
  return request;
}

ModelLoadSettings LoadDialog::settings() const {
  ModelLoadSettings settings;
  settings.contextTokens = m_context->value();
  settings.concurrency = m_concurrency->value();
  settings.kvDType = engine::KvDType(m_kvDType->currentData().toInt());
  settings.threads = m_threads->value();
  return settings;
}

void LoadDialog::apply(const engine::PlanRequest& request) {
  m_context->setValue(clampToInt(request.context_tokens));
  m_concurrency->setValue(request.concurrency);
  m_kvDType->setCurrentIndex(std::max(0, m_kvDType->findData(int(request.kv_dtype))));
}

void LoadDialog::updatePlan() {
  auto plan = engine::make_plan(*m_record->description, m_machine, request());
  m_plan = plan ? std::optional(*plan) : std::nullopt;
  // A second machine is no setting of this load.
  if (m_plan && m_plan->nearest_fit && m_plan->nearest_fit->num_nodes > 1) m_plan->nearest_fit.reset();
  m_buttons->button(QDialogButtonBox::Ok)->setEnabled(fits());
  m_nearest->setVisible(m_plan && !m_plan->fits && m_plan->nearest_fit);
  if (!m_plan) {
    m_view->clear();
    m_badge->setBadge(BadgeKind::Bad, tr("Does not work"));
    m_verdict->setText(errorTitle(plan.error().code) + QLatin1Char(' ') + errorDetail(plan.error()));
    return;
  }
  const engine::NodePlan& node = m_plan->nodes.front();
  m_view->setPlan(*m_plan, {tr("This machine")});
  m_largest->setEnabled(m_plan->max_context > 0);
  const QString needed = formatBytes(node.total_bytes());
  const QString capacity = formatBytes(node.capacity_bytes);
  if (m_plan->fits) {
    m_badge->setBadge(BadgeKind::Good, tr("Fits"));
    m_verdict->setText(tr("Needs %1, %2 are available. The context can be up to %3 tokens for %n chat(s) at once.", nullptr,
                          m_concurrency->value())
                           .arg(needed, capacity, formatCount(m_plan->max_context)));
    return;
  }
  m_badge->setBadge(BadgeKind::Bad, tr("Does not fit"));
  m_verdict->setText(tr("Needs %1, but only %2 are available.").arg(needed, capacity));
  if (m_plan->nearest_fit) m_nearest->setText(tr("Use %1").arg(planRequestText(*m_plan->nearest_fit)));
}

}  // namespace tandem::gui
