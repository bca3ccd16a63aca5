#include "gui/history/history_export.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/history/history_samples.h"

using namespace tandem;
using namespace tandem::gui;
using namespace tandem::test;

class HistoryExportTest : public QObject {
  Q_OBJECT

 private slots:
  void jsonComesBackWholeWithNewIds() {
    ConversationData data = sampleConversations(1, 50).first();
    data.conversation.systemPrompt = QStringLiteral("You are 好");
    data.conversation.settings.minP = 0.05;
    Message second = sampleMessage(4, 1, 2, Role::Assistant, QStringLiteral("Other answer"));
    second.reasoning = QStringLiteral("thought");
    second.status = MessageStatus::Failed;
    second.error = Error{ErrorCode::kDevice, "lost"};
    second.stats = AnswerStats{QStringLiteral("m"), 1, 2, 3.5, 4.5, 5.5, 18'446'744'073'709'551'615U};
    data.messages += second;

    std::atomic<HistoryId> nextId = 100;
    const auto parsed = parseImport(exportJson({data, data}), nextId);
    QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().detail.c_str());
    QCOMPARE(parsed->size(), 2);
    const ConversationData& back = parsed->first();
    QCOMPARE(back.conversation.id, HistoryId(100));
    QCOMPARE(back.conversation.systemPrompt, data.conversation.systemPrompt);
    QVERIFY(back.conversation.settings == data.conversation.settings);
    QCOMPARE(back.messages.size(), 3);
    QCOMPARE(shownBranch(back).last().content, data.messages[1].content);
    QCOMPARE(back.messages[2].parentId, back.messages[0].id);
    QCOMPARE(back.messages[2].reasoning, second.reasoning);
    QVERIFY(back.messages[2].stats == second.stats);
    QCOMPARE(back.messages[2].error->detail, std::string("lost"));
    QCOMPARE(back.messages[2].createdMs, second.createdMs);
    QVERIFY(parsed->last().conversation.id > back.messages.last().id);
  }

  void markdownShowsTheBranchAndItsThinking() {
    ConversationData data = sampleConversations(1, 20).first();
    data.messages[1].reasoning = QStringLiteral("thought");
    data.messages += sampleMessage(4, 1, 2, Role::Assistant, QStringLiteral("hidden branch"));
    const QString text = QString::fromUtf8(exportMarkdown({data}));
    QVERIFY(text.startsWith(QStringLiteral("# Chat 0\n")));
    QVERIFY(text.contains(QStringLiteral("## User\n\nQuestion 0?")));
    QVERIFY(text.contains(QStringLiteral("<details><summary>Thinking</summary>\n\nthought")));
    QVERIFY(!text.contains(QStringLiteral("hidden branch")));
  }

  void badImportNamesThePlace_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("words");
    QTest::newRow("not JSON") << QByteArray("{") << QStringLiteral("not JSON");
    QTest::newRow("other file") << QByteArray(R"({"a":1})") << QStringLiteral("tandem-chats");
    QTest::newRow("newer") << QByteArray(R"({"format":"tandem-chats","version":7})") << QStringLiteral("version 7");
    QTest::newRow("no messages") << QByteArray(R"({"format":"tandem-chats","version":1,"conversations":[{}]})")
                                 << QStringLiteral("conversation 1");
    QTest::newRow("bad role")
        << QByteArray(R"({"format":"tandem-chats","version":1,"conversations":[{"messages":[{"id":1,"role":"x"}]}]})")
        << QStringLiteral("message 1 has no role");
    QTest::newRow("parent after child")
        << QByteArray(
               R"({"format":"tandem-chats","version":1,"conversations":[{"messages":[{"id":1,"parent":2,"role":"user","status":"complete","content":""}]}]})")
        << QStringLiteral("parent");
  }
  void badImportNamesThePlace() {
    QFETCH(QByteArray, json);
    QFETCH(QString, words);
    std::atomic<HistoryId> nextId = 1;
    const auto parsed = parseImport(json, nextId);
    QVERIFY(!parsed);
    QVERIFY2(QString::fromStdString(parsed.error().detail).contains(words), parsed.error().detail.c_str());
  }

  void failedExportKeepsTheOldFile() {
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("out.md"));
    QVERIFY(writeExport("good", path).has_value());
    QVERIFY(!writeExport("x", dir.filePath(QStringLiteral("missing/out.md"))));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("good"));
  }
};

QTEST_GUILESS_MAIN(HistoryExportTest)
#include "history_export_test.moc"
