// HistoryStore: the chats on disk, for the GUI thread. Every call returns at once; a worker thread does the work in order.
//
// Writes never get lost quietly: what the disk refuses stays queued in memory, in order, is tried again every two seconds,
// and is reported until it has succeeded.
#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QThread>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "gui/history/history_database.h"

namespace tandem::gui {

class HistoryWorker;

class HistoryStore : public QObject {
  Q_OBJECT
 public:
  enum class State { Opening, Ready, Failed };
  Q_ENUM(State)

  // Starts to open `path` at once.
  explicit HistoryStore(QString path, HistoryDatabase::Options options = {}, QObject* parent = nullptr);
  // Writes what is queued (each write is tried once), closes, waits for the thread.
  ~HistoryStore() override;

  State state() const { return m_state; }
  const std::optional<Error>& openError() const { return m_openError; }  // in Failed only
  const OpenReport& report() const { return m_report; }                  // in Ready only
  QString path() const { return m_path; }
  // Tries again after Failed (the other Tandem was closed, space was freed).
  void reopen();
  // Changes that are not on disk yet; 0 most of the time, more while the disk refuses them.
  int numUnsaved() const { return m_numQueued.load() + int(m_pendingText.size()); }
  const std::optional<Error>& writeError() const { return m_writeError; }

  // Ids are given out here, so that callers need not wait for the disk. Ready only.
  HistoryId newId() { return m_nextId++; }

  // Limits the file of the open database from now on, as if the disk were that large. For tests.
  void setMaxPages(qint64 maxPages);

  // Reads. `done` runs on the GUI thread, after everything written before, unless `context` has died.
  using ListCallback = std::function<void(const Result<QList<ConversationSummary>>&)>;
  using LoadCallback = std::function<void(const Result<ConversationData>&)>;
  using SearchCallback = std::function<void(const Result<QList<SearchHit>>&)>;
  void listConversations(QObject* context, ListCallback done);
  void loadConversation(HistoryId conversationId, QObject* context, LoadCallback done);
  void search(const QString& typed, int limit, QObject* context, SearchCallback done);

  // Writes, see HistoryDatabase.
  void insertConversation(const Conversation& conversation);
  void setTitle(HistoryId conversationId, const QString& title, bool byUser);
  void setSettings(HistoryId conversationId, const QString& systemPrompt, const ChatSettings& settings);
  void setHead(HistoryId conversationId, HistoryId messageId);
  void insertMessage(const Message& message);
  void setStartsContext(HistoryId messageId, bool startsContext);
  void resumeMessage(HistoryId messageId);
  // Collected for some 150 ms, then written.
  void appendText(HistoryId messageId, const QString& content, const QString& reasoning);
  void finishMessage(HistoryId messageId, MessageStatus status, const std::optional<Error>& error, const AnswerStats& stats);
  void markDeleted(HistoryId conversationId);
  void undoDelete(HistoryId conversationId);
  void purge(HistoryId conversationId);

  enum class ExportFormat { Markdown, Json };
  // Writes the shown branch (Markdown) or everything (JSON), atomically.
  using ExportCallback = std::function<void(const Result<void>&)>;
  void exportConversations(const QList<HistoryId>& conversationIds, ExportFormat format, const QString& path, QObject* context,
                           ExportCallback done);
  // Adds the conversations of a file written by a JSON export. Gives their new ids.
  using ImportCallback = std::function<void(const Result<QList<HistoryId>>&)>;
  void importConversations(const QString& path, QObject* context, ImportCallback done);

 signals:
  void stateChanged(tandem::gui::HistoryStore::State state);
  // The disk refused a write; repeated only when the reason changes.
  void writeFailed(const tandem::Error& error);
  void writesResumed();

 private:
  using Write = std::function<Result<void>(HistoryDatabase&)>;
  void enqueue(Write write);
  void flushText();
  void openOnWorker();
  void handleOpened(const Result<OpenReport>& result);
  // Runs `work` on the worker thread and `done` with its result here.
  template <class T>
  void read(std::function<Result<T>(HistoryDatabase&)> work, QObject* context, std::function<void(const Result<T>&)> done);

  const QString m_path;
  const HistoryDatabase::Options m_options;
  State m_state = State::Opening;
  std::optional<Error> m_openError;
  std::optional<Error> m_writeError;
  OpenReport m_report;
  std::atomic<HistoryId> m_nextId{1};  // the worker takes ids for imports
  std::atomic<int> m_numQueued{0};
  QHash<HistoryId, StreamChunk> m_pendingText;
  QTimer m_textTimer;
  QThread m_thread;
  HistoryWorker* m_worker;  // lives on m_thread
};

}  // namespace tandem::gui
