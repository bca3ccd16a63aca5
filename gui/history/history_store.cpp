#include "gui/history/history_store.h"

#include "gui/history/history_export.h"
#include "gui/history/history_worker.h"

namespace tandem::gui {

HistoryStore::HistoryStore(QString path, HistoryDatabase::Options options, QObject* parent)
    : QObject(parent),
      m_path(std::move(path)),
      m_options(options),
      m_textTimer(this),
      m_worker(new HistoryWorker(m_numQueued)) {
  m_textTimer.setSingleShot(true);
  m_textTimer.setInterval(150);
  connect(&m_textTimer, &QTimer::timeout, this, &HistoryStore::flushText);
  m_worker->moveToThread(&m_thread);
  connect(m_worker, &HistoryWorker::writeFailed, this, [this](const Error& error, bool dropped) {
    if (!dropped) m_writeError = error;
    emit writeFailed(error);
  });
  connect(m_worker, &HistoryWorker::writesResumed, this, [this] {
    m_writeError.reset();
    emit writesResumed();
  });
  m_thread.setObjectName(QStringLiteral("history"));
  m_thread.start();
  openOnWorker();
}

HistoryStore::~HistoryStore() {
  flushText();
  QMetaObject::invokeMethod(m_worker, [worker = m_worker] {
    worker->close();
    worker->deleteLater();
    worker->thread()->quit();
  });
  m_thread.wait();
}

void HistoryStore::openOnWorker() {
  QMetaObject::invokeMethod(m_worker, [this, worker = m_worker] {
    auto result = std::make_shared<Result<OpenReport>>(worker->open(m_path, m_options));
    QMetaObject::invokeMethod(this, [this, result] { handleOpened(*result); });
  });
}

void HistoryStore::reopen() {
  if (m_state != State::Failed) return;
  m_state = State::Opening;
  m_openError.reset();
  emit stateChanged(m_state);
  openOnWorker();
}

void HistoryStore::handleOpened(const Result<OpenReport>& result) {
  if (result) {
    m_report = *result;
    m_nextId = m_report.maxId + 1;
    m_state = State::Ready;
  } else {
    m_openError = result.error();
    m_state = State::Failed;
  }
  emit stateChanged(m_state);
}

void HistoryStore::setMaxPages(qint64 maxPages) {
  QMetaObject::invokeMethod(m_worker, [worker = m_worker, maxPages] {
    if (HistoryDatabase* database = worker->database()) {
      // Refused only when the file is larger already; the writes that follow say so.
      (void)sqlExec(database->connection(), QStringLiteral("PRAGMA max_page_count = %1").arg(maxPages));
    }
  });
}

template <class T>
void HistoryStore::read(std::function<Result<T>(HistoryDatabase&)> work, QObject* context,
                        std::function<void(const Result<T>&)> done) {
  flushText();
  QMetaObject::invokeMethod(
      m_worker, [this, worker = m_worker, work = std::move(work), guard = QPointer<QObject>(context), done = std::move(done)] {
        HistoryDatabase* database = worker->database();
        auto result = std::make_shared<Result<T>>(
            database ? work(*database) : Result<T>(Error{ErrorCode::kUnavailable, "The chat history is not open"}));
        // The guard is looked at on the GUI thread, where its object lives.
        QMetaObject::invokeMethod(this, [guard, done, result] {
          if (guard) done(*result);
        });
      });
}

void HistoryStore::listConversations(QObject* context, ListCallback done) {
  read<QList<ConversationSummary>>([](HistoryDatabase& database) { return database.conversations(); }, context,
                                   std::move(done));
}

void HistoryStore::loadConversation(HistoryId conversationId, QObject* context, LoadCallback done) {
  read<ConversationData>([=](HistoryDatabase& database) { return database.load(conversationId); }, context, std::move(done));
}

void HistoryStore::search(const QString& typed, int limit, QObject* context, SearchCallback done) {
  read<QList<SearchHit>>([=](HistoryDatabase& database) { return database.search(typed, limit); }, context, std::move(done));
}

void HistoryStore::enqueue(Write write) {
  ++m_numQueued;
  QMetaObject::invokeMethod(m_worker,
                            [worker = m_worker, write = std::move(write)]() mutable { worker->write(std::move(write)); });
}

void HistoryStore::insertConversation(const Conversation& conversation) {
  enqueue([=](HistoryDatabase& database) { return database.insertConversation(conversation); });
}

void HistoryStore::setTitle(HistoryId conversationId, const QString& title, bool byUser) {
  enqueue([=](HistoryDatabase& database) { return database.setTitle(conversationId, title, byUser); });
}

void HistoryStore::setSettings(HistoryId conversationId, const QString& systemPrompt, const ChatSettings& settings) {
  enqueue([=](HistoryDatabase& database) { return database.setSettings(conversationId, systemPrompt, settings); });
}

void HistoryStore::setHead(HistoryId conversationId, HistoryId messageId) {
  enqueue([=](HistoryDatabase& database) { return database.setHead(conversationId, messageId); });
}

void HistoryStore::insertMessage(const Message& message) {
  enqueue([=](HistoryDatabase& database) { return database.insertMessage(message); });
}

void HistoryStore::setStartsContext(HistoryId messageId, bool startsContext) {
  enqueue([=](HistoryDatabase& database) { return database.setStartsContext(messageId, startsContext); });
}

void HistoryStore::resumeMessage(HistoryId messageId) {
  enqueue([=](HistoryDatabase& database) { return database.resumeMessage(messageId); });
}

void HistoryStore::appendText(HistoryId messageId, const QString& content, const QString& reasoning) {
  StreamChunk& chunk = m_pendingText[messageId];
  chunk.messageId = messageId;
  chunk.content += content;
  chunk.reasoning += reasoning;
  if (!m_textTimer.isActive()) m_textTimer.start();
}

void HistoryStore::flushText() {
  m_textTimer.stop();
  if (m_pendingText.isEmpty()) return;
  const QList<StreamChunk> chunks = m_pendingText.values();
  m_pendingText.clear();
  enqueue([=](HistoryDatabase& database) { return database.appendChunks(chunks); });
}

void HistoryStore::finishMessage(HistoryId messageId, MessageStatus status, const std::optional<Error>& error,
                                 const AnswerStats& stats) {
  flushText();
  enqueue([=](HistoryDatabase& database) { return database.finishMessage(messageId, status, error, stats); });
}

void HistoryStore::markDeleted(HistoryId conversationId) {
  enqueue([=](HistoryDatabase& database) { return database.markDeleted(conversationId); });
}

void HistoryStore::undoDelete(HistoryId conversationId) {
  enqueue([=](HistoryDatabase& database) { return database.undoDelete(conversationId); });
}

void HistoryStore::purge(HistoryId conversationId) {
  enqueue([=](HistoryDatabase& database) { return database.purge(conversationId); });
}

void HistoryStore::exportConversations(const QList<HistoryId>& conversationIds, ExportFormat format, const QString& path,
                                       QObject* context, ExportCallback done) {
  read<void>(
      [=](HistoryDatabase& database) -> Result<void> {
        QList<ConversationData> conversations;
        for (const HistoryId id : conversationIds) conversations += TANDEM_TRY(database.load(id));
        return writeExport(format == ExportFormat::Json ? exportJson(conversations) : exportMarkdown(conversations), path);
      },
      context, std::move(done));
}

void HistoryStore::importConversations(const QString& path, QObject* context, ImportCallback done) {
  read<QList<HistoryId>>(
      [this, path](HistoryDatabase& database) -> Result<QList<HistoryId>> {
        const QList<ConversationData> conversations = TANDEM_TRY(readImport(path, m_nextId));
        TANDEM_TRY(database.insertAll(conversations));
        QList<HistoryId> ids;
        for (const ConversationData& data : conversations) ids += data.conversation.id;
        return ids;
      },
      context, std::move(done));
}

}  // namespace tandem::gui
