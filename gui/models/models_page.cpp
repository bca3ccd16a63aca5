#include "gui/models/models_page.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "gui/app/app_settings.h"
#include "gui/app/engine_controller.h"
#include "gui/models/library_delegate.h"
#include "gui/models/library_table_model.h"
#include "gui/models/load_card.h"
#include "gui/models/model_details.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/empty_state.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {
const QString kSplitterState = QStringLiteral("models.splitter");
const QString kHeaderState = QStringLiteral("models.columns");
constexpr int kFilterWidth = 220;
}  // namespace

ModelsPage::ModelsPage(ModelLibrary* library, EngineController* engine, AppSettings* settings, QWidget* parent)
    : Page(parent),
      m_library(library),
      m_engine(engine),
      m_settings(settings),
      m_title(new QLabel),
      m_scanning(new QLabel),
      m_banner(new Banner),
      m_loadCard(new LoadCard(engine)),
      m_stack(new QStackedWidget),
      m_splitter(new QSplitter),
      m_model(new LibraryTableModel(library, this)),
      m_sorted(new LibrarySortModel(this)),
      m_details(new ModelDetails),
      m_empty(new EmptyState(QStringLiteral("models"))) {
  buildActions();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(3 * kGrid, 2 * kGrid, 3 * kGrid, 2 * kGrid);
  layout->setSpacing(12);
  layout->addWidget(buildToolbar());
  layout->addWidget(m_banner);
  layout->addWidget(m_loadCard);
  layout->addWidget(m_stack, 1);

  m_splitter->setChildrenCollapsible(false);
  m_splitter->setHandleWidth(2 * kGrid);
  m_splitter->addWidget(buildTable());
  m_splitter->addWidget(m_details);
  m_splitter->setStretchFactor(0, 1);
  m_splitter->setSizes({748, 316});
  m_details->setMinimumWidth(280);
  m_stack->addWidget(m_empty);
  m_stack->addWidget(m_splitter);

  m_emptyFile = m_empty->addButton();
  m_emptyFolder = m_empty->addButton();
  connect(m_emptyFile, &QPushButton::clicked, m_addFile, &QAction::trigger);
  connect(m_emptyFolder, &QPushButton::clicked, m_addFolder, &QAction::trigger);

  connect(m_details, &ModelDetails::loadRequested, m_load, &QAction::trigger);
  connect(m_details, &ModelDetails::unloadRequested, engine, &EngineController::unload);
  connect(m_details, &ModelDetails::removeRequested, this, &ModelsPage::removeSelected);
  connect(m_details, &ModelDetails::rescanRequested, this, [this] { m_library->rescan(selectedPath()); });
  connect(m_details, &ModelDetails::planRequested, this, [this] { emit planRequested(selectedPath()); });
  connect(m_loadCard, &LoadCard::retryRequested, this, &ModelsPage::loadRequested);

  connect(library, &ModelLibrary::entryInserted, this, [this](int row) {
    updateContents();
    const QString& path = m_library->entry(row).path;
    if (path == m_pendingSelection || m_library->entry(row).root == m_pendingSelection) {
      m_pendingSelection.clear();
      selectPath(path);
    } else if (selectedPath().isEmpty()) {
      selectPath(path);
    }
  });
  connect(library, &ModelLibrary::entryRemoved, this, [this] {
    updateContents();
    updateDetails();
  });
  connect(library, &ModelLibrary::entryChanged, this, [this](int row) {
    if (m_library->entry(row).path == selectedPath()) updateDetails();
  });
  connect(library, &ModelLibrary::scanningChanged, m_scanning, &QWidget::setVisible);
  connect(library, &ModelLibrary::nothingFound, this, [this](const QString& root) {
    m_banner->showMessage(Banner::Kind::Warning, tr("No model was found in %1.").arg(QDir::toNativeSeparators(root)),
                          tr("Tandem lists .gguf files, and folders that hold config.json with .safetensors files."));
  });
  connect(engine, &EngineController::stateChanged, this, &ModelsPage::updateEngineState);
  m_scanning->hide();

  m_splitter->restoreState(settings->windowState(kSplitterState));
  m_table->horizontalHeader()->restoreState(settings->windowState(kHeaderState));
  updateContents();
  updateDetails();
}

void ModelsPage::buildActions() {
  auto make = [this](const char* iconName) {
    auto* action = new QAction(icon(QLatin1String(iconName)), QString(), this);
    action->setShortcutContext(Qt::WindowShortcut);
    return action;
  };
  m_addFile = make("add-file");
  m_addFile->setShortcut(QKeySequence::Open);
  m_addFolder = make("add-folder");
  m_addFolder->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+O")));
  m_load = make("load");
  m_load->setShortcut(QKeySequence(QStringLiteral("Ctrl+L")));
  m_remove = make("remove");
  m_rescan = make("refresh");
  m_rescan->setShortcut(QKeySequence::Refresh);
  for (QAction*& separator : m_separators) {
    separator = new QAction(this);
    separator->setSeparator(true);
  }
  connect(m_addFile, &QAction::triggered, this, [this] { chooseFiles(false); });
  connect(m_addFolder, &QAction::triggered, this, [this] { chooseFiles(true); });
  connect(m_load, &QAction::triggered, this, [this] {
    if (!selectedPath().isEmpty()) emit loadRequested(selectedPath());
  });
  connect(m_remove, &QAction::triggered, this, &ModelsPage::removeSelected);
  connect(m_rescan, &QAction::triggered, m_library, &ModelLibrary::rescanAll);
}

QList<QAction*> ModelsPage::menuActions() const {
  return {m_addFile, m_addFolder, m_separators[0], m_load, m_remove, m_separators[1], m_rescan};
}

QWidget* ModelsPage::buildToolbar() {
  auto* bar = new QWidget;
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  setTextRole(m_title, TextRole::Title);
  setTextRole(m_scanning, TextRole::Muted);
  m_filter = new QLineEdit;
  m_filter->setClearButtonEnabled(true);
  m_filter->setFixedWidth(kFilterWidth);
  m_filter->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  m_addFileButton = new QPushButton(icon(QStringLiteral("add-file")), QString());
  m_addFolderButton = new QPushButton(icon(QStringLiteral("add-folder")), QString());
  connect(m_addFileButton, &QPushButton::clicked, m_addFile, &QAction::trigger);
  connect(m_addFolderButton, &QPushButton::clicked, m_addFolder, &QAction::trigger);
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_sorted->setFilterText(text);
    updateContents();
  });
  layout->addWidget(m_title);
  layout->addWidget(m_scanning);
  layout->addStretch();
  layout->addWidget(m_filter);
  layout->addWidget(m_addFileButton);
  layout->addWidget(m_addFolderButton);
  return bar;
}

QWidget* ModelsPage::buildTable() {
  m_sorted->setSourceModel(m_model);
  m_table = new QTableView;
  m_table->setModel(m_sorted);
  m_table->setItemDelegate(new LibraryDelegate(m_table));
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(LibraryTableModel::Name, Qt::AscendingOrder);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setShowGrid(false);
  m_table->setWordWrap(false);
  m_table->setTabKeyNavigation(false);
  m_table->setTextElideMode(Qt::ElideRight);
  m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
  m_table->addActions({m_load, m_remove});
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(40);
  QHeaderView* header = m_table->horizontalHeader();
  header->setHighlightSections(false);
  header->setSectionsMovable(true);
  header->setStretchLastSection(false);
  header->setSectionResizeMode(LibraryTableModel::Name, QHeaderView::Stretch);
  const std::pair<int, int> widths[] = {{LibraryTableModel::Architecture, 96}, {LibraryTableModel::Parameters, 84},
                                        {LibraryTableModel::Quantisation, 60}, {LibraryTableModel::Size, 72},
                                        {LibraryTableModel::FitsHere, 104},    {LibraryTableModel::FitsOne, 80},
                                        {LibraryTableModel::FitsTwo, 84}};
  for (const auto& [column, width] : widths) m_table->setColumnWidth(column, width);
  header->setMinimumSectionSize(56);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ModelsPage::updateDetails);
  connect(m_table, &QTableView::activated, m_load, &QAction::trigger);

  m_noMatch = new QLabel(m_table->viewport());
  m_noMatch->setAlignment(Qt::AlignCenter);
  setTextRole(m_noMatch, TextRole::Muted);
  auto* overlay = new QVBoxLayout(m_table->viewport());
  overlay->addWidget(m_noMatch);
  return m_table;
}

void ModelsPage::focusFirst() {
  m_library->count() > 0 ? m_table->setFocus() : m_emptyFile->setFocus();
}

QString ModelsPage::selectedPath() const {
  return m_table->currentIndex().isValid() ? m_table->currentIndex().data(LibraryTableModel::PathRole).toString() : QString();
}

void ModelsPage::selectPath(const QString& path) {
  const int row = m_library->indexOf(path);
  if (row < 0) return;
  const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
  if (!index.isValid()) return;
  m_table->setCurrentIndex(index);
  m_table->scrollTo(index);
}

void ModelsPage::addPaths(const QStringList& paths) {
  if (paths.isEmpty()) return;
  m_filter->clear();
  m_banner->hide();
  m_pendingSelection = QDir::cleanPath(QDir(paths.constFirst()).absolutePath());
  const QStringList missing = m_library->addPaths(paths);
  if (!missing.isEmpty()) {
    m_pendingSelection.clear();
    m_banner->showMessage(Banner::Kind::Warning, tr("%n path(s) could not be added.", nullptr, int(missing.size())),
                          tr("Nothing is there: %1").arg(missing.join(QStringLiteral(", "))));
    return;
  }
  if (m_library->indexOf(m_pendingSelection) >= 0) {  // listed already
    selectPath(m_pendingSelection);
    m_pendingSelection.clear();
  }
}

void ModelsPage::chooseFiles(bool folder) {
  auto* dialog = new QFileDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  if (folder) {
    dialog->setWindowTitle(tr("Add a Folder of Models"));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
  } else {
    dialog->setWindowTitle(tr("Add Model Files"));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({tr("Models (*.gguf *.safetensors)"), tr("All files (*)")});
  }
  connect(dialog, &QFileDialog::filesSelected, this, &ModelsPage::addPaths);
  dialog->open();
}

void ModelsPage::removeSelected() {
  const QString path = selectedPath();
  const int row = m_library->indexOf(path);
  if (row < 0) return;
  const QString name = m_library->entry(row).displayName();
  m_library->removeEntry(path);
  m_banner->showMessage(Banner::Kind::Info, tr("%1 is no longer on the list. Its files were not touched.").arg(name));
  m_banner->addAction(tr("Undo"), [this, path] { addPaths({path}); });
}

void ModelsPage::updateContents() {
  m_stack->setCurrentIndex(m_library->count() > 0 ? 1 : 0);
  m_noMatch->setVisible(m_library->count() > 0 && m_sorted->rowCount() == 0);
}

void ModelsPage::updateDetails() {
  const int row = m_library->indexOf(selectedPath());
  if (row < 0) {
    m_details->showNothing();
  } else {
    const LibraryEntry& entry = m_library->entry(row);
    m_details->showEntry(entry, m_engine->isReady() && m_engine->modelPath() == entry.path);
  }
  const bool loadable = row >= 0 && m_library->entry(row).record && m_library->entry(row).record->description;
  m_load->setEnabled(loadable);
  m_remove->setEnabled(row >= 0);
}

void ModelsPage::updateEngineState() {
  m_model->setLoadedPath(m_engine->isReady() ? m_engine->modelPath() : QString());
  updateDetails();
  if (m_engine->state() != EngineController::State::Loading) m_library->refreshFits();
}

bool ModelsPage::mayClose() {
  m_settings->setWindowState(kSplitterState, m_splitter->saveState());
  m_settings->setWindowState(kHeaderState, m_table->horizontalHeader()->saveState());
  return true;
}

void ModelsPage::retranslate() {
  m_title->setText(tr("Models"));
  m_scanning->setText(tr("Reading files…"));
  m_addFile->setText(tr("Add &Files…"));
  m_addFolder->setText(tr("Add F&older…"));
  m_load->setText(tr("&Load…"));
  m_remove->setText(tr("&Remove from List"));
  m_rescan->setText(tr("Read All &Again"));
  m_addFileButton->setText(tr("Add Files…"));
  m_addFolderButton->setText(tr("Add Folder…"));
  m_filter->setPlaceholderText(tr("Filter"));
  m_filter->setAccessibleName(tr("Filter the list of models"));
  m_table->setAccessibleName(tr("Models"));
  m_noMatch->setText(tr("No model matches the filter."));
  m_empty->setTexts(tr("No models yet"),
                    tr("Add a .gguf file, or a folder with config.json and .safetensors files. You can also drop them on this "
                       "window."));
  m_emptyFile->setText(tr("Add Files…"));
  m_emptyFolder->setText(tr("Add Folder…"));
  m_model->retranslate();
  m_details->retranslate();
  m_loadCard->retranslate();
  updateDetails();
}

}  // namespace tandem::gui
