#include "gui/history/history_database.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "gui/history/history_export.h"
#include "tests/gui/history/history_samples.h"

using namespace tandem;
using namespace tandem::gui;
using namespace tandem::test;

#define VERIFY_OK(expression)                                                                    \
  do {                                                                                           \
    const auto& verifyResult = (expression);                                                     \
    QVERIFY2(verifyResult.has_value(), verifyResult ? "" : verifyResult.error().detail.c_str()); \
  } while (false)

class HistoryDatabaseTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_dir = std::make_unique<QTemporaryDir>();
    m_path = m_dir->filePath(QStringLiteral("history.sqlite"));
    reopen();
  }
  void cleanup() { m_database.reset(); }

  void newFileIsPrivateAndHasTheNewestVersion() {
    QCOMPARE(QFile::permissions(m_path) & (QFile::ReadGroup | QFile::ReadOther | QFile::WriteOther), QFile::Permissions());
    QCOMPARE(pragma("user_version").toInt(), int(historyMigrations().size()));
    QCOMPARE(pragma("journal_mode").toString(), QStringLiteral("wal"));
    QCOMPARE(pragma("foreign_keys").toInt(), 1);
    QCOMPARE(pragma("synchronous").toInt(), 2);
    QVERIFY(m_database->report().damagedCopy.isEmpty());
  }

  void conversationComesBackWithEveryField() {
    Conversation c = sampleConversation(1, QStringLiteral("Über 缓存 🙂"));
    c.systemPrompt = QStringLiteral("Be brief.");
    c.settings.temperature = 0.25;
    c.settings.topK = 7;
    c.settings.seed = 18'446'744'073'709'551'615U;
    c.settings.maxTokens = 99;
    c.settings.thinking = false;
    VERIFY_OK(m_database->insertConversation(c));
    Message q = sampleMessage(2, 1, 0, Role::User, QStringLiteral("Why?\n'; DROP TABLE message; --"));
    q.startsContext = true;
    VERIFY_OK(m_database->insertMessage(q));
    Message a = sampleMessage(3, 1, 2, Role::Assistant, QStringLiteral("Because."));
    a.reasoning = QStringLiteral("Hmm");
    a.status = MessageStatus::Failed;
    a.error = Error{ErrorCode::kContextExhausted, "have 10, limit 5"};
    a.stats = AnswerStats{QStringLiteral("demo"), 5, 17, 12.5, 900.25, 1.5, 18'446'744'073'709'551'615U};
    VERIFY_OK(m_database->insertMessage(a));
    reopen();

    const Result<ConversationData> data = m_database->load(1);
    VERIFY_OK(data);
    QCOMPARE(data->conversation.title, c.title);
    QCOMPARE(data->conversation.systemPrompt, c.systemPrompt);
    QVERIFY(data->conversation.settings == c.settings);
    QCOMPARE(data->conversation.headId, HistoryId(3));
    QCOMPARE(data->messages.size(), 2);
    QCOMPARE(data->messages[0].content, q.content);
    QVERIFY(data->messages[0].startsContext);
    QCOMPARE(data->messages[1].reasoning, a.reasoning);
    QVERIFY(data->messages[1].stats == a.stats);
    QVERIFY(data->messages[1].error.has_value());
    QCOMPARE(data->messages[1].error->code, ErrorCode::kContextExhausted);
    QCOMPARE(data->messages[1].error->detail, std::string("have 10, limit 5"));
    QCOMPARE(m_database->report().maxId, HistoryId(3));
  }

  void regeneratedAnswerKeepsTheFormerOne() {
    addChat();
    VERIFY_OK(m_database->insertMessage(sampleMessage(4, 1, 2, Role::Assistant, QStringLiteral("Second answer"))));
    ConversationData data = *m_database->load(1);
    QCOMPARE(data.messages.size(), 3);
    QCOMPARE(shownBranch(data).last().content, QStringLiteral("Second answer"));
    VERIFY_OK(m_database->setHead(1, 3));
    data = *m_database->load(1);
    QCOMPARE(shownBranch(data).size(), 2);
    QCOMPARE(shownBranch(data).last().content, QStringLiteral("First answer"));
  }

  void streamedTextIsFoldedInOrder() {
    addChat();
    Message open = sampleMessage(4, 1, 2, Role::Assistant, {});
    open.status = MessageStatus::Streaming;
    VERIFY_OK(m_database->insertMessage(open));
    VERIFY_OK(m_database->appendChunks({{4, {}, QStringLiteral("think ")}}));
    VERIFY_OK(m_database->appendChunks({{4, QStringLiteral("an"), QStringLiteral("more")}, {3, {}, {}}}));
    VERIFY_OK(m_database->appendChunks({{4, QStringLiteral("swer"), {}}}));
    QCOMPARE(m_database->load(1)->messages.last().content, QStringLiteral("answer"));  // also before it is finished
    AnswerStats stats;
    stats.outputTokens = 4;
    VERIFY_OK(m_database->finishMessage(4, MessageStatus::Stopped, std::nullopt, stats));
    const Message done = m_database->load(1)->messages.last();
    QCOMPARE(done.content, QStringLiteral("answer"));
    QCOMPARE(done.reasoning, QStringLiteral("think more"));
    QCOMPARE(done.status, MessageStatus::Stopped);
    QCOMPARE(sqlValue(m_database->connection(), QStringLiteral("SELECT count(*) FROM stream_chunk"))->toInt(), 0);
    QCOMPARE(pragma("synchronous").toInt(), 2);  // back from the cheaper setting
  }

  void resumedAnswerGoesOnBehindItsText() {
    addChat();
    VERIFY_OK(m_database->resumeMessage(3));
    QCOMPARE(m_database->load(1)->messages.last().status, MessageStatus::Streaming);
    VERIFY_OK(m_database->appendChunks({{3, QStringLiteral(" and more"), {}}}));
    VERIFY_OK(m_database->finishMessage(3, MessageStatus::Complete, std::nullopt, {}));
    QCOMPARE(m_database->load(1)->messages.last().content, QStringLiteral("First answer and more"));
    QCOMPARE(m_database->search(QStringLiteral("answer more"), 10)->size(), 1);
  }

  void searchFindsChineseOfOneAndTwoCharacters_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<bool>("found");
    QTest::newRow("one character") << QStringLiteral("缓") << true;
    QTest::newRow("two characters") << QStringLiteral("缓存") << true;
    QTest::newRow("inside a word") << QStringLiteral("值缓") << true;
    QTest::newRow("mixed") << QStringLiteral("KV缓存") << true;
    QTest::newRow("two terms") << QStringLiteral("模型 缓存") << true;
    QTest::newRow("wrong order in a phrase") << QStringLiteral("存缓") << false;
    QTest::newRow("not there") << QStringLiteral("显卡") << false;
    QTest::newRow("Latin prefix") << QStringLiteral("atten") << true;
    QTest::newRow("other case") << QStringLiteral("ATTENTION") << true;
    QTest::newRow("accent") << QStringLiteral("cafe") << true;
    QTest::newRow("kana") << QStringLiteral("モデ") << true;
    QTest::newRow("hangul") << QStringLiteral("델") << true;
    QTest::newRow("extension B") << QStringLiteral("𠮷") << true;
    QTest::newRow("quote") << QStringLiteral("\"attention") << true;
    QTest::newRow("operators are text") << QStringLiteral("attention OR") << false;
    QTest::newRow("only punctuation") << QStringLiteral("* () \"") << false;
    QTest::newRow("column filter is text") << QStringLiteral("body:attention") << false;
  }
  void searchFindsChineseOfOneAndTwoCharacters() {
    QFETCH(QString, typed);
    QFETCH(bool, found);
    VERIFY_OK(m_database->insertConversation(sampleConversation(1, QStringLiteral("Untitled"))));
    VERIFY_OK(m_database->insertMessage(
        sampleMessage(2, 1, 0, Role::User,
                      QStringLiteral("大语言模型为什么需要键值缓存?KV缓存 saves attention work, café モデル 모델 𠮷野家"))));
    const Result<QList<SearchHit>> hits = m_database->search(typed, 10);
    VERIFY_OK(hits);
    QCOMPARE(!hits->isEmpty(), found);
  }

  void snippetReadsAsTheOriginalWithTheMatchMarked() {
    VERIFY_OK(m_database->insertConversation(sampleConversation(1, QStringLiteral("关于缓存"))));
    VERIFY_OK(m_database->insertMessage(sampleMessage(2, 1, 0, Role::User, QStringLiteral("键值缓存\n很重要"))));
    const QList<SearchHit> hits = *m_database->search(QStringLiteral("缓存"), 10);
    QCOMPARE(hits.size(), 2);
    QCOMPARE(hits[0].messageId, HistoryId(0));
    QCOMPARE(hits[1].messageId, HistoryId(2));
    const QString marked = QString(kMatchStart) + QStringLiteral("缓存") + kMatchEnd;
    QCOMPARE(hits[0].snippet, QStringLiteral("关于") + marked);
    QCOMPARE(hits[1].snippet, QStringLiteral("键值") + marked + QStringLiteral(" 很重要"));
  }

  void renamedTitleIsFoundByItsNewWordsOnly() {
    addChat();
    VERIFY_OK(m_database->setTitle(1, QStringLiteral("Penguins"), true));
    QCOMPARE(m_database->search(QStringLiteral("penguins"), 10)->size(), 1);
    QCOMPARE(m_database->search(QStringLiteral("greeting"), 10)->size(), 0);
    QVERIFY(m_database->load(1)->conversation.titledByUser);
  }

  void deletedChatIsGoneAndCanBeUndone() {
    addChat();
    VERIFY_OK(m_database->markDeleted(1));
    QCOMPARE(m_database->conversations()->size(), 0);
    QCOMPARE(m_database->search(QStringLiteral("answer"), 10)->size(), 0);
    QCOMPARE(m_database->load(1).error().code, ErrorCode::kNotFound);
    VERIFY_OK(m_database->undoDelete(1));
    QCOMPARE(m_database->conversations()->size(), 1);
    QCOMPARE(m_database->load(1)->messages.size(), 2);
    VERIFY_OK(m_database->purge(1));  // not marked any more: must stay
    QCOMPARE(m_database->conversations()->size(), 1);
  }

  void purgedChatLeavesNothingInTheFile() {
    addChat();
    VERIFY_OK(m_database->insertMessage(sampleMessage(4, 1, 3, Role::User, QStringLiteral("xyzzysecret"))));
    VERIFY_OK(m_database->markDeleted(1));
    VERIFY_OK(m_database->purge(1));
    for (const char* table : {"message", "conversation", "message_search", "title_search"}) {
      QCOMPARE(sqlValue(m_database->connection(), QStringLiteral("SELECT count(*) FROM %1").arg(QLatin1String(table)))->toInt(),
               0);
    }
    m_database.reset();
    QFile file(m_path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(!file.readAll().contains("xyzzysecret"));
  }

  void deletionNotUndoneBeforeTheEndIsFinal() {
    addChat();
    VERIFY_OK(m_database->markDeleted(1));
    reopen();
    QCOMPARE(m_database->report().purgedConversations, 1);
    QCOMPARE(sqlValue(m_database->connection(), QStringLiteral("SELECT count(*) FROM message"))->toInt(), 0);
  }

  void secondProcessIsRefusedWithTheNumberOfTheFirst() {
    const auto second = HistoryDatabase::open(m_path);  // flock counts open files, so the same process stands for another
    QVERIFY(!second);
    QCOMPARE(second.error().code, ErrorCode::kUnavailable);
    QVERIFY(QString::fromStdString(second.error().detail).contains(QString::number(QCoreApplication::applicationPid())));
    m_database.reset();
    VERIFY_OK(HistoryDatabase::open(m_path));
  }

  void newerVersionIsRefusedAndNotTouched() {
    addChat();
    VERIFY_OK(sqlExec(m_database->connection(), QStringLiteral("PRAGMA user_version = 99")));
    m_database.reset();
    const QByteArray before = contents();
    const auto opened = HistoryDatabase::open(m_path);
    QVERIFY(!opened);
    QCOMPARE(opened.error().code, ErrorCode::kUnsupported);
    QVERIFY(opened.error().detail.find("99") != std::string::npos);
    QCOMPARE(contents(), before);
  }

  void migrationKeepsTheOldFileAndEveryRow() {
    addChat();
    m_database.reset();
    QList<QStringList> next = historyMigrations();
    next += QStringList{QStringLiteral("ALTER TABLE conversation ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0"),
                        QStringLiteral("UPDATE conversation SET pinned = 1")};
    HistoryDatabase::Options options;
    options.migrations = &next;
    auto migrated = HistoryDatabase::open(m_path, options);
    VERIFY_OK(migrated);
    QCOMPARE((*migrated)->report().migratedFrom, int(historyMigrations().size()));
    QCOMPARE(sqlValue((*migrated)->connection(), QStringLiteral("SELECT pinned FROM conversation"))->toInt(), 1);
    QCOMPARE(sqlValue((*migrated)->connection(), QStringLiteral("SELECT count(*) FROM message"))->toInt(), 2);
    const QString old = (*migrated)->report().oldVersionCopy;
    migrated->reset();
    const auto kept = HistoryDatabase::open(old);
    VERIFY_OK(kept);
    QCOMPARE((*kept)->load(1)->messages.size(), 2);
  }

  void failedMigrationLeavesTheFileAsItWas() {
    addChat();
    m_database.reset();
    QList<QStringList> next = historyMigrations();
    next += QStringList{QStringLiteral("UPDATE conversation SET title = 'lost'"), QStringLiteral("CREATE NONSENSE")};
    HistoryDatabase::Options options;
    options.migrations = &next;
    QVERIFY(!HistoryDatabase::open(m_path, options));
    reopen();
    QCOMPARE(m_database->load(1)->conversation.title, QStringLiteral("Greeting"));
  }

  void fullDiskIsReportedAndTheTransactionUndone() {
    m_database.reset();
    HistoryDatabase::Options options;
    options.maxPages = 60;
    auto small = HistoryDatabase::open(m_path, options);
    VERIFY_OK(small);
    VERIFY_OK((*small)->insertConversation(sampleConversation(1, QStringLiteral("Small"))));
    const Result<void> written =
        (*small)->insertMessage(sampleMessage(2, 1, 0, Role::User, QString(400'000, QLatin1Char('x'))));
    QVERIFY(!written);
    QCOMPARE(written.error().code, ErrorCode::kIo);
    QCOMPARE((*small)->load(1)->messages.size(), 0);
    VERIFY_OK((*small)->insertMessage(sampleMessage(2, 1, 0, Role::User, QStringLiteral("fits"))));
  }

 private:
  void reopen() {
    m_database.reset();
    auto opened = HistoryDatabase::open(m_path);
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().detail.c_str());
    m_database = std::move(*opened);
  }
  void addChat() {
    VERIFY_OK(m_database->insertConversation(sampleConversation(1, QStringLiteral("Greeting"))));
    VERIFY_OK(m_database->insertMessage(sampleMessage(2, 1, 0, Role::User, QStringLiteral("A question"))));
    VERIFY_OK(m_database->insertMessage(sampleMessage(3, 1, 2, Role::Assistant, QStringLiteral("First answer"))));
  }
  QVariant pragma(const char* name) {
    return *sqlValue(m_database->connection(), QStringLiteral("PRAGMA ") + QLatin1String(name));
  }
  QByteArray contents() {
    QFile file(m_path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  std::unique_ptr<QTemporaryDir> m_dir;
  QString m_path;
  std::unique_ptr<HistoryDatabase> m_database;
};

QTEST_GUILESS_MAIN(HistoryDatabaseTest)
#include "history_database_test.moc"
