#include "gui/history/sql.h"

#include <QUuid>
#include <utility>

namespace tandem::gui {
namespace {

// Primary result codes of sqlite3.h, whose header the window does not need otherwise.
ErrorCode codeOf(int sqliteCode) {
  switch (sqliteCode & 0xff) {
    case 5:  // SQLITE_BUSY
    case 6:  // SQLITE_LOCKED
      return ErrorCode::kUnavailable;
    case 7:   // SQLITE_NOMEM
    case 8:   // SQLITE_READONLY
    case 10:  // SQLITE_IOERR
    case 13:  // SQLITE_FULL
    case 14:  // SQLITE_CANTOPEN
      return ErrorCode::kIo;
    case 11:  // SQLITE_CORRUPT
    case 26:  // SQLITE_NOTADB
      return ErrorCode::kCorrupt;
    default: return ErrorCode::kInternal;
  }
}

}  // namespace

Error sqlError(const QSqlError& error, const QString& action) {
  const int code = error.nativeErrorCode().toInt();
  return Error{codeOf(code), QStringLiteral("Chat history: could not %1: %2 (SQLite %3)")
                                 .arg(action, error.databaseText().isEmpty() ? error.driverText() : error.databaseText())
                                 .arg(code)
                                 .toStdString()};
}

Result<QSqlQuery> sqlQuery(const QSqlDatabase& database, const QString& sql, const QVariantList& values) {
  QSqlQuery query(database);
  query.setForwardOnly(true);
  const QString action = sql.section(QLatin1Char('\n'), 0, 0).left(60);
  if (!query.prepare(sql)) return sqlError(query.lastError(), action);
  for (const QVariant& value : values) query.addBindValue(value);
  if (!query.exec()) return sqlError(query.lastError(), action);
  return query;
}

Result<void> sqlExec(const QSqlDatabase& database, const QString& sql, const QVariantList& values) {
  TANDEM_TRY(sqlQuery(database, sql, values));
  return {};
}

Result<QVariant> sqlValue(const QSqlDatabase& database, const QString& sql, const QVariantList& values) {
  QSqlQuery query = TANDEM_TRY(sqlQuery(database, sql, values));
  if (query.next()) return query.value(0);
  if (query.lastError().isValid()) return sqlError(query.lastError(), QStringLiteral("read a row"));
  return QVariant();
}

Result<SqlTransaction> SqlTransaction::begin(const QSqlDatabase& database) {
  // IMMEDIATE: a writer that waits for the lock may time out, one that upgrades a read lock fails at once.
  TANDEM_TRY(sqlExec(database, QStringLiteral("BEGIN IMMEDIATE")));
  return SqlTransaction(database);
}

SqlTransaction::SqlTransaction(SqlTransaction&& other) noexcept
    : m_database(other.m_database), m_isOpen(std::exchange(other.m_isOpen, false)) {}

SqlTransaction::~SqlTransaction() {
  // After an error SQLite may have rolled back by itself; then this fails and nothing is left to do.
  if (m_isOpen) (void)sqlExec(m_database, QStringLiteral("ROLLBACK"));
}

Result<void> SqlTransaction::commit() {
  TANDEM_TRY(sqlExec(m_database, QStringLiteral("COMMIT")));
  m_isOpen = false;
  return {};
}

Result<SqlConnection> SqlConnection::open(const QString& path, const QString& options) {
  SqlConnection connection(QUuid::createUuid().toString());
  connection.m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection.m_name);
  if (!connection.m_database.isValid()) {
    return Error{ErrorCode::kUnsupported,
                 "Qt's SQLite driver is missing: install the package libqt6sql6-sqlite, then start again"};
  }
  connection.m_database.setDatabaseName(path);
  connection.m_database.setConnectOptions(options);
  if (!connection.m_database.open()) {
    return sqlError(connection.m_database.lastError(), QStringLiteral("open %1").arg(path));
  }
  return connection;
}

SqlConnection::SqlConnection(SqlConnection&& other) noexcept
    : m_name(std::exchange(other.m_name, QString())), m_database(std::exchange(other.m_database, QSqlDatabase())) {}

SqlConnection::~SqlConnection() {
  if (m_name.isEmpty()) return;
  m_database.close();
  m_database = QSqlDatabase();
  QSqlDatabase::removeDatabase(m_name);
}

}  // namespace tandem::gui
