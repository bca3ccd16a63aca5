// Thin helpers over QtSql: every failure becomes an Error with SQLite's words.
#pragma once

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariantList>

#include "base/result.h"

namespace tandem::gui {

// kCorrupt for a damaged file, kUnavailable for a busy one, kIo for what a retry can heal (disk full, I/O, read-only),
// kInternal for the rest. `action` completes "could not …".
Error sqlError(const QSqlError& error, const QString& action);

// Runs one statement with its values bound in order.
Result<QSqlQuery> sqlQuery(const QSqlDatabase& database, const QString& sql, const QVariantList& values = {});
Result<void> sqlExec(const QSqlDatabase& database, const QString& sql, const QVariantList& values = {});
// First column of the first row; an invalid variant when there is no row.
Result<QVariant> sqlValue(const QSqlDatabase& database, const QString& sql, const QVariantList& values = {});

// Rolled back unless commit() succeeded.
class SqlTransaction {
 public:
  static Result<SqlTransaction> begin(const QSqlDatabase& database);
  SqlTransaction(SqlTransaction&& other) noexcept;
  SqlTransaction& operator=(SqlTransaction&&) = delete;
  ~SqlTransaction();
  Result<void> commit();

 private:
  explicit SqlTransaction(const QSqlDatabase& database) : m_database(database) {}
  QSqlDatabase m_database;
  bool m_isOpen = true;
};

// A connection that is closed and forgotten with its owner. Use on one thread only.
class SqlConnection {
 public:
  // `options` as of QSqlDatabase::setConnectOptions.
  static Result<SqlConnection> open(const QString& path, const QString& options);
  SqlConnection(SqlConnection&& other) noexcept;
  SqlConnection& operator=(SqlConnection&&) = delete;
  ~SqlConnection();
  const QSqlDatabase& database() const { return m_database; }

 private:
  explicit SqlConnection(QString name) : m_name(std::move(name)) {}
  QString m_name;
  QSqlDatabase m_database;
};

}  // namespace tandem::gui
