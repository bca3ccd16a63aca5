#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "gui/history/history_database.h"
#include "gui/history/history_export.h"
#include "tests/gui/history/history_samples.h"

using namespace tandem;
using namespace tandem::gui;
using namespace tandem::test;

class HistoryRecoveryTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_dir = std::make_unique<QTemporaryDir>();
    m_path = m_dir->filePath(QStringLiteral("history.sqlite"));
    auto database = HistoryDatabase::open(m_path);
    QVERIFY(database.has_value());
    QVERIFY((*database)->insertAll(sampleConversations(kNumChats, kAnswerChars)).has_value());
  }

  void damagedFileIsSetAsideAndReadableRowsComeBack_data() {
    QTest::addColumn<double>("from");        // of the file
    QTest::addColumn<int>("numBytes");       // overwritten; 0: cut off here
    QTest::addColumn<int>("leastMessages");  // of kNumChats * 2
    QTest::newRow("first page overwritten") << 0.0 << 4096 << 2 * kNumChats - 2;
    QTest::newRow("magic overwritten") << 0.0 << 16 << 2 * kNumChats;
    QTest::newRow("16 KiB in the middle overwritten") << 0.5 << 16384 << 2 * kNumChats - 24;
    QTest::newRow("first fifth overwritten") << 0.0 << -20 << kNumChats;
    QTest::newRow("cut at three quarters") << 0.75 << 0 << kNumChats;
    QTest::newRow("cut in a page") << 0.5001 << 0 << kNumChats / 2;
  }
  void damagedFileIsSetAsideAndReadableRowsComeBack() {
    QFETCH(double, from);
    QFETCH(int, numBytes);
    QFETCH(int, leastMessages);
    QFile file(m_path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    const qint64 size = file.size();
    const qint64 start = qint64(double(size) * from) / (numBytes < 0 ? 4096 : 1) * (numBytes < 0 ? 4096 : 1);
    if (numBytes == 0) {
      QVERIFY(file.resize(start));
    } else {
      const qint64 count = numBytes > 0 ? numBytes : size / 100 * -numBytes;
      file.seek(start);
      QByteArray noise(count, '\0');
      quint32 state = 1;  // fixed, so that a failure comes back
      for (char& byte : noise) byte = char((state = state * 1664525U + 1013904223U) >> 24);
      QCOMPARE(file.write(noise), count);
    }
    file.close();
    const QByteArray damaged = contents(m_path);

    const auto opened = HistoryDatabase::open(m_path);
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().detail.c_str());
    const OpenReport& report = (*opened)->report();
    QVERIFY(!report.damagedCopy.isEmpty());
    QVERIFY(!report.damage.isEmpty());
    QCOMPARE(contents(report.damagedCopy), damaged);
    QVERIFY2(report.recoveredMessages >= leastMessages, qPrintable(QString::number(report.recoveredMessages)));

    const QList<ConversationSummary> list = *(*opened)->conversations();
    QCOMPARE(list.size(), report.recoveredConversations);
    for (const ConversationSummary& summary : list) {
      const Result<ConversationData> data = (*opened)->load(summary.id);
      QVERIFY(data.has_value());
      const qint64 k = (summary.id - 1) / 3;
      for (const Message& message : data->messages) {  // whole rows or none: never half an answer
        const QList<ConversationData> expected = sampleConversations(int(k) + 1, kAnswerChars);
        QCOMPARE(message.content, expected.last().messages[message.role == Role::User ? 0 : 1].content);
      }
      QVERIFY(shownBranch(*data).size() > 0 || data->messages.isEmpty());
    }
    QVERIFY(!(*opened)->search(QStringLiteral("answer"), 5)->isEmpty());
  }

  void soundFileIsNotSetAside() {
    const auto opened = HistoryDatabase::open(m_path);
    QVERIFY(opened.has_value());
    QVERIFY((*opened)->report().damagedCopy.isEmpty());
    QCOMPARE((*opened)->conversations()->size(), kNumChats);
  }

  void fileThatIsNoDatabaseIsSetAside() {
    QFile file(m_path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(
        "this is not a database, but it is longer than one hundred bytes, which is what the header of a file takes up....");
    file.close();
    const auto opened = HistoryDatabase::open(m_path);
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().detail.c_str());
    QVERIFY(QFile::exists((*opened)->report().damagedCopy));
    QCOMPARE((*opened)->conversations()->size(), 0);
  }

  void lostTableIsDamage() {
    {
      const auto opened = HistoryDatabase::open(m_path);
      QVERIFY(sqlExec((*opened)->connection(), QStringLiteral("DROP TABLE stream_chunk")).has_value());
    }
    const auto opened = HistoryDatabase::open(m_path);
    QVERIFY(opened.has_value());
    QVERIFY(!(*opened)->report().damagedCopy.isEmpty());
    QCOMPARE((*opened)->report().recoveredMessages, 2 * kNumChats);
  }

  void lostSearchIndexIsMadeAnew() {
    {
      const auto opened = HistoryDatabase::open(m_path);
      QVERIFY(sqlExec((*opened)->connection(), QStringLiteral("DELETE FROM message_search_data WHERE id > 10")).has_value());
      QVERIFY(sqlExec((*opened)->connection(), QStringLiteral("DROP TABLE title_search")).has_value());
    }
    const auto opened = HistoryDatabase::open(m_path);
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().detail.c_str());
    QVERIFY((*opened)->report().damagedCopy.isEmpty());
    QCOMPARE((*opened)->search(QStringLiteral("question"), 1000)->size(), kNumChats);
    QCOMPARE((*opened)->search(QStringLiteral("chat"), 1000)->size(), kNumChats);
  }

  void recoveredDatabaseIsSoundAtTheNextStart() {
    QFile file(m_path);
    QVERIFY(file.resize(file.size() / 2));
    qsizetype recovered = 0;
    {
      const auto opened = HistoryDatabase::open(m_path);
      QVERIFY(opened.has_value());
      recovered = (*opened)->report().recoveredConversations;
    }
    const auto again = HistoryDatabase::open(m_path);
    QVERIFY((*again)->report().damagedCopy.isEmpty());
    QCOMPARE((*again)->conversations()->size(), recovered);
  }

 private:
  static constexpr int kNumChats = 60;
  static constexpr int kAnswerChars = 3000;  // some rows on overflow pages: longer than a page with its question
  static QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  std::unique_ptr<QTemporaryDir> m_dir;
  QString m_path;
};

QTEST_GUILESS_MAIN(HistoryRecoveryTest)
#include "history_recovery_test.moc"
