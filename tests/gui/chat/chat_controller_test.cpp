#include "gui/chat/chat_controller.h"

#include <QSignalSpy>

#include "tests/gui/chat/chat_fixture.h"

using namespace tandem;
using namespace tandem::gui;
using namespace tandem::test;
using namespace std::chrono_literals;

class ChatControllerTest : public QObject {
  Q_OBJECT

 private slots:
  void answerStreamsIntoTheChatAndIsStored() {
    FakeScript script;
    script.reasoning = {"let me ", "think"};
    ChatFixture f(script);
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    QVERIFY(chats.current() != nullptr);
    chats.send(chats.current(), QStringLiteral("  Say hello to everybody\nplease "));
    ChatSession* session = chats.current();
    QVERIFY(session->isStored());
    QCOMPARE(session->conversation().title, QStringLiteral("Say hello to everybody please"));
    QVERIFY(session->isGenerating());
    QTRY_VERIFY(!session->isGenerating());
    const Message* answer = session->lastMessage();
    QCOMPARE(answer->content, QStringLiteral("Hello, world."));
    QCOMPARE(answer->reasoning, QStringLiteral("let me think"));
    QCOMPARE(answer->status, MessageStatus::Complete);
    QVERIFY(answer->stats.outputTokens > 0);
    const ConversationData stored = f.stored(session->id());
    QCOMPARE(stored.messages.size(), 2);
    QCOMPARE(stored.messages[1].content, answer->content);
    QCOMPARE(stored.messages[1].reasoning, answer->reasoning);
    QVERIFY(stored.messages[1].stats == answer->stats);
  }

  void requestCarriesSettingsSystemPromptAndNoFormerThinking() {
    FakeScript script;
    script.reasoning = {"secret"};
    ChatFixture f(script);
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    ChatSettings settings;
    settings.temperature = 0.5;
    settings.topK = 3;
    settings.seed = 42;
    settings.maxTokens = 77;
    chats.setSettings(chats.current(), QStringLiteral("Be kind."), settings);
    chats.send(chats.current(), QStringLiteral("one"));
    QTRY_VERIFY(!chats.current()->isGenerating());
    chats.send(chats.current(), QStringLiteral("two"));
    QTRY_VERIFY(!chats.current()->isGenerating());
    const auto messages = f.lastMessages();
    QCOMPARE(messages.size(), std::size_t(4));
    QCOMPARE(messages[0]["content"].get<std::string>(), std::string("Be kind."));
    QCOMPARE(messages[2]["role"].get<std::string>(), std::string("assistant"));
    QCOMPARE(messages[2]["content"].get<std::string>(), std::string("Hello, world."));
    QCOMPARE(messages[3]["content"].get<std::string>(), std::string("two"));
    const engine::SamplingParams sampling = f.lastRequest().sampling;
    QCOMPARE(sampling.temperature, 0.5F);
    QCOMPARE(sampling.top_k, 3);
    QVERIFY(sampling.seed == std::optional<std::uint64_t>(42));
    QVERIFY(sampling.max_tokens == std::optional<std::int32_t>(77));
    QVERIFY(f.stored(chats.current()->id()).conversation.settings == settings);
  }

  void twoChatsAtOnceEachGetTheirOwnText() {
    FakeScript script;
    script.tokens.assign(40, "x");
    script.tokenDelay = 5ms;
    ChatFixture f(script);
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    chats.send(chats.current(), QStringLiteral("first"));
    ChatSession* first = chats.current();
    const HistoryId firstId = first->id();
    chats.startNew();
    QVERIFY(chats.current() != first);
    chats.send(chats.current(), QStringLiteral("second"));
    ChatSession* second = chats.current();
    QVERIFY(first->isGenerating() && second->isGenerating());
    QVERIFY(chats.isGenerating(firstId));
    chats.open(firstId);  // switching while both stream
    QCOMPARE(chats.current(), first);
    QTRY_VERIFY(!chats.isGenerating(firstId));
    QTRY_COMPARE(f.engine.numRunning(), 0);
    QCOMPARE(f.stored(firstId).messages.last().content, QString(40, QLatin1Char('x')));
    QCOMPARE(f.stored(firstId + 3).messages.last().content, QString(40, QLatin1Char('x')));
    QCOMPARE(f.stored(firstId).messages.first().content, QStringLiteral("first"));
    QCOMPARE(f.stored(firstId + 3).messages.first().content, QStringLiteral("second"));
  }

  void stoppedAnswerKeepsItsTextAndCanBeContinued() {
    FakeScript script;
    script.holdAfterFirstToken = true;
    ChatFixture f(script);
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    chats.send(chats.current(), QStringLiteral("go"));
    ChatSession* session = chats.current();
    QTRY_COMPARE(session->lastMessage()->content, QStringLiteral("Hello"));
    chats.stop(session);
    QTRY_VERIFY(!session->isGenerating());
    QCOMPARE(session->lastMessage()->status, MessageStatus::Stopped);
    const HistoryId answerId = session->lastMessage()->id;

    chats.continueAnswer(session, answerId);
    QTRY_COMPARE(session->lastMessage()->content, QStringLiteral("HelloHello"));
    const engine::Request request = f.lastRequest();
    const auto& prompt = std::get<engine::ChatPrompt>(request.prompt);
    QVERIFY(prompt.continue_final_message);
    QCOMPARE(prompt.messages.back()["role"].get<std::string>(), std::string("assistant"));
    QCOMPARE(prompt.messages.back()["content"].get<std::string>(), std::string("Hello"));
    chats.stop(session);
    QTRY_VERIFY(!session->isGenerating());
    QCOMPARE(session->lastMessage()->id, answerId);
    QCOMPARE(f.stored(session->id()).messages.last().content, QStringLiteral("HelloHello"));
  }

  void thinkingThatBrokeOffIsContinuedAsThinking() {
    FakeScript script;
    script.reasoning = {"half a "};
    script.holdAfterFirstToken = true;
    ChatFixture f(script);
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    chats.send(chats.current(), QStringLiteral("go"));
    ChatSession* session = chats.current();
    QTRY_COMPARE(session->lastMessage()->reasoning, QStringLiteral("half a "));
    QVERIFY(session->lastMessage()->content.isEmpty());
    chats.stop(session);
    QTRY_VERIFY(!session->isGenerating());
    chats.continueAnswer(session, session->lastMessage()->id);
    QTRY_VERIFY(f.log->submits == 2);
    QTRY_COMPARE(f.lastMessages().back().value("reasoning_content", std::string()), std::string("half a "));
    QCOMPARE(f.lastMessages().back()["content"].get<std::string>(), std::string());
    chats.stop(session);
    QTRY_VERIFY(!session->isGenerating());
  }

  void regeneratedAndEditedVersionsStayReachable() {
    ChatFixture f;
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    chats.send(chats.current(), QStringLiteral("first wording"));
    ChatSession* session = chats.current();
    QTRY_VERIFY(!session->isGenerating());
    const HistoryId question = session->branch()[0];
    const HistoryId answer = session->branch()[1];

    chats.regenerate(session, answer);
    QTRY_VERIFY(!session->isGenerating());
    QCOMPARE(session->siblings(answer).size(), 2);
    QVERIFY(session->lastMessage()->id != answer);
    chats.showSibling(session, session->lastMessage()->id, -1);
    QCOMPARE(session->lastMessage()->id, answer);
    chats.showSibling(session, answer, -1);  // there is none before
    QCOMPARE(session->lastMessage()->id, answer);

    chats.editAndResend(session, question, QStringLiteral("second wording"));
    QTRY_VERIFY(!session->isGenerating());
    QCOMPARE(session->siblings(question).size(), 2);
    QCOMPARE(session->branch().size(), 2);
    QCOMPARE(f.lastMessages().size(), std::size_t(1));
    QCOMPARE(f.lastMessages()[0]["content"].get<std::string>(), std::string("second wording"));
    chats.showSibling(session, session->branch()[0], -1);
    QCOMPARE(session->branch()[0], question);
    const ConversationData stored = f.stored(session->id());
    QCOMPARE(stored.messages.size(), 5);
    QCOMPARE(stored.conversation.headId, session->conversation().headId);
  }

  void refusedRequestShowsItsErrorAndTrimmingHelps() {
    FakeScript script;
    script.submitError = Error{ErrorCode::kContextExhausted, "The prompt has 2000 tokens, the context 1024."};
    ChatFixture f(script);
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    ChatSession* session = chats.current();
    for (const char* text : {"one", "two", "three"}) {
      chats.send(session, QString::fromUtf8(text));
      QTRY_VERIFY(!session->isGenerating());
    }
    QCOMPARE(session->lastMessage()->status, MessageStatus::Failed);
    QCOMPARE(session->lastMessage()->error->code, ErrorCode::kContextExhausted);
    QCOMPARE(f.stored(session->id()).messages.last().error->detail, script.submitError->detail);

    QVERIFY(chats.canTrim(session));
    chats.trimOldest(session);
    QVERIFY(session->message(session->branch()[4])->startsContext);
    QVERIFY(!chats.canTrim(session));
    chats.regenerate(session, session->lastMessage()->id);
    QTRY_VERIFY(!session->isGenerating());
    QCOMPARE(f.lastMessages().size(), std::size_t(1));
    QCOMPARE(f.lastMessages()[0]["content"].get<std::string>(), std::string("three"));
    chats.undoTrim(session, session->branch()[4]);
    QVERIFY(chats.canTrim(session));
    QVERIFY(!f.stored(session->id()).messages[4].startsContext);
  }

  void engineErrorMidAnswerKeepsTheTextAndTheNumbers() {
    FakeScript script;
    script.finishError = Error{ErrorCode::kDevice, "device lost after 4 tokens"};
    ChatFixture f(script);
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    chats.send(chats.current(), QStringLiteral("x"));
    QTRY_VERIFY(!chats.current()->isGenerating());
    QCOMPARE(chats.current()->lastMessage()->content, QStringLiteral("Hello, world."));
    QCOMPARE(chats.current()->lastMessage()->status, MessageStatus::Failed);
    QCOMPARE(chats.current()->lastMessage()->error->detail, script.finishError->detail);
  }

  void deletedChatStopsItsAnswerAndComesBackWithUndo() {
    FakeScript script;
    script.holdAfterFirstToken = true;
    ChatFixture f(script);
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    chats.send(chats.current(), QStringLiteral("x"));
    const HistoryId id = chats.current()->id();
    QTRY_COMPARE(chats.current()->lastMessage()->content, QStringLiteral("Hello"));
    QSignalSpy deleted(&chats, &ChatController::conversationDeleted);
    chats.deleteConversation(id);
    QCOMPARE(deleted.size(), 1);
    QVERIFY(chats.current()->id() != id);
    QTRY_COMPARE(f.engine.numRunning(), 0);
    chats.undoDelete(id);
    QTRY_COMPARE(chats.current()->id(), id);
    chats.finishDelete(id);  // late: must not remove what was undone
    QCOMPARE(f.stored(id).messages.size(), 2);
    QCOMPARE(f.stored(id).messages.last().status, MessageStatus::Stopped);
  }

  void unloadedModelEndsTheAnswerAndKeepsItsText() {
    FakeScript script;
    script.holdAfterFirstToken = true;
    ChatFixture f(script);
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    chats.send(chats.current(), QStringLiteral("x"));
    QTRY_COMPARE(chats.current()->lastMessage()->content, QStringLiteral("Hello"));
    f.engine.unload();
    QTRY_VERIFY(!chats.current()->isGenerating());
    QCOMPARE(chats.current()->lastMessage()->content, QStringLiteral("Hello"));
  }

  void emptyConversationTakesNoTokensAndDraftsCount() {
    ChatFixture f;
    QVERIFY(f.start());
    ChatController chats(f.engine, *f.store);
    std::optional<std::int64_t> count;
    const auto keep = [&](const Result<std::int64_t>& result) { count = result.value_or(-1); };
    chats.countTokens(chats.current(), {}, this, keep);
    QTRY_VERIFY(count == std::optional<std::int64_t>(0));
    chats.countTokens(chats.current(), QStringLiteral("three little words"), this, keep);
    QTRY_VERIFY(count == std::optional<std::int64_t>(3));
  }
};

QTEST_MAIN(ChatControllerTest)
#include "chat_controller_test.moc"
