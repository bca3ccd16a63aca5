// ChatController: what the Chat page does, without its widgets. Turns the user's wishes into requests, and token batches into
// messages, each in the conversation it belongs to whichever one is shown.
#pragma once

#include <QHash>
#include <QObject>
#include <functional>

#include "gui/app/engine_controller.h"
#include "gui/chat/chat_session.h"
#include "gui/history/history_store.h"

namespace tandem::gui {

// All members are called on the GUI thread. Engine and store must outlive it.
class ChatController : public QObject {
  Q_OBJECT
 public:
  ChatController(EngineController& engine, HistoryStore& store, QObject* parent = nullptr);

  EngineController& engine() const { return m_engine; }
  HistoryStore& store() const { return m_store; }

  // The shown conversation; null before the history is open.
  ChatSession* current() const { return m_current; }
  // An open session, shown or generating; null otherwise.
  ChatSession* session(HistoryId conversationId) const { return m_sessions.value(conversationId); }
  bool isGenerating(HistoryId conversationId) const;

  // Shows an empty conversation. It is stored with its first message.
  void startNew();
  void open(HistoryId conversationId);

  // Adds the user's message to the shown branch and asks for the answer. Does nothing for blank text or while the session
  // generates.
  void send(ChatSession* session, const QString& text);
  void stop(ChatSession* session);
  // Another answer to the same question; the former one stays as a sibling.
  void regenerate(ChatSession* session, HistoryId answerId);
  // The edited question becomes a sibling of the former one, and is answered.
  void editAndResend(ChatSession* session, HistoryId questionId, const QString& text);
  // Goes on behind the text of an answer that ended early. It must be the last of the shown branch.
  void continueAnswer(ChatSession* session, HistoryId answerId);
  // Shows the sibling `offset` places further, with what followed it.
  void showSibling(ChatSession* session, HistoryId messageId, int offset);

  // From now on the model is not shown the older half of the branch. False when only one question is left to send.
  bool canTrim(const ChatSession* session) const;
  void trimOldest(ChatSession* session);
  void undoTrim(ChatSession* session, HistoryId firstKeptId);

  void rename(HistoryId conversationId, const QString& title);
  void setSettings(ChatSession* session, const QString& systemPrompt, const ChatSettings& settings);
  // Hides it and stops its answer. finishDelete() after the undo time makes it final.
  void deleteConversation(HistoryId conversationId);
  void undoDelete(HistoryId conversationId);
  void finishDelete(HistoryId conversationId);

  // Tokens that sending `draft` now would take; see EngineController::countTokens.
  void countTokens(const ChatSession* session, const QString& draft, QObject* context, EngineController::CountCallback done);

  // What a new conversation starts with: small models get a low temperature.
  static ChatSettings suggestedSettings(const std::optional<engine::ModelInfo>& model);

 signals:
  void currentChanged();
  // Titles, order or members of the list changed.
  void conversationsChanged();
  void openFailed(const tandem::Error& error);
  void conversationDeleted(tandem::gui::HistoryId conversationId, const QString& title);

 private:
  struct Running {
    ChatSession* session = nullptr;
    HistoryId messageId = 0;
    AnswerStats before;  // of the part a continued answer had already
    bool isContinued = false;
  };

  engine::Request buildRequest(const ChatSession* session, const QString& draft, bool continueFinal) const;
  void ensureStored(ChatSession* session, const QString& firstText);
  void addQuestion(ChatSession* session, HistoryId parentId, const QString& text);
  void startAnswer(ChatSession* session, HistoryId questionId);
  void run(ChatSession* session, HistoryId messageId, bool isContinued);
  void handleEvents(Ticket ticket, const QList<engine::TokenEvent>& events);
  void handleRefused(Ticket ticket, const Error& error);
  void finish(Ticket ticket, MessageStatus status, const std::optional<Error>& error, const engine::RequestStats& stats);
  void show(ChatSession* session);
  void releaseIdle();
  void showFirst();

  EngineController& m_engine;
  HistoryStore& m_store;
  ChatSession* m_current = nullptr;
  HistoryId m_wantedId = 0;                   // asked for last, still loading
  QHash<HistoryId, ChatSession*> m_sessions;  // children of this
  QHash<Ticket, Running> m_running;
  HistoryId m_draftId = -1;  // sessions not stored yet have negative ids
};

}  // namespace tandem::gui
