#include "gui/history/recovery.h"

#include <QDateTime>
#include <QFile>
#include <QMap>
#include <QSet>
#include <algorithm>

#include "gui/history/rows.h"
#include "gui/history/schema.h"
#include "gui/history/sql.h"
#include "gui/history/sqlite_carver.h"

namespace tandem::gui {
namespace {

struct Chunk {
  HistoryId messageId = 0;
  bool isReasoning = false;
  QString text;
};

struct Salvage {
  QMap<HistoryId, Conversation> conversations;
  QSet<HistoryId> deleted;
  QMap<HistoryId, Message> messages;
  QMap<qint64, Chunk> chunks;
};

bool isPlausibleTime(qint64 ms) {
  return ms > 0 && ms < QDateTime::currentMSecsSinceEpoch() + qint64{366} * 86'400'000;
}

void addConversation(Salvage& salvage, const QVariantList& row, bool replace) {
  const std::optional<Conversation> conversation = conversationFromRow(row);
  if (!conversation || conversation->id <= 0 || !isPlausibleTime(conversation->createdMs)) return;
  if (!replace && salvage.conversations.contains(conversation->id)) return;
  salvage.conversations.insert(conversation->id, *conversation);
  if (isDeletedRow(row)) salvage.deleted.insert(conversation->id);
}

void addMessage(Salvage& salvage, const QVariantList& row, bool replace) {
  const std::optional<Message> message = messageFromRow(row);
  if (!message || message->id <= 0 || message->conversationId <= 0 || !isPlausibleTime(message->createdMs)) return;
  if (!replace && salvage.messages.contains(message->id)) return;
  salvage.messages.insert(message->id, *message);
}

void addChunk(Salvage& salvage, const QVariantList& row) {
  if (row.size() != kNumChunkColumns || row[3].typeId() != QMetaType::QString) return;
  const qint64 id = row[0].toLongLong();
  if (!salvage.chunks.contains(id)) salvage.chunks.insert(id, {row[1].toLongLong(), row[2].toBool(), row[3].toString()});
}

// Rows from both ends of the table towards the damaged place; the raw pages give those between.
void readTable(const QSqlDatabase& database, const QString& table, int numColumns,
               const std::function<void(const QVariantList&)>& sink) {
  for (const char* order : {"ASC", "DESC"}) {
    QSqlQuery query(database);
    query.setForwardOnly(true);
    if (!query.exec(QStringLiteral("SELECT * FROM %1 ORDER BY rowid %2").arg(table, QLatin1String(order)))) continue;
    while (query.next()) {
      QVariantList row;
      for (int i = 0; i < numColumns; ++i) row += query.value(i);
      sink(row);
    }
    if (!query.lastError().isValid()) return;  // the whole table came
  }
}

QByteArray readFile(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void readThroughSqlite(const QString& path, Salvage& salvage) {
  Result<SqlConnection> connection = SqlConnection::open(path, QStringLiteral("QSQLITE_OPEN_READONLY"));
  if (!connection) return;
  const QSqlDatabase& database = connection->database();
  readTable(database, QStringLiteral("conversation"), kNumConversationColumns,
            [&](const QVariantList& row) { addConversation(salvage, row, false); });
  readTable(database, QStringLiteral("message"), kNumMessageColumns,
            [&](const QVariantList& row) { addMessage(salvage, row, false); });
  readTable(database, QStringLiteral("stream_chunk"), kNumChunkColumns,
            [&](const QVariantList& row) { addChunk(salvage, row); });
}

void readRawPages(const QString& path, Salvage& salvage) {
  Salvage carved;
  // Later copies of a row are newer: pages first, then the log in its order.
  const CarvedRowSink sink = [&](qint64 rowId, const QVariantList& columns) {
    if (columns.isEmpty() || !columns[0].isNull()) return;  // all our tables start with an INTEGER PRIMARY KEY
    QVariantList row = columns;
    row[0] = rowId;
    if (row.size() == kNumConversationColumns) addConversation(carved, row, true);
    if (row.size() == kNumMessageColumns) addMessage(carved, row, true);
    if (row.size() == kNumChunkColumns) addChunk(carved, row);
  };
  const QByteArray database = readFile(path);
  carveDatabase(database, kNumMessageColumns, sink);
  carveWal(readFile(path + QStringLiteral("-wal")), database, kNumMessageColumns, sink);

  // What SQLite delivered is newer than any stray copy of it.
  for (auto it = carved.conversations.cbegin(); it != carved.conversations.cend(); ++it) {
    if (salvage.conversations.contains(it.key())) continue;
    salvage.conversations.insert(it.key(), it.value());
    if (carved.deleted.contains(it.key())) salvage.deleted.insert(it.key());
  }
  QSet<HistoryId> known(salvage.messages.keyBegin(), salvage.messages.keyEnd());
  for (auto it = carved.messages.cbegin(); it != carved.messages.cend(); ++it) {
    if (!known.contains(it.key())) salvage.messages.insert(it.key(), it.value());
  }
  for (auto it = carved.chunks.cbegin(); it != carved.chunks.cend(); ++it) {
    // A chunk of a finished answer is a stray copy of text that has been folded in.
    const auto message = salvage.messages.constFind(it.value().messageId);
    const bool isOpen = message != salvage.messages.cend() && message->status == MessageStatus::Streaming;
    if (isOpen && !salvage.chunks.contains(it.key())) salvage.chunks.insert(it.key(), it.value());
  }
}

QList<ConversationData> assemble(Salvage salvage) {
  for (const Chunk& chunk : salvage.chunks) {
    const auto message = salvage.messages.find(chunk.messageId);
    if (message == salvage.messages.end()) continue;
    (chunk.isReasoning ? message->reasoning : message->content) += chunk.text;
  }
  for (const Message& message : salvage.messages) {
    if (salvage.conversations.contains(message.conversationId)) continue;
    Conversation made;
    made.id = message.conversationId;
    made.title = message.content.simplified().left(60);
    made.createdMs = message.createdMs;
    made.updatedMs = message.createdMs;
    salvage.conversations.insert(made.id, made);
  }
  QMap<HistoryId, ConversationData> byId;
  for (const Conversation& conversation : salvage.conversations) {
    if (!salvage.deleted.contains(conversation.id)) byId.insert(conversation.id, {conversation, {}});
  }
  for (Message message : salvage.messages) {  // by id: a parent's id is smaller than its children's
    const auto found = byId.find(message.conversationId);
    if (found == byId.end()) continue;
    QList<Message>& siblings = found->messages;
    const auto isHere = [&](HistoryId id) {
      return std::any_of(siblings.cbegin(), siblings.cend(), [&](const Message& m) { return m.id == id; });
    };
    if (message.parentId != 0 && !isHere(message.parentId)) message.parentId = siblings.isEmpty() ? 0 : siblings.last().id;
    if (message.status == MessageStatus::Streaming) message.status = MessageStatus::Interrupted;
    siblings += message;
  }
  QList<ConversationData> result;
  for (ConversationData data : byId) {
    const HistoryId head = data.conversation.headId;
    const bool hasHead =
        std::any_of(data.messages.cbegin(), data.messages.cend(), [&](const Message& m) { return m.id == head; });
    if (!hasHead) data.conversation.headId = data.messages.isEmpty() ? 0 : data.messages.last().id;
    result += data;
  }
  return result;
}

}  // namespace

QList<ConversationData> recoverConversations(const QString& path) {
  Salvage salvage;
  readThroughSqlite(path, salvage);
  readRawPages(path, salvage);
  return assemble(std::move(salvage));
}

}  // namespace tandem::gui
