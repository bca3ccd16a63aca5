// Reads table rows out of the raw pages of an SQLite file, whatever the state of its header, schema and inner pages.
//
// The last resort of recovery: each page that looks like a leaf of a table is decoded on its own, by the published file
// format (sqlite.org/fileformat2.html). Which table a row belonged to is not known; the caller tells by its shape.
#pragma once

#include <QByteArray>
#include <QVariantList>
#include <functional>

namespace tandem::gui {

// Called for each row that decodes cleanly: its rowid, and its columns with NULL where an INTEGER PRIMARY KEY stands.
using CarvedRowSink = std::function<void(qint64 rowId, const QVariantList& columns)>;

// `database`: the whole file, 4096-byte pages. Values of other encodings than UTF-8 are not expected. Never fails; rows that
// do not decode are passed over. Rows with more than `maxColumns` columns are passed over too.
void carveDatabase(const QByteArray& database, int maxColumns, const CarvedRowSink& sink);
// The same for a write-ahead log, oldest frame first. Rows whose overflow pages lie elsewhere are looked up in `database`.
void carveWal(const QByteArray& wal, const QByteArray& database, int maxColumns, const CarvedRowSink& sink);

}  // namespace tandem::gui
