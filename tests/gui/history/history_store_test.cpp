#include "gui/history/history_store.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gui/history/history_samples.h"

using namespace tandem;
using namespace tandem::gui;
using namespace tandem::test;

// The child of the kill test: streams until the parent has seen enough, then dies without any clean-up.
static int streamAndDie(const QString& path, int toParent) {
  int argc = 1;
  char name[] = "child";
  char* argv[] = {name, nullptr};
  QCoreApplication app(argc, argv);
  HistoryStore store(path);
  QObject::connect(&store, &HistoryStore::stateChanged, &app, [&] {
    Conversation c = sampleConversation(store.newId(), QStringLiteral("Killed"));
    store.insertConversation(c);
    const Message q = sampleMessage(store.newId(), c.id, 0, Role::User, QStringLiteral("Count"));
    store.insertMessage(q);
    Message a = sampleMessage(store.newId(), c.id, q.id, Role::Assistant, {});
    a.status = MessageStatus::Streaming;
    store.insertMessage(a);
    auto* timer = new QTimer(&app);
    QObject::connect(timer, &QTimer::timeout, &app, [&store, id = a.id, toParent, n = 0]() mutable {
      store.appendText(id, QStringLiteral("%1 ").arg(n), {});
      ++n;
      // Everything up to here has been handed over: once it is written, die in the middle of the stream.
      if (n == 100) {
        store.listConversations(&store, [toParent](const auto&) {
          const char done = 1;
          if (::write(toParent, &done, 1) == 1) ::raise(SIGKILL);
        });
      }
    });
    timer->start(1);
  });
  return app.exec();
}

class HistoryStoreTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_dir = std::make_unique<QTemporaryDir>();
    m_path = m_dir->filePath(QStringLiteral("history.sqlite"));
  }

  void killedProcessLeavesThePartialAnswerMarkedInterrupted() {
    int pipes[2];
    QCOMPARE(::pipe(pipes), 0);
    const pid_t child = ::fork();
    if (child == 0)
      ::execl("/proc/self/exe", "child", "--stream-and-die", qPrintable(m_path), qPrintable(QString::number(pipes[1])),
              nullptr);
    QVERIFY(child > 0);
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(WTERMSIG(status), SIGKILL);
    ::close(pipes[0]);
    ::close(pipes[1]);

    HistoryStore store(m_path);
    QTRY_COMPARE(store.state(), HistoryStore::State::Ready);
    QCOMPARE(store.report().interruptedAnswers, 1);
    QCOMPARE(store.report().interruptedConversation, HistoryId(1));
    const ConversationData data = load(store, 1);
    QCOMPARE(data.messages.size(), 2);
    const Message& answer = data.messages.last();
    QCOMPARE(answer.status, MessageStatus::Interrupted);
    QString expected;
    for (int n = 0; n < 100; ++n) expected += QStringLiteral("%1 ").arg(n);
    QVERIFY2(answer.content.startsWith(expected), qPrintable(answer.content));
    QVERIFY(store.newId() > answer.id);

    // And it can be continued.
    store.resumeMessage(answer.id);
    store.appendText(answer.id, QStringLiteral("end"), {});
    store.finishMessage(answer.id, MessageStatus::Complete, std::nullopt, {});
    const Message whole = load(store, 1).messages.last();
    QCOMPARE(whole.status, MessageStatus::Complete);
    QCOMPARE(whole.content, answer.content + QStringLiteral("end"));
  }

  void readsSeeTheWritesBeforeThem() {
    HistoryStore store(m_path);
    QTRY_COMPARE(store.state(), HistoryStore::State::Ready);
    const HistoryId id = store.newId();
    store.insertConversation(sampleConversation(id, QStringLiteral("Now")));
    Message a = sampleMessage(store.newId(), id, 0, Role::Assistant, {});
    a.status = MessageStatus::Streaming;
    store.insertMessage(a);
    store.appendText(a.id, QStringLiteral("a"), {});
    store.appendText(a.id, QStringLiteral("b"), QStringLiteral("r"));
    const Message read = load(store, id).messages.last();
    QCOMPARE(read.content, QStringLiteral("ab"));
    QCOMPARE(read.reasoning, QStringLiteral("r"));
  }

  void closingWritesWhatIsPending() {
    HistoryId id = 0;
    {
      HistoryStore store(m_path);
      QTRY_COMPARE(store.state(), HistoryStore::State::Ready);
      id = store.newId();
      store.insertConversation(sampleConversation(id, QStringLiteral("Closing")));
      Message a = sampleMessage(store.newId(), id, 0, Role::Assistant, {});
      a.status = MessageStatus::Streaming;
      store.insertMessage(a);
      store.appendText(a.id, QStringLiteral("last words"), {});
    }
    HistoryStore store(m_path);
    QTRY_COMPARE(store.state(), HistoryStore::State::Ready);
    QCOMPARE(load(store, id).messages.last().content, QStringLiteral("last words"));
  }

  void fullDiskKeepsWritesInOrderUntilThereIsRoom() {
    HistoryDatabase::Options options;
    options.maxPages = 60;
    HistoryStore store(m_path, options);
    QSignalSpy failed(&store, &HistoryStore::writeFailed);
    QTRY_COMPARE(store.state(), HistoryStore::State::Ready);
    const HistoryId id = store.newId();
    store.insertConversation(sampleConversation(id, QStringLiteral("Full")));
    const QString big(400'000, QLatin1Char('x'));
    store.insertMessage(sampleMessage(store.newId(), id, 0, Role::User, big));
    store.setTitle(id, QStringLiteral("After"), true);
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(store.writeError().has_value());
    QCOMPARE(store.writeError()->code, ErrorCode::kIo);
    QCOMPARE(store.numUnsaved(), 2);
    QCOMPARE(load(store, id).conversation.title, QStringLiteral("Full"));  // reading goes on

    QSignalSpy resumed(&store, &HistoryStore::writesResumed);
    store.setMaxPages(100'000);  // as if the user had freed space
    QTRY_COMPARE_WITH_TIMEOUT(resumed.size(), 1, 15'000);
    QCOMPARE(store.numUnsaved(), 0);
    QVERIFY(!store.writeError());
    const ConversationData data = load(store, id);
    QCOMPARE(data.messages.last().content, big);
    QCOMPARE(data.conversation.title, QStringLiteral("After"));
  }

  void secondStoreFailsUntilTheFirstIsClosed() {
    auto first = std::make_unique<HistoryStore>(m_path);
    QTRY_COMPARE(first->state(), HistoryStore::State::Ready);
    HistoryStore second(m_path);
    QTRY_COMPARE(second.state(), HistoryStore::State::Failed);
    QCOMPARE(second.openError()->code, ErrorCode::kUnavailable);
    first.reset();
    second.reopen();
    QTRY_COMPARE(second.state(), HistoryStore::State::Ready);
  }

  void answerOfADeadContextIsDropped() {
    HistoryStore store(m_path);
    QTRY_COMPARE(store.state(), HistoryStore::State::Ready);
    auto context = std::make_unique<QObject>();
    bool called = false;
    store.listConversations(context.get(), [&](const auto&) { called = true; });
    context.reset();
    bool flushed = false;
    store.listConversations(this, [&](const auto&) { flushed = true; });
    QTRY_VERIFY(flushed);
    QVERIFY(!called);
  }

 private:
  ConversationData load(HistoryStore& store, HistoryId id) {
    std::optional<Result<ConversationData>> loaded;
    store.loadConversation(id, this, [&](const Result<ConversationData>& result) { loaded = result; });
    if (!QTest::qWaitFor([&] { return loaded.has_value(); }) || !loaded->has_value()) return {};
    return **loaded;
  }

  std::unique_ptr<QTemporaryDir> m_dir;
  QString m_path;
};

int main(int argc, char** argv) {
  if (argc == 4 && QByteArray(argv[1]) == "--stream-and-die") {
    return streamAndDie(QString::fromLocal8Bit(argv[2]), QByteArray(argv[3]).toInt());
  }
  QCoreApplication app(argc, argv);
  HistoryStoreTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "history_store_test.moc"
