#include "gui/models/model_details.h"

#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "gui/widgets/badge.h"
#include "gui/widgets/elided_label.h"
#include "gui/widgets/error_text.h"
#include "gui/widgets/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

QTableWidget* makeTable(int columns) {
  auto* table = new QTableWidget(0, columns);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->setTabKeyNavigation(false);
  table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(30);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  return table;
}

QTableWidgetItem* cell(const QString& text, bool number = false) {
  auto* item = new QTableWidgetItem(text);
  item->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return item;
}

QLabel* wrapped() {
  auto* label = new QLabel;
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

}  // namespace

ModelDetails::ModelDetails(QWidget* parent) : QWidget(parent), m_stack(new QStackedWidget), m_nothing(new QLabel) {
  setCard(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_stack);
  m_nothing->setAlignment(Qt::AlignCenter);
  m_nothing->setWordWrap(true);
  m_nothing->setMargin(3 * kGrid);
  setTextRole(m_nothing, TextRole::Muted);
  m_stack->addWidget(m_nothing);
  m_stack->addWidget(buildKnown());
  m_stack->addWidget(buildFailed());
}

QWidget* ModelDetails::buildKnown() {
  auto* widget = new QWidget;
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  layout->setSpacing(kGrid);
  m_name = new ElidedLabel;
  setTextRole(m_name, TextRole::Title);
  m_path = new ElidedLabel(Qt::ElideMiddle);
  setTextRole(m_path, TextRole::Muted);
  m_path->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(m_name);
  layout->addWidget(m_path);
  m_demoNote = wrapped();
  setTextRole(m_demoNote, TextRole::Muted);
  layout->addWidget(m_demoNote);
  m_problem = wrapped();
  layout->addWidget(m_problem);

  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(kGrid);
  m_load = new QPushButton;
  setPrimary(m_load);
  m_plan = new QPushButton;
  m_remove = new QPushButton;
  buttons->addWidget(m_load);
  buttons->addWidget(m_plan);
  buttons->addWidget(m_remove);
  buttons->addStretch();
  layout->addLayout(buttons);
  connect(m_load, &QPushButton::clicked, this, [this] { m_isLoaded ? emit unloadRequested() : emit loadRequested(); });
  connect(m_plan, &QPushButton::clicked, this, &ModelDetails::planRequested);
  connect(m_remove, &QPushButton::clicked, this, &ModelDetails::removeRequested);

  m_tabs = new QTabWidget;
  m_tabs->setDocumentMode(true);
  auto* factsBody = new QWidget;
  factsBody->setProperty("scrollBody", true);
  auto* factsLayout = new QVBoxLayout(factsBody);
  factsLayout->setContentsMargins(0, kGrid, kGrid, 0);
  m_facts = new QGridLayout;
  m_facts->setHorizontalSpacing(2 * kGrid);
  m_facts->setVerticalSpacing(kGrid);
  m_facts->setColumnStretch(1, 1);
  factsLayout->addLayout(m_facts);
  factsLayout->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(factsBody);
  m_tabs->addTab(scroll, QString());

  auto* metadataPage = new QWidget;
  auto* metadataLayout = new QVBoxLayout(metadataPage);
  metadataLayout->setContentsMargins(0, kGrid, 0, 0);
  metadataLayout->setSpacing(kGrid);
  m_metadataFilter = new QLineEdit;
  m_metadataFilter->setClearButtonEnabled(true);
  m_metadata = makeTable(2);
  m_metadata->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Interactive);
  m_metadata->horizontalHeader()->setStretchLastSection(true);
  m_metadata->setColumnWidth(0, 200);
  metadataLayout->addWidget(m_metadataFilter);
  metadataLayout->addWidget(m_metadata);
  m_tabs->addTab(metadataPage, QString());
  connect(m_metadataFilter, &QLineEdit::textChanged, this, &ModelDetails::filterMetadata);

  auto* tensorPage = new QWidget;
  auto* tensorLayout = new QVBoxLayout(tensorPage);
  tensorLayout->setContentsMargins(0, kGrid, 0, 0);
  m_tensors = makeTable(4);
  m_tensors->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  tensorLayout->addWidget(m_tensors);
  m_tabs->addTab(tensorPage, QString());
  layout->addWidget(m_tabs, 1);
  return widget;
}

QWidget* ModelDetails::buildFailed() {
  auto* widget = new QWidget;
  auto* layout = new QVBoxLayout(widget);
  layout->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  layout->setSpacing(kGrid);
  m_failedName = new ElidedLabel(Qt::ElideMiddle);
  setTextRole(m_failedName, TextRole::Title);
  m_failedTitle = wrapped();
  setTextRole(m_failedTitle, TextRole::Heading);
  m_failedDetail = wrapped();
  layout->addWidget(m_failedName);
  layout->addWidget(m_failedTitle);
  layout->addWidget(m_failedDetail);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(kGrid);
  m_failedRetry = new QPushButton;
  m_failedRemove = new QPushButton;
  buttons->addWidget(m_failedRetry);
  buttons->addWidget(m_failedRemove);
  buttons->addStretch();
  layout->addSpacing(kGrid);
  layout->addLayout(buttons);
  layout->addStretch();
  connect(m_failedRetry, &QPushButton::clicked, this, &ModelDetails::rescanRequested);
  connect(m_failedRemove, &QPushButton::clicked, this, &ModelDetails::removeRequested);
  return widget;
}

void ModelDetails::showNothing() {
  m_hasEntry = false;
  m_stack->setCurrentIndex(0);
}

void ModelDetails::showEntry(const LibraryEntry& entry, bool isLoaded) {
  const bool sameRecord = m_hasEntry && m_entry.record == entry.record && m_entry.path == entry.path;
  m_entry = entry;
  m_hasEntry = true;
  m_isLoaded = isLoaded;
  if (entry.state == LibraryEntry::State::Failed) {
    m_failedName->setFullText(entry.displayName());
    m_failedTitle->setText(errorTitle(entry.error->code));
    m_failedDetail->setText(errorDetail(*entry.error));
    m_stack->setCurrentIndex(2);
    return;
  }
  if (!entry.record) {
    m_nothing->setText(tr("Reading the header of %1…").arg(entry.displayName()));
    m_stack->setCurrentIndex(0);
    return;
  }
  m_name->setFullText(entry.displayName());
  m_path->setFullText(QDir::toNativeSeparators(entry.path));
  m_demoNote->setVisible(entry.isDemo);
  m_problem->setVisible(entry.record->problem.has_value());
  if (entry.record->problem) {
    m_problem->setText(errorTitle(entry.record->problem->code) + QLatin1Char('\n') + errorDetail(*entry.record->problem));
  }
  m_load->setEnabled(entry.record->description != nullptr);
  m_load->setText(isLoaded ? tr("Unload") : tr("Load…"));
  m_plan->setEnabled(entry.record->description != nullptr);
  fillFacts();
  if (!sameRecord) {
    fillMetadata();
    fillTensors();
  }
  m_stack->setCurrentIndex(1);
}

void ModelDetails::clearFacts() {
  while (QLayoutItem* item = m_facts->takeAt(0)) {
    delete item->widget();
    delete item;
  }
}

void ModelDetails::addFact(const QString& name, const QString& value) {
  if (value.isEmpty()) return;
  const int row = m_facts->rowCount();
  auto* label = new QLabel(name);
  setTextRole(label, TextRole::Muted);
  auto* text = wrapped();
  text->setText(value);
  text->setAccessibleName(tr("%1: %2", "name and value").arg(name, value));
  m_facts->addWidget(label, row, 0, Qt::AlignTop);
  m_facts->addWidget(text, row, 1);
}

void ModelDetails::fillFacts() {
  clearFacts();
  const ModelRecord& record = *m_entry.record;
  addFact(tr("Architecture"), record.architecture);
  addFact(tr("Parameters"), tr("%1 (%2)", "rounded and exact number")
                                .arg(formatParameters(record.numParameters), formatCount(qint64(record.numParameters))));
  addFact(tr("Weights"), record.quantisation);
  addFact(tr("Format"),
          record.files.size() > 1 ? tr("%1, %n file(s)", nullptr, int(record.files.size())).arg(record.format) : record.format);
  addFact(tr("Size"), formatBytes(record.fileBytes));
  if (record.maxContext > 0) addFact(tr("Context"), tr("%1 tokens").arg(formatCount(record.maxContext)));
  if (record.description) {
    const engine::ModelConfig& config = record.description->config;
    addFact(tr("Layers"), formatCount(config.num_layers));
    addFact(tr("Attention heads"),
            tr("%1, sharing %2 key/value heads of %3").arg(config.num_heads).arg(config.num_kv_heads).arg(config.head_dim));
    if (config.moe.is_moe()) {
      addFact(tr("Experts"),
              tr("%1 per layer, %2 used per token").arg(config.moe.num_experts).arg(config.moe.num_experts_used));
    }
    addFact(tr("KV cache"),
            tr("%1 per token in f16").arg(formatBytes(engine::kv_bytes_per_token(config, engine::KvDType::kF16, 1))));
    const std::pair<QString, const ModelFit*> fits[] = {{tr("This machine"), &m_entry.fitHere},
                                                        {tr("One Spark"), &record.fitOneSpark},
                                                        {tr("Two Sparks"), &record.fitTwoSparks}};
    for (const auto& [name, fit] : fits) {
      const int row = m_facts->rowCount();
      auto* label = new QLabel(name);
      setTextRole(label, TextRole::Muted);
      auto* value = new QWidget;
      auto* layout = new QVBoxLayout(value);
      layout->setContentsMargins(0, 0, 0, 0);
      layout->setSpacing(kGrid / 2);
      auto* badge = new Badge;
      badge->setBadge(fitBadgeKind(fit->level), fitBadgeText(*fit));
      layout->addWidget(badge, 0, Qt::AlignLeft);
      auto* why = wrapped();
      setTextRole(why, TextRole::Small);
      why->setText(fitToolTip(*fit));
      layout->addWidget(why);
      m_facts->addWidget(label, row, 0, Qt::AlignTop);
      m_facts->addWidget(value, row, 1);
    }
  }
}

void ModelDetails::fillMetadata() {
  const auto& rows = m_entry.record->metadata;
  m_metadata->setRowCount(int(rows.size()));
  for (int i = 0; i < rows.size(); ++i) {
    m_metadata->setItem(i, 0, cell(rows[i].first));
    // One line a row; the tooltip has the rest.
    auto* value = cell(rows[i].second.simplified());
    value->setToolTip(rows[i].second);
    m_metadata->setItem(i, 1, value);
  }
  filterMetadata();
}

void ModelDetails::filterMetadata() {
  const QString wanted = m_metadataFilter->text();
  for (int i = 0; i < m_metadata->rowCount(); ++i) {
    const bool shown = wanted.isEmpty() || m_metadata->item(i, 0)->text().contains(wanted, Qt::CaseInsensitive) ||
                       m_metadata->item(i, 1)->text().contains(wanted, Qt::CaseInsensitive);
    m_metadata->setRowHidden(i, !shown);
  }
}

void ModelDetails::fillTensors() {
  const auto& rows = m_entry.record->tensorTypes;
  m_tensors->setRowCount(int(rows.size()));
  for (int i = 0; i < rows.size(); ++i) {
    m_tensors->setItem(i, 0, cell(rows[i].type));
    m_tensors->setItem(i, 1, cell(formatCount(rows[i].numTensors), true));
    m_tensors->setItem(i, 2, cell(formatParameters(rows[i].numParameters), true));
    m_tensors->setItem(i, 3, cell(formatBytes(rows[i].bytes), true));
  }
}

void ModelDetails::retranslate() {
  setAccessibleName(tr("Details of the chosen model"));
  m_nothing->setText(tr("Choose a model to see what is in it."));
  m_demoNote->setText(tr(
      "This tiny model came with Tandem to show that everything works. It knows little and is often wrong; it is not fit for "
      "real answers."));
  m_plan->setText(tr("Plan"));
  m_plan->setToolTip(tr("Show this model's memory budget on the Plan page"));
  m_remove->setText(tr("Remove from List"));
  m_remove->setToolTip(tr("Takes the model off this list. Its files stay where they are."));
  m_tabs->setTabText(0, tr("Overview"));
  m_tabs->setTabText(1, tr("Metadata"));
  m_tabs->setTabText(2, tr("Tensors"));
  m_metadataFilter->setPlaceholderText(tr("Filter metadata"));
  m_metadataFilter->setAccessibleName(tr("Filter metadata"));
  m_metadata->setHorizontalHeaderLabels({tr("Key"), tr("Value")});
  m_metadata->setAccessibleName(tr("Metadata of the model file"));
  m_tensors->setHorizontalHeaderLabels({tr("Type", "of a tensor"), tr("Tensors"), tr("Parameters"), tr("Size")});
  for (int column = 1; column < 4; ++column)
    m_tensors->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_tensors->setAccessibleName(tr("Tensors by type"));
  m_failedRetry->setText(tr("Read Again"));
  m_failedRemove->setText(tr("Remove from List"));
  if (m_hasEntry) showEntry(LibraryEntry(m_entry), m_isLoaded);
}

}  // namespace tandem::gui
