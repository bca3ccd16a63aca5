// HistoryDatabase::open: lock, check, migrate or recover.
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "gui/history/history_database.h"
#include "gui/history/instance_lock.h"
#include "gui/history/recovery.h"

namespace tandem::gui {
namespace {

Error ioError(const QString& action, const QString& path) {
  return Error{ErrorCode::kIo, QStringLiteral("Chat history: could not %1 %2: %3")
                                   .arg(action, path, QString::fromLocal8Bit(std::strerror(errno)))
                                   .toStdString()};
}

Result<void> syncToDisk(const QString& path) {
  const int descriptor = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  errno = error;
  if (!done) return ioError(QStringLiteral("sync"), path);
  return {};
}

// Replaces what was at `to`; on failure nothing is left at `to`.
Result<void> copyFile(const QString& from, const QString& to) {
  QFile::remove(to);
  QFile source(from);
  if (!source.copy(to)) {
    QFile::remove(to);
    return Error{ErrorCode::kIo, QStringLiteral("Chat history: could not copy %1 to %2: %3 (%4 bytes are needed). Free some "
                                                "space, then start again; nothing was changed.")
                                     .arg(from, to, source.errorString())
                                     .arg(source.size())
                                     .toStdString()};
  }
  return syncToDisk(to);
}

// Puts the finished file `from` in the place of `to`, in one step that a crash cannot split.
Result<void> replaceFile(const QString& from, const QString& to) {
  TANDEM_TRY(syncToDisk(from));
  // The old file's log must not be applied to the new one.
  for (const char* suffix : {"-wal", "-shm"}) QFile::remove(to + QLatin1String(suffix));
  if (::rename(QFile::encodeName(from).constData(), QFile::encodeName(to).constData()) != 0) {
    return ioError(QStringLiteral("replace"), to);
  }
  return syncToDisk(QFileInfo(to).absolutePath());
}

void removeWithLog(const QString& path) {
  for (const char* suffix : {"", "-wal", "-shm"}) QFile::remove(path + QLatin1String(suffix));
}

QString stamp() {
  return QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
}

// A name that is free: two damages within a second must not overwrite each other.
QString freeName(const QString& wanted) {
  QString name = wanted;
  for (int i = 2; QFile::exists(name); ++i) name = wanted + QLatin1Char('-') + QString::number(i);
  return name;
}

Error newerError(qint64 found, qsizetype known, const QString& path) {
  return Error{ErrorCode::kUnsupported,
               QStringLiteral("Chat history: %1 was written by a newer Tandem (its format is %2, this version knows up to %3). "
                              "It was not touched. Install the newer version, or move the file away to start a new history.")
                   .arg(path)
                   .arg(found)
                   .arg(known)
                   .toStdString()};
}

// PRAGMA user_version as it stands in the file's header, so that a newer file is refused before anything opens it.
qint64 versionInHeader(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return 0;
  const QByteArray header = file.read(64);
  if (header.size() < 64 || !header.startsWith("SQLite format 3")) return 0;
  quint32 value = 0;
  for (int i = 60; i < 64; ++i) value = (value << 8) | quint8(header.at(i));
  return value;
}

Result<SqlConnection> openTuned(const QString& path, const HistoryDatabase::Options& options) {
  SqlConnection connection = TANDEM_TRY(SqlConnection::open(path, QStringLiteral("QSQLITE_BUSY_TIMEOUT=3000")));
  const QSqlDatabase& database = connection.database();
  for (const char* pragma : {"PRAGMA page_size = 4096", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                             "PRAGMA foreign_keys = ON", "PRAGMA secure_delete = ON", "PRAGMA temp_store = MEMORY",
                             // Keeps the log from growing without end under a long stream.
                             "PRAGMA journal_size_limit = 16777216"}) {
    TANDEM_TRY(sqlExec(database, QLatin1String(pragma)));
  }
  if (options.maxPages > 0) {
    TANDEM_TRY(sqlExec(database, QStringLiteral("PRAGMA max_page_count = %1").arg(options.maxPages)));
  }
  return connection;
}

// kCorrupt with SQLite's first finding, or success.
Result<void> checkSoundness(const QSqlDatabase& database) {
  QSqlQuery query = TANDEM_TRY(sqlQuery(database, QStringLiteral("PRAGMA integrity_check(1)")));
  if (!query.next()) return sqlError(query.lastError(), QStringLiteral("check the file"));
  const QString finding = query.value(0).toString();
  if (finding != QLatin1String("ok")) return Error{ErrorCode::kCorrupt, finding.toStdString()};
  const QVariant orphan = TANDEM_TRY(sqlValue(database, QStringLiteral("PRAGMA foreign_key_check")));
  if (orphan.isValid()) {
    return Error{ErrorCode::kCorrupt, "rows of table " + orphan.toString().toStdString() + " have lost their parent row"};
  }
  return {};
}

// Tables of version 1 on exist; kCorrupt when the schema itself is gone.
Result<void> checkTables(const QSqlDatabase& database) {
  for (const char* table : {"conversation", "message", "stream_chunk"}) {
    const QVariant found = TANDEM_TRY(sqlValue(
        database, QStringLiteral("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"), {QLatin1String(table)}));
    if (!found.isValid()) return Error{ErrorCode::kCorrupt, std::string("table ") + table + " is missing"};
  }
  return {};
}

Result<void> runMigrations(const QSqlDatabase& database, const QList<QStringList>& migrations, int fromVersion) {
  SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(database));
  for (qsizetype version = fromVersion; version < migrations.size(); ++version) {
    for (const QString& statement : migrations[version]) TANDEM_TRY(sqlExec(database, statement));
  }
  TANDEM_TRY(sqlExec(database, QStringLiteral("PRAGMA application_id = %1").arg(kHistoryApplicationId)));
  TANDEM_TRY(sqlExec(database, QStringLiteral("PRAGMA user_version = %1").arg(migrations.size())));
  return transaction.commit();
}

Result<void> migrateCopy(const QString& path, int fromVersion, const HistoryDatabase::Options& options, OpenReport& report) {
  const QString working = path + QStringLiteral(".migrating");
  removeWithLog(working);
  TANDEM_TRY(copyFile(path, working));
  {
    SqlConnection connection = TANDEM_TRY(openTuned(working, options));
    TANDEM_TRY(runMigrations(connection.database(), *options.migrations, fromVersion));
    TANDEM_TRY(checkSoundness(connection.database()));
    TANDEM_TRY(sqlExec(connection.database(), QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)")));
  }
  report.migratedFrom = fromVersion;
  report.oldVersionCopy = freeName(QStringLiteral("%1.version%2-%3").arg(path).arg(fromVersion).arg(stamp()));
  TANDEM_TRY(copyFile(path, report.oldVersionCopy));
  return replaceFile(working, path);
}

}  // namespace

Result<std::unique_ptr<HistoryDatabase>> HistoryDatabase::open(const QString& path, const Options& options) {
  const QFileInfo info(path);
  if (!QDir().mkpath(info.absolutePath())) {
    errno = ENOTDIR;
    return ioError(QStringLiteral("create the folder"), info.absolutePath());
  }
  std::unique_ptr<InstanceLock> lock = TANDEM_TRY(InstanceLock::acquire(path + QStringLiteral(".lock")));
  const qsizetype known = options.migrations->size();
  const qint64 headerVersion = versionInHeader(path);
  // Such a number is no version but damage, which the check below finds out.
  constexpr qint64 kMostVersions = 10'000;
  if (headerVersion > known && headerVersion < kMostVersions) return newerError(headerVersion, known, path);

  OpenReport report;
  // An old name with newly damaged or missing content must not pick up another file's log.
  if (!info.exists()) removeWithLog(path);

  // Kept open until a damaged file has been copied: closing it would fold the log into the damage.
  std::optional<SqlConnection> inspected;
  const auto inspect = [&]() -> Result<int> {
    inspected.emplace(TANDEM_TRY(openTuned(path, options)));
    const QSqlDatabase& database = inspected->database();
    TANDEM_TRY(checkSoundness(database));
    const int version = TANDEM_TRY(sqlValue(database, QStringLiteral("PRAGMA user_version"))).toInt();
    const int numTables = TANDEM_TRY(sqlValue(database, QStringLiteral("SELECT count(*) FROM sqlite_schema"))).toInt();
    if (version == 0 && numTables == 0) {
      TANDEM_TRY(runMigrations(database, *options.migrations, 0));
      return int(known);
    }
    if (version < 0 || version >= kMostVersions || version == 0) {
      return Error{ErrorCode::kCorrupt, "the version of its tables is lost"};
    }
    if (version > known) return newerError(version, known, path);
    TANDEM_TRY(checkTables(database));
    if (version < known) TANDEM_TRY(sqlExec(database, QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)")));
    return version;
  };

  const Result<int> version = inspect();
  if (version) inspected.reset();
  if (!version && version.error().code != ErrorCode::kCorrupt) return version.error();
  if (!version) {
    report.damage = QString::fromStdString(version.error().detail);
    report.damagedCopy = freeName(QStringLiteral("%1.damaged-%2").arg(path, stamp()));
    TANDEM_TRY(copyFile(path, report.damagedCopy));
    if (QFile::exists(path + QStringLiteral("-wal"))) {
      TANDEM_TRY(copyFile(path + QStringLiteral("-wal"), report.damagedCopy + QStringLiteral("-wal")));
    }
    inspected.reset();
    const QList<ConversationData> rescued = recoverConversations(report.damagedCopy);
    QFile::remove(report.damagedCopy + QStringLiteral("-shm"));
    const QString fresh = path + QStringLiteral(".recovering");
    removeWithLog(fresh);
    {
      SqlConnection connection = TANDEM_TRY(openTuned(fresh, options));
      TANDEM_TRY(runMigrations(connection.database(), *options.migrations, 0));
      HistoryDatabase target(fresh, nullptr, std::move(connection));
      TANDEM_TRY(target.insertAll(rescued));
      TANDEM_TRY(sqlExec(target.connection(), QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)")));
    }
    TANDEM_TRY(replaceFile(fresh, path));
    report.recoveredConversations = rescued.size();
    for (const ConversationData& data : rescued) report.recoveredMessages += data.messages.size();
  } else if (*version < known) {
    TANDEM_TRY(migrateCopy(path, *version, options, report));
  }

  SqlConnection connection = TANDEM_TRY(openTuned(path, options));
  QFile::setPermissions(path, QFileDevice::ReadOwner | QFileDevice::WriteOwner);  // chats are private
  std::unique_ptr<HistoryDatabase> database(new HistoryDatabase(path, std::move(lock), std::move(connection)));
  database->m_report = report;
  TANDEM_TRY(database->rebuildSearchIfNeeded());
  TANDEM_TRY(database->repairAfterStart());
  return database;
}

}  // namespace tandem::gui
