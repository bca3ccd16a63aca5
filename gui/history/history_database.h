// HistoryDatabase: the chats on disk, as plain blocking calls on the thread that opened it. HistoryStore runs it on its own.
//
// Durability: a commit reaches the operating system at once, so nothing committed is lost when this process is killed.
// Everything is synced to the disk as well (synchronous = FULL), except pieces of streamed text (NORMAL): a power cut may
// take the last of those, and the next synced commit secures them all.
#pragma once

#include <QStringList>
#include <memory>

#include "gui/history/schema.h"
#include "gui/history/sql.h"
#include "gui/history/types.h"

namespace tandem::gui {

class InstanceLock;

// What opening had to do, for telling the user.
struct OpenReport {
  QString damagedCopy;  // the damaged file, set aside; empty: the database was sound
  QString damage;       // SQLite's first finding, English
  qsizetype recoveredConversations = 0;
  qsizetype recoveredMessages = 0;
  QString oldVersionCopy;  // kept before a migration; empty: none was needed
  int migratedFrom = 0;
  qsizetype interruptedAnswers = 0;       // were being written when the program ended
  HistoryId interruptedConversation = 0;  // of the newest of them
  qsizetype purgedConversations = 0;      // deleted, and their undo time ended with the program
  HistoryId maxId = 0;
};

struct StreamChunk {
  HistoryId messageId = 0;
  QString content;
  QString reasoning;
};

class HistoryDatabase {
 public:
  struct Options {
    const QList<QStringList>* migrations = &historyMigrations();
    qint64 maxPages = 0;  // limits the file, so that tests can fill it; 0: as large as the disk
  };

  // Locks, checks, migrates or recovers, then opens; creates what is missing. Errors:
  //   kUnavailable  another process has it open (detail names it)
  //   kUnsupported  written by a newer version; the file is left as it is
  //   kIo           the folder cannot be written, the disk is full
  static Result<std::unique_ptr<HistoryDatabase>> open(const QString& path, const Options& options);
  static Result<std::unique_ptr<HistoryDatabase>> open(const QString& path) { return open(path, Options()); }
  ~HistoryDatabase();

  const OpenReport& report() const { return m_report; }
  const QSqlDatabase& connection() const { return m_connection.database(); }

  // Newest first; without deleted ones.
  Result<QList<ConversationSummary>> conversations() const;
  // kNotFound: no such conversation, or deleted.
  Result<ConversationData> load(HistoryId conversationId) const;
  // Titles first, then messages, best first in each; at most `limit` of each.
  Result<QList<SearchHit>> search(const QString& typed, int limit) const;

  Result<void> insertConversation(const Conversation& conversation);
  Result<void> setTitle(HistoryId conversationId, const QString& title, bool byUser);
  Result<void> setSettings(HistoryId conversationId, const QString& systemPrompt, const ChatSettings& settings);
  Result<void> setHead(HistoryId conversationId, HistoryId messageId);
  // Adds the message and makes it the head.
  Result<void> insertMessage(const Message& message);
  Result<void> setStartsContext(HistoryId messageId, bool startsContext);
  // Opens an ended answer again: what is appended goes behind its text.
  Result<void> resumeMessage(HistoryId messageId);
  // One transaction for all. Chunks of a message that was deleted meanwhile are dropped.
  Result<void> appendChunks(const QList<StreamChunk>& chunks);
  // Folds the streamed text in and sets what is known now.
  Result<void> finishMessage(HistoryId messageId, MessageStatus status, const std::optional<Error>& error,
                             const AnswerStats& stats);

  // Hidden at once, and for good: a deletion that was not undone before the program ended is carried out at the next start.
  Result<void> markDeleted(HistoryId conversationId);
  Result<void> undoDelete(HistoryId conversationId);
  // Removes it from the file, which is overwritten there (secure_delete). Not marked as deleted: nothing happens.
  Result<void> purge(HistoryId conversationId);

  // Adds whole conversations (an import, or rows read out of a damaged file). Ids must be new.
  Result<void> insertAll(const QList<ConversationData>& conversations);

 private:
  HistoryDatabase(QString path, std::unique_ptr<InstanceLock> lock, SqlConnection connection);
  Result<void> foldChunks(HistoryId messageId);
  Result<void> indexMessage(HistoryId messageId);
  Result<void> indexTitle(HistoryId conversationId, const QString& title);
  Result<void> purgeRows(HistoryId conversationId);
  Result<void> repairAfterStart();
  Result<void> rebuildSearchIfNeeded();
  Result<void> insertConversationRow(const Conversation& conversation);
  Result<void> insertMessageRow(const Message& message);

  QString m_path;
  std::unique_ptr<InstanceLock> m_lock;  // released after the connection is closed
  SqlConnection m_connection;
  OpenReport m_report;
};

}  // namespace tandem::gui
