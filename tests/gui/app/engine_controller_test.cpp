#include "gui/app/engine_controller.h"

#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "tests/gui/support/fake_engine.h"

namespace tandem::gui {
namespace {

using engine::FinishReason;
using engine::TokenEvent;
using test::FakeLog;
using test::FakeScript;
using State = EngineController::State;
using std::chrono::milliseconds;

engine::Request ask(const std::string& text) {
  engine::Request request;
  engine::ChatPrompt prompt;
  prompt.messages.push_back({{"role", "user"}, {"content", text}});
  request.prompt = std::move(prompt);
  return request;
}

// Collects what the controller says about requests.
struct Recorder : QObject {
  explicit Recorder(EngineController& controller) {
    connect(&controller, &EngineController::tokenEventsReceived, this, [this](Ticket ticket, const QList<TokenEvent>& events) {
      ++numBatches;
      for (const TokenEvent& event : events) {
        if (event.kind == TokenEvent::Kind::kText) text[ticket] += QString::fromStdString(event.text);
        if (event.kind == TokenEvent::Kind::kFinished) finished.insert(ticket, event.finish_reason);
      }
    });
    connect(&controller, &EngineController::requestRefused, this,
            [this](Ticket ticket, const Error& error) { refused.insert(ticket, error.code); });
  }
  int numBatches = 0;
  QHash<Ticket, QString> text;
  QHash<Ticket, FinishReason> finished;
  QHash<Ticket, ErrorCode> refused;
};

}  // namespace

class EngineControllerTest : public QObject {
  Q_OBJECT

 private slots:
  void loadReportsProgressAndBecomesReady() {
    auto log = std::make_shared<FakeLog>();
    EngineController controller(test::fake_loader({}, log));
    QSignalSpy progress(&controller, &EngineController::loadProgressed);
    engine::LoadOptions options;
    options.context_tokens = 777;
    controller.loadModel(QStringLiteral("/models/a.gguf"), options);
    QCOMPARE(controller.state(), State::Loading);
    QTRY_COMPARE(controller.state(), State::Ready);
    QCOMPARE(progress.count(), 4);
    QCOMPARE(controller.loadProgress().bytes_done, quint64(1) << 20);
    QCOMPARE(controller.modelInfo()->name, std::string("Fake Model"));
    QCOMPARE(controller.modelPath(), QStringLiteral("/models/a.gguf"));
    const std::lock_guard lock(log->mutex);
    QCOMPARE(log->options.context_tokens, std::optional<std::int64_t>(777));
  }

  void failedLoadKeepsTheReasonAndDoesNotRetry() {
    auto log = std::make_shared<FakeLog>();
    FakeScript script;
    script.loadError = Error{ErrorCode::kOutOfMemory, "needs 9 bytes, 3 are available"};
    EngineController controller(test::fake_loader(script, log));
    controller.loadModel(QStringLiteral("/models/a.gguf"), {});
    QTRY_COMPARE(controller.state(), State::Failed);
    QCOMPARE(controller.loadError()->code, ErrorCode::kOutOfMemory);
    QVERIFY(!controller.modelInfo());
    QTest::qWait(50);
    QCOMPARE(log->loads.load(), 1);
  }

  void cancelledLoadGoesBackToNoModel() {
    FakeScript script;
    script.loadSteps = 1000;
    script.loadDelay = milliseconds(5);
    auto log = std::make_shared<FakeLog>();
    EngineController controller(test::fake_loader(script, log));
    QSignalSpy progress(&controller, &EngineController::loadProgressed);
    controller.loadModel(QStringLiteral("/models/a.gguf"), {});
    QTRY_VERIFY(progress.count() >= 2);
    controller.cancelLoad();
    QCOMPARE(controller.state(), State::NoModel);
    const auto seen = progress.count();
    QTest::qWait(50);
    QCOMPARE(progress.count(), seen);
    QCOMPARE(controller.state(), State::NoModel);
  }

  void loadOvertakenByAnotherEndsWithTheSecondModel() {
    FakeScript script;
    script.loadSteps = 20;
    script.loadDelay = milliseconds(2);
    auto log = std::make_shared<FakeLog>();
    EngineController controller(test::fake_loader(script, log));
    controller.loadModel(QStringLiteral("/models/a.gguf"), {});
    QTest::qWait(10);
    controller.loadModel(QStringLiteral("/models/b.gguf"), {});
    QTRY_COMPARE(controller.state(), State::Ready);
    QCOMPARE(controller.modelPath(), QStringLiteral("/models/b.gguf"));
    QCOMPARE(log->loads.load(), 2);
  }

  void tokensArriveInOrderAndInBatches() {
    FakeScript script;
    script.tokens.clear();
    QString expected;
    for (int i = 0; i < 500; ++i) {
      script.tokens.push_back(std::to_string(i) + " ");
      expected += QString::number(i) + QLatin1Char(' ');
    }
    EngineController controller(test::fake_loader(script));
    Recorder recorder(controller);
    controller.loadModel(QStringLiteral("/m"), {});
    QTRY_VERIFY(controller.isReady());
    const Ticket ticket = controller.submit(ask("hi"));
    QTRY_VERIFY(recorder.finished.contains(ticket));
    QCOMPARE(recorder.text[ticket], expected);
    QCOMPARE(recorder.finished[ticket], FinishReason::kStop);
    QVERIFY2(recorder.numBatches < 250, qPrintable(QString::number(recorder.numBatches)));
    QCOMPARE(controller.numRunning(), 0);
  }

  void twoRequestsKeepTheirOwnText() {
    FakeScript script;
    script.tokenDelay = milliseconds(1);
    EngineController controller(test::fake_loader(script));
    Recorder recorder(controller);
    controller.loadModel(QStringLiteral("/m"), {});
    QTRY_VERIFY(controller.isReady());
    const Ticket first = controller.submit(ask("one"));
    const Ticket second = controller.submit(ask("two"));
    QVERIFY(first != second);
    QCOMPARE(controller.numRunning(), 2);
    QTRY_COMPARE(recorder.finished.size(), 2);
    QCOMPARE(recorder.text[first], QStringLiteral("Hello, world."));
    QCOMPARE(recorder.text[second], QStringLiteral("Hello, world."));
  }

  void cancelEndsTheRequest() {
    FakeScript script;
    script.holdAfterFirstToken = true;
    EngineController controller(test::fake_loader(script));
    Recorder recorder(controller);
    controller.loadModel(QStringLiteral("/m"), {});
    QTRY_VERIFY(controller.isReady());
    const Ticket ticket = controller.submit(ask("hi"));
    QTRY_COMPARE(recorder.text.value(ticket), QStringLiteral("Hello"));
    controller.cancelRequest(ticket);
    QTRY_COMPARE(recorder.finished.value(ticket, FinishReason::kError), FinishReason::kCancelled);
  }

  void cancelBeforeTheEngineHasSeenTheRequestStillEndsIt() {
    FakeScript script;
    script.holdAfterFirstToken = true;
    EngineController controller(test::fake_loader(script));
    Recorder recorder(controller);
    controller.loadModel(QStringLiteral("/m"), {});
    QTRY_VERIFY(controller.isReady());
    const Ticket ticket = controller.submit(ask("hi"));
    controller.cancelRequest(ticket);
    QTRY_COMPARE(recorder.finished.value(ticket, FinishReason::kError), FinishReason::kCancelled);
  }

  void refusedRequestTellsWhy() {
    FakeScript script;
    script.submitError = Error{ErrorCode::kContextExhausted, "2000 tokens, limit 1024"};
    EngineController controller(test::fake_loader(script));
    Recorder recorder(controller);
    controller.loadModel(QStringLiteral("/m"), {});
    QTRY_VERIFY(controller.isReady());
    const Ticket ticket = controller.submit(ask("hi"));
    QVERIFY(recorder.refused.isEmpty());  // never before submit() has returned
    QTRY_COMPARE(recorder.refused.value(ticket), ErrorCode::kContextExhausted);
    QVERIFY(recorder.finished.isEmpty());
    QCOMPARE(controller.numRunning(), 0);
  }

  void submitWithoutModelIsRefused() {
    EngineController controller(test::fake_loader({}));
    Recorder recorder(controller);
    const Ticket ticket = controller.submit(ask("hi"));
    QTRY_COMPARE(recorder.refused.value(ticket), ErrorCode::kUnavailable);
  }

  void unloadEndsRunningRequestsAndFreesTheEngine() {
    FakeScript script;
    script.holdAfterFirstToken = true;
    auto log = std::make_shared<FakeLog>();
    EngineController controller(test::fake_loader(script, log));
    Recorder recorder(controller);
    controller.loadModel(QStringLiteral("/m"), {});
    QTRY_VERIFY(controller.isReady());
    const Ticket ticket = controller.submit(ask("hi"));
    QTRY_VERIFY(recorder.text.contains(ticket));
    controller.unload();
    QCOMPARE(controller.state(), State::NoModel);
    QTRY_COMPARE(log->destroyed.load(), 1);
    QTRY_COMPARE(recorder.finished.value(ticket, FinishReason::kError), FinishReason::kCancelled);
  }

  void countTokensAnswersUnlessTheAskerDied() {
    EngineController controller(test::fake_loader({}));
    controller.loadModel(QStringLiteral("/m"), {});
    QTRY_VERIFY(controller.isReady());
    std::int64_t count = -1;
    bool calledDead = false;
    {
      QObject dead;
      controller.countTokens(ask("a b"), &dead, [&](const Result<std::int64_t>&) { calledDead = true; });
    }
    controller.countTokens(ask("one two three"), this,
                           [&](const Result<std::int64_t>& result) { count = result.value_or(-2); });
    QTRY_COMPARE(count, 3);
    QVERIFY(!calledDead);
  }

  void destructionDuringLoadAndDuringAnAnswerIsClean() {
    auto log = std::make_shared<FakeLog>();
    {
      FakeScript script;
      script.loadSteps = 1000;
      script.loadDelay = milliseconds(5);
      EngineController controller(test::fake_loader(script, log));
      controller.loadModel(QStringLiteral("/m"), {});
      QTest::qWait(10);
    }
    {
      FakeScript script;
      script.holdAfterFirstToken = true;
      EngineController controller(test::fake_loader(script, log));
      Recorder recorder(controller);
      controller.loadModel(QStringLiteral("/m"), {});
      QTRY_VERIFY(controller.isReady());
      const Ticket ticket = controller.submit(ask("hi"));
      QTRY_VERIFY(recorder.text.contains(ticket));
    }
    QCOMPARE(log->destroyed.load(), 1);
  }
};

}  // namespace tandem::gui

QTEST_GUILESS_MAIN(tandem::gui::EngineControllerTest)
#include "engine_controller_test.moc"
