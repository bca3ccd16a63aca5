// LibraryTableModel: the library as rows and columns, and its sorted and filtered view.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include "gui/models/model_library.h"

namespace tandem::gui {

class LibraryTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Architecture, Parameters, Quantisation, Size, FitsHere, FitsOne, FitsTwo, NumColumns };
  enum Role {
    SortRole = Qt::UserRole + 1,  // raw value: sorting never parses text
    FitLevelRole,                 // int(ModelFit::Level), in the fit columns of a known model
    PathRole,
    IsLoadedRole,
    StateRole,  // int(LibraryEntry::State)
  };

  // `library` outlives the model.
  explicit LibraryTableModel(ModelLibrary* library, QObject* parent = nullptr);

  // The model that the engine holds now; empty: none.
  void setLoadedPath(const QString& path);
  void retranslate();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(const LibraryEntry& entry, int column) const;
  static QString troubleWord(ErrorCode code);
  QVariant sortKey(const LibraryEntry& entry, int column) const;
  QString toolTip(const LibraryEntry& entry, int column) const;

  ModelLibrary* const m_library;
  QString m_loadedPath;
};

// Filters by words that all have to appear in name, path, architecture or type.
class LibrarySortModel : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  explicit LibrarySortModel(QObject* parent = nullptr);
  void setFilterText(const QString& text);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  QStringList m_words;
};

}  // namespace tandem::gui
