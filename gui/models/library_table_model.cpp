#include "gui/models/library_table_model.h"

#include <QDir>

#include "gui/widgets/error_text.h"
#include "gui/widgets/format.h"

namespace tandem::gui {
namespace {

const ModelFit* fitOf(const LibraryEntry& entry, int column) {
  if (!entry.record) return nullptr;
  switch (column) {
    case LibraryTableModel::FitsHere: return &entry.fitHere;
    case LibraryTableModel::FitsOne: return &entry.record->fitOneSpark;
    case LibraryTableModel::FitsTwo: return &entry.record->fitTwoSparks;
    default: return nullptr;
  }
}

// Best first when sorted upwards.
int fitRank(ModelFit::Level level) {
  switch (level) {
    case ModelFit::Level::Fits: return 0;
    case ModelFit::Level::Reduced: return 1;
    case ModelFit::Level::NotNow: return 2;
    case ModelFit::Level::DoesNotFit: return 3;
    case ModelFit::Level::Unknown: return 4;
  }
  return 4;
}

}  // namespace

LibraryTableModel::LibraryTableModel(ModelLibrary* library, QObject* parent) : QAbstractTableModel(parent), m_library(library) {
  connect(library, &ModelLibrary::entryAboutToBeInserted, this, [this](int row) { beginInsertRows({}, row, row); });
  connect(library, &ModelLibrary::entryInserted, this, [this] { endInsertRows(); });
  connect(library, &ModelLibrary::entryAboutToBeRemoved, this, [this](int row) { beginRemoveRows({}, row, row); });
  connect(library, &ModelLibrary::entryRemoved, this, [this] { endRemoveRows(); });
  connect(library, &ModelLibrary::entryChanged, this,
          [this](int row) { emit dataChanged(index(row, 0), index(row, NumColumns - 1)); });
}

void LibraryTableModel::setLoadedPath(const QString& path) {
  if (path == m_loadedPath) return;
  m_loadedPath = path;
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, NumColumns - 1));
}

void LibraryTableModel::retranslate() {
  emit headerDataChanged(Qt::Horizontal, 0, NumColumns - 1);
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, NumColumns - 1));
}

int LibraryTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : m_library->count();
}
int LibraryTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(NumColumns);
}

QVariant LibraryTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_library->count()) return {};
  const LibraryEntry& entry = m_library->entry(index.row());
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole: return text(entry, column);
    case Qt::ToolTipRole: return toolTip(entry, column);
    case Qt::AccessibleTextRole:
      return tr("%1: %2").arg(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), text(entry, column));
    case Qt::TextAlignmentRole:
      return column == Parameters || column == Size ? QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter))
                                                    : QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    case SortRole: return sortKey(entry, column);
    case FitLevelRole: {
      const ModelFit* fit = fitOf(entry, column);
      return fit ? QVariant(int(fit->level)) : QVariant();
    }
    case PathRole: return entry.path;
    case IsLoadedRole: return !m_loadedPath.isEmpty() && entry.path == m_loadedPath;
    case StateRole: return int(entry.state);
    default: return {};
  }
}

QString LibraryTableModel::text(const LibraryEntry& entry, int column) const {
  if (column == Name) return entry.displayName();
  if (entry.state == LibraryEntry::State::Scanning && !entry.record) {
    return column == Architecture ? tr("Reading…", "the model's header is being read") : QString();
  }
  if (entry.state == LibraryEntry::State::Failed) return column == Architecture ? troubleWord(entry.error->code) : QString();
  const ModelRecord& record = *entry.record;
  switch (column) {
    case Architecture: return record.architecture;
    case Parameters: return formatParameters(record.numParameters);
    case Quantisation: return record.quantisation;
    case Size: return formatBytes(record.fileBytes);
    case FitsHere:
      if (record.problem) return troubleWord(record.problem->code);
      [[fallthrough]];
    default: return fitBadgeText(*fitOf(entry, column));
  }
}

// One word, since it has to fit a column; the tooltip and the details have the sentence.
QString LibraryTableModel::troubleWord(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCorrupt: return tr("Damaged", "a model file");
    case ErrorCode::kUnsupported: return tr("Unsupported", "a model this version cannot run");
    case ErrorCode::kNotFound: return tr("Missing", "a model file");
    case ErrorCode::kIo: return tr("Unreadable", "a model file");
    default: return tr("Error", "a model file");
  }
}

QVariant LibraryTableModel::sortKey(const LibraryEntry& entry, int column) const {
  if (column == Name) return entry.displayName();
  if (!entry.record) return {};
  switch (column) {
    case Architecture: return entry.record->architecture;
    case Parameters: return entry.record->numParameters;
    case Quantisation: return entry.record->quantisation;
    case Size: return entry.record->fileBytes;
    default: return fitRank(fitOf(entry, column)->level);
  }
}

QString LibraryTableModel::toolTip(const LibraryEntry& entry, int column) const {
  if (entry.error) return errorDetail(*entry.error);
  if (entry.record && entry.record->problem && column != Name) return errorDetail(*entry.record->problem);
  if (const ModelFit* fit = fitOf(entry, column)) return fitToolTip(*fit);
  return column == Name ? QDir::toNativeSeparators(entry.path) : text(entry, column);
}

QVariant LibraryTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    const bool number = section == Parameters || section == Size;
    return QVariant::fromValue(Qt::Alignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  if (role == Qt::ToolTipRole && (section == FitsHere || section == FitsOne || section == FitsTwo)) {
    return tr("One chat with 8,192 tokens of context, or the model's limit where that is smaller");
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return tr("Name");
    case Architecture: return tr("Architecture");
    case Parameters: return tr("Parameters");
    case Quantisation: return tr("Type", "of a model's weights: F16, Q4_K");
    case Size: return tr("Size");
    case FitsHere: return tr("This machine");
    case FitsOne: return tr("One Spark");
    case FitsTwo: return tr("Two Sparks");
    default: return {};
  }
}

LibrarySortModel::LibrarySortModel(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(LibraryTableModel::SortRole);
  setDynamicSortFilter(true);
}

void LibrarySortModel::setFilterText(const QString& text) {
  m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

bool LibrarySortModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
  if (m_words.isEmpty()) return true;
  QString all = sourceModel()->index(row, 0, parent).data(LibraryTableModel::PathRole).toString();
  for (const int column : {LibraryTableModel::Name, LibraryTableModel::Architecture, LibraryTableModel::Quantisation}) {
    all += QLatin1Char(' ') + sourceModel()->index(row, column, parent).data(Qt::DisplayRole).toString();
  }
  for (const QString& word : m_words) {
    if (!all.contains(word, Qt::CaseInsensitive)) return false;
  }
  return true;
}

bool LibrarySortModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(sortRole());
  const QVariant b = right.data(sortRole());
  if (a.isValid() != b.isValid()) return a.isValid() == (sortOrder() == Qt::AscendingOrder);  // unknown ones stay last
  if (a.typeId() == QMetaType::QString) return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
  return QSortFilterProxyModel::lessThan(left, right);
}

}  // namespace tandem::gui
