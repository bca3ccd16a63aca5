#include "gui/history/history_database.h"

#include <QDateTime>
#include <QJsonDocument>
#include <algorithm>
#include <utility>

#include "gui/history/instance_lock.h"
#include "gui/history/rows.h"
#include "gui/history/search_text.h"

namespace tandem::gui {
namespace {

qint64 nowMs() {
  return QDateTime::currentMSecsSinceEpoch();
}

QString placeholders(int count) {
  return QStringLiteral("?, ").repeated(count - 1) + QLatin1Char('?');
}

QVariantList rowOf(const QSqlQuery& query, int numColumns) {
  QVariantList row;
  row.reserve(numColumns);
  for (int i = 0; i < numColumns; ++i) row += query.value(i);
  return row;
}

QString notNull(const QString& text) {
  return text.isNull() ? QStringLiteral("") : text;
}

}  // namespace

HistoryDatabase::HistoryDatabase(QString path, std::unique_ptr<InstanceLock> lock, SqlConnection connection)
    : m_path(std::move(path)), m_lock(std::move(lock)), m_connection(std::move(connection)) {}

HistoryDatabase::~HistoryDatabase() = default;

Result<QList<ConversationSummary>> HistoryDatabase::conversations() const {
  QSqlQuery query = TANDEM_TRY(sqlQuery(connection(), QStringLiteral("SELECT id, title, updated_ms FROM conversation "
                                                                     "WHERE deleted_ms IS NULL "
                                                                     "ORDER BY updated_ms DESC, id DESC")));
  QList<ConversationSummary> list;
  while (query.next()) list += {query.value(0).toLongLong(), query.value(1).toString(), query.value(2).toLongLong()};
  if (query.lastError().isValid()) return sqlError(query.lastError(), QStringLiteral("list the chats"));
  return list;
}

Result<ConversationData> HistoryDatabase::load(HistoryId conversationId) const {
  QSqlQuery query = TANDEM_TRY(sqlQuery(
      connection(), QStringLiteral("SELECT * FROM conversation WHERE id = ? AND deleted_ms IS NULL"), {conversationId}));
  std::optional<Conversation> conversation;
  if (query.next()) conversation = conversationFromRow(rowOf(query, kNumConversationColumns));
  if (!conversation) {
    return Error{ErrorCode::kNotFound, "Chat history: there is no chat " + std::to_string(conversationId)};
  }
  ConversationData data{*conversation, {}};
  query = TANDEM_TRY(
      sqlQuery(connection(), QStringLiteral("SELECT * FROM message WHERE conversation_id = ? ORDER BY id"), {conversationId}));
  QHash<HistoryId, qsizetype> indexOf;
  while (query.next()) {
    std::optional<Message> message = messageFromRow(rowOf(query, kNumMessageColumns));
    if (!message) return Error{ErrorCode::kCorrupt, "Chat history: a message row holds values of the wrong type"};
    indexOf.insert(message->id, data.messages.size());
    data.messages += *std::move(message);
  }
  if (query.lastError().isValid()) return sqlError(query.lastError(), QStringLiteral("read a chat"));

  query = TANDEM_TRY(sqlQuery(connection(),
                              QStringLiteral("SELECT c.message_id, c.is_reasoning, c.text FROM stream_chunk c "
                                             "JOIN message m ON m.id = c.message_id WHERE m.conversation_id = ? ORDER BY c.id"),
                              {conversationId}));
  while (query.next()) {
    Message& message = data.messages[indexOf.value(query.value(0).toLongLong())];
    (query.value(1).toBool() ? message.reasoning : message.content) += query.value(2).toString();
  }
  if (query.lastError().isValid()) return sqlError(query.lastError(), QStringLiteral("read streamed text"));
  return data;
}

Result<QList<SearchHit>> HistoryDatabase::search(const QString& typed, int limit) const {
  QList<SearchHit> hits;
  const QString match = searchQuery(typed);
  if (match.isEmpty()) return hits;

  const auto collect = [&](const QString& sql) -> Result<void> {
    QSqlQuery query = TANDEM_TRY(sqlQuery(connection(), sql, {QString(kMatchStart), QString(kMatchEnd), match, limit}));
    while (query.next()) {
      SearchHit hit{query.value(0).toLongLong(), query.value(1).toLongLong(), query.value(2).toString(),
                    joinSegments(query.value(3).toString()).simplified(), query.value(4).toLongLong()};
      // Adjacent phrase tokens come marked one by one.
      hit.snippet.remove(QString(kMatchEnd) + kMatchStart);
      hits += hit;
    }
    if (query.lastError().isValid()) return sqlError(query.lastError(), QStringLiteral("search"));
    return {};
  };
  TANDEM_TRY(
      collect(QStringLiteral("SELECT c.id, 0, c.title, highlight(title_search, 0, ?, ?), c.updated_ms FROM title_search "
                             "JOIN conversation c ON c.id = title_search.rowid "
                             "WHERE title_search MATCH ? AND c.deleted_ms IS NULL ORDER BY rank, c.updated_ms DESC LIMIT ?")));
  TANDEM_TRY(collect(
      QStringLiteral("SELECT c.id, m.id, c.title, snippet(message_search, 0, ?, ?, '…', 24), c.updated_ms FROM message_search "
                     "JOIN message m ON m.id = message_search.rowid JOIN conversation c ON c.id = m.conversation_id "
                     "WHERE message_search MATCH ? AND c.deleted_ms IS NULL ORDER BY rank, m.id DESC LIMIT ?")));
  return hits;
}

Result<void> HistoryDatabase::indexTitle(HistoryId conversationId, const QString& title) {
  return sqlExec(connection(), QStringLiteral("INSERT OR REPLACE INTO title_search(rowid, title) VALUES (?, ?)"),
                 {conversationId, notNull(segmentForSearch(title))});
}

Result<void> HistoryDatabase::indexMessage(HistoryId messageId) {
  const QVariant content =
      TANDEM_TRY(sqlValue(connection(), QStringLiteral("SELECT content FROM message WHERE id = ?"), {messageId}));
  return sqlExec(connection(), QStringLiteral("INSERT OR REPLACE INTO message_search(rowid, body) VALUES (?, ?)"),
                 {messageId, notNull(segmentForSearch(content.toString()))});
}

Result<void> HistoryDatabase::insertConversationRow(const Conversation& conversation) {
  TANDEM_TRY(sqlExec(connection(),
                     QStringLiteral("INSERT INTO conversation VALUES (%1)").arg(placeholders(kNumConversationColumns)),
                     rowFromConversation(conversation)));
  return indexTitle(conversation.id, conversation.title);
}

Result<void> HistoryDatabase::insertMessageRow(const Message& message) {
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("INSERT INTO message VALUES (%1)").arg(placeholders(kNumMessageColumns)),
                     rowFromMessage(message)));
  if (message.status == MessageStatus::Streaming) return {};  // indexed when it is whole
  return indexMessage(message.id);
}

Result<void> HistoryDatabase::insertConversation(const Conversation& conversation) {
  SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(connection()));
  TANDEM_TRY(insertConversationRow(conversation));
  return transaction.commit();
}

Result<void> HistoryDatabase::setTitle(HistoryId conversationId, const QString& title, bool byUser) {
  SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(connection()));
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("UPDATE conversation SET title = ?, titled_by_user = ? WHERE id = ?"),
                     {notNull(title), int(byUser), conversationId}));
  TANDEM_TRY(indexTitle(conversationId, title));
  return transaction.commit();
}

Result<void> HistoryDatabase::setSettings(HistoryId conversationId, const QString& systemPrompt, const ChatSettings& settings) {
  return sqlExec(connection(), QStringLiteral("UPDATE conversation SET system_prompt = ?, settings = ? WHERE id = ?"),
                 {notNull(systemPrompt), QString::fromUtf8(QJsonDocument(settings.toJson()).toJson(QJsonDocument::Compact)),
                  conversationId});
}

Result<void> HistoryDatabase::setHead(HistoryId conversationId, HistoryId messageId) {
  return sqlExec(connection(), QStringLiteral("UPDATE conversation SET head_id = ? WHERE id = ?"),
                 {messageId == 0 ? QVariant(QMetaType::fromType<qint64>()) : QVariant(messageId), conversationId});
}

Result<void> HistoryDatabase::insertMessage(const Message& message) {
  SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(connection()));
  TANDEM_TRY(insertMessageRow(message));
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("UPDATE conversation SET head_id = ?, updated_ms = ? WHERE id = ?"),
                     {message.id, message.createdMs, message.conversationId}));
  return transaction.commit();
}

Result<void> HistoryDatabase::setStartsContext(HistoryId messageId, bool startsContext) {
  return sqlExec(connection(), QStringLiteral("UPDATE message SET starts_context = ? WHERE id = ?"),
                 {int(startsContext), messageId});
}

Result<void> HistoryDatabase::resumeMessage(HistoryId messageId) {
  return sqlExec(connection(),
                 QStringLiteral("UPDATE message SET status = 'streaming', error_code = NULL, error_detail = NULL WHERE id = ?"),
                 {messageId});
}

Result<void> HistoryDatabase::appendChunks(const QList<StreamChunk>& chunks) {
  // See the class comment: not worth a disk sync five times a second.
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("PRAGMA synchronous = NORMAL")));
  const auto write = [&]() -> Result<void> {
    SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(connection()));
    const QString sql =
        QStringLiteral("INSERT INTO stream_chunk(message_id, is_reasoning, text) SELECT id, ?, ? FROM message WHERE id = ?");
    for (const StreamChunk& chunk : chunks) {
      // A token batch holds reasoning before content: an answer never goes back to thinking.
      if (!chunk.reasoning.isEmpty()) TANDEM_TRY(sqlExec(connection(), sql, {1, chunk.reasoning, chunk.messageId}));
      if (!chunk.content.isEmpty()) TANDEM_TRY(sqlExec(connection(), sql, {0, chunk.content, chunk.messageId}));
    }
    return transaction.commit();
  };
  Result<void> written = write();
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("PRAGMA synchronous = FULL")));
  return written;
}

Result<void> HistoryDatabase::foldChunks(HistoryId messageId) {
  QSqlQuery query = TANDEM_TRY(
      sqlQuery(connection(), QStringLiteral("SELECT is_reasoning, text FROM stream_chunk WHERE message_id = ? ORDER BY id"),
               {messageId}));
  QString content;
  QString reasoning;
  while (query.next()) (query.value(0).toBool() ? reasoning : content) += query.value(1).toString();
  if (query.lastError().isValid()) return sqlError(query.lastError(), QStringLiteral("read streamed text"));
  query.finish();
  if (!content.isEmpty() || !reasoning.isEmpty()) {
    TANDEM_TRY(sqlExec(connection(),
                       QStringLiteral("UPDATE message SET content = content || ?, reasoning = reasoning || ? WHERE id = ?"),
                       {notNull(content), notNull(reasoning), messageId}));
  }
  return sqlExec(connection(), QStringLiteral("DELETE FROM stream_chunk WHERE message_id = ?"), {messageId});
}

Result<void> HistoryDatabase::finishMessage(HistoryId messageId, MessageStatus status, const std::optional<Error>& error,
                                            const AnswerStats& stats) {
  SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(connection()));
  TANDEM_TRY(foldChunks(messageId));
  Message values;
  values.status = status;
  values.error = error;
  values.stats = stats;
  const QVariantList row = rowFromMessage(values);
  TANDEM_TRY(sqlExec(connection(),
                     QStringLiteral("UPDATE message SET status = ?, error_code = ?, error_detail = ?, model_name = ?, "
                                    "prompt_tokens = ?, output_tokens = ?, ttft_ms = ?, total_ms = ?, queue_ms = ?, seed = ? "
                                    "WHERE id = ?"),
                     {row[4], row[8], row[9], row[10], row[11], row[12], row[13], row[14], row[15], row[16], messageId}));
  TANDEM_TRY(sqlExec(connection(),
                     QStringLiteral("UPDATE conversation SET updated_ms = ? "
                                    "WHERE id = (SELECT conversation_id FROM message WHERE id = ?)"),
                     {nowMs(), messageId}));
  const QVariant exists = TANDEM_TRY(sqlValue(connection(), QStringLiteral("SELECT 1 FROM message WHERE id = ?"), {messageId}));
  if (exists.isValid()) TANDEM_TRY(indexMessage(messageId));  // deleted while it was written: nothing to find
  return transaction.commit();
}

Result<void> HistoryDatabase::markDeleted(HistoryId conversationId) {
  return sqlExec(connection(), QStringLiteral("UPDATE conversation SET deleted_ms = ? WHERE id = ?"),
                 {nowMs(), conversationId});
}

Result<void> HistoryDatabase::undoDelete(HistoryId conversationId) {
  return sqlExec(connection(), QStringLiteral("UPDATE conversation SET deleted_ms = NULL WHERE id = ?"), {conversationId});
}

Result<void> HistoryDatabase::purgeRows(HistoryId conversationId) {
  TANDEM_TRY(sqlExec(connection(),
                     QStringLiteral("DELETE FROM message_search WHERE rowid IN "
                                    "(SELECT id FROM message WHERE conversation_id = ?)"),
                     {conversationId}));
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("DELETE FROM title_search WHERE rowid = ?"), {conversationId}));
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("DELETE FROM conversation WHERE id = ?"), {conversationId}));
  // Without a merge the words of deleted rows stay in the index until it happens to be merged.
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("INSERT INTO message_search(message_search) VALUES ('optimize')")));
  return sqlExec(connection(), QStringLiteral("INSERT INTO title_search(title_search) VALUES ('optimize')"));
}

Result<void> HistoryDatabase::purge(HistoryId conversationId) {
  SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(connection()));
  const QVariant marked =
      TANDEM_TRY(sqlValue(connection(), QStringLiteral("SELECT deleted_ms FROM conversation WHERE id = ?"), {conversationId}));
  if (marked.isNull()) return {};
  TANDEM_TRY(purgeRows(conversationId));
  return transaction.commit();
}

Result<void> HistoryDatabase::insertAll(const QList<ConversationData>& conversations) {
  SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(connection()));
  for (const ConversationData& data : conversations) {
    TANDEM_TRY(insertConversationRow(data.conversation));
    for (const Message& message : data.messages) TANDEM_TRY(insertMessageRow(message));
  }
  return transaction.commit();
}

Result<void> HistoryDatabase::repairAfterStart() {
  SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(connection()));
  QSqlQuery query = TANDEM_TRY(sqlQuery(connection(), QStringLiteral("SELECT id FROM message WHERE status = 'streaming' "
                                                                     "UNION SELECT message_id FROM stream_chunk")));
  QList<HistoryId> open;
  while (query.next()) open += query.value(0).toLongLong();
  query.finish();
  for (const HistoryId id : open) {
    TANDEM_TRY(foldChunks(id));
    TANDEM_TRY(sqlExec(connection(), QStringLiteral("UPDATE message SET status = 'interrupted' WHERE id = ?"), {id}));
    TANDEM_TRY(indexMessage(id));
  }
  m_report.interruptedAnswers = open.size();
  if (!open.isEmpty()) {
    const HistoryId newest = *std::max_element(open.cbegin(), open.cend());
    const QVariant conversation = TANDEM_TRY(
        sqlValue(connection(),
                 QStringLiteral("SELECT m.conversation_id FROM message m JOIN conversation c ON c.id = m.conversation_id "
                                "WHERE m.id = ? AND c.deleted_ms IS NULL"),
                 {newest}));
    m_report.interruptedConversation = conversation.toLongLong();
  }

  query = TANDEM_TRY(sqlQuery(connection(), QStringLiteral("SELECT id FROM conversation WHERE deleted_ms IS NOT NULL")));
  QList<HistoryId> deleted;
  while (query.next()) deleted += query.value(0).toLongLong();
  query.finish();
  for (const HistoryId id : deleted) TANDEM_TRY(purgeRows(id));
  m_report.purgedConversations = deleted.size();

  const QVariant maxId =
      TANDEM_TRY(sqlValue(connection(), QStringLiteral("SELECT max(coalesce((SELECT max(id) FROM message), 0), "
                                                       "coalesce((SELECT max(id) FROM conversation), 0))")));
  m_report.maxId = maxId.toLongLong();
  return transaction.commit();
}

Result<void> HistoryDatabase::rebuildSearchIfNeeded() {
  // The index can be made anew from the messages, so a fault in it is no reason to set the whole file aside.
  const auto isSound = [&]() -> bool {
    for (const char* table : {"message_search", "title_search"}) {
      if (!sqlExec(connection(), QStringLiteral("INSERT INTO %1(%1) VALUES ('integrity-check')").arg(QLatin1String(table)))) {
        return false;
      }
    }
    const Result<QVariant> missing = sqlValue(
        connection(), QStringLiteral("SELECT (SELECT count(*) FROM message) - (SELECT count(*) FROM message_search) <> 0 "
                                     "OR (SELECT count(*) FROM conversation) - (SELECT count(*) FROM title_search) <> 0"));
    return missing && !missing->toBool();
  };
  if (isSound()) return {};

  SqlTransaction transaction = TANDEM_TRY(SqlTransaction::begin(connection()));
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("DROP TABLE IF EXISTS message_search")));
  TANDEM_TRY(sqlExec(connection(), QStringLiteral("DROP TABLE IF EXISTS title_search")));
  for (const QStringList& version : historyMigrations()) {
    for (const QString& statement : version) {
      if (statement.startsWith(QLatin1String("CREATE VIRTUAL TABLE"))) TANDEM_TRY(sqlExec(connection(), statement));
    }
  }
  QSqlQuery query = TANDEM_TRY(sqlQuery(connection(), QStringLiteral("SELECT id, title FROM conversation")));
  QList<std::pair<HistoryId, QString>> titles;
  while (query.next()) titles += {query.value(0).toLongLong(), query.value(1).toString()};
  query = TANDEM_TRY(sqlQuery(connection(), QStringLiteral("SELECT id FROM message")));
  QList<HistoryId> messages;
  while (query.next()) messages += query.value(0).toLongLong();
  query.finish();
  for (const auto& [id, title] : titles) TANDEM_TRY(indexTitle(id, title));
  for (const HistoryId id : messages) TANDEM_TRY(indexMessage(id));
  return transaction.commit();
}

}  // namespace tandem::gui
