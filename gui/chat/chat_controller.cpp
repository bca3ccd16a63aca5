#include "gui/chat/chat_controller.h"

#include <QDateTime>
#include <algorithm>

namespace tandem::gui {
namespace {

constexpr qsizetype kTitleChars = 60;

qint64 nowMs() {
  return QDateTime::currentMSecsSinceEpoch();
}

QString titleFrom(const QString& text) {
  const QString line = text.simplified();
  if (line.size() <= kTitleChars) return line;
  QString title = line.left(kTitleChars);
  if (title.back().isHighSurrogate()) title.chop(1);
  if (const qsizetype space = title.lastIndexOf(QLatin1Char(' ')); space > kTitleChars / 2) title.truncate(space);
  return title + QStringLiteral("…");
}

nlohmann::ordered_json entry(const char* role, const QString& content) {
  return {{"role", role}, {"content", content.toStdString()}};
}

}  // namespace

ChatController::ChatController(EngineController& engine, HistoryStore& store, QObject* parent)
    : QObject(parent), m_engine(engine), m_store(store) {
  connect(&m_engine, &EngineController::tokenEventsReceived, this, &ChatController::handleEvents);
  connect(&m_engine, &EngineController::requestRefused, this, &ChatController::handleRefused);
  connect(&m_store, &HistoryStore::stateChanged, this, [this](HistoryStore::State state) {
    if (state == HistoryStore::State::Ready && m_current == nullptr) showFirst();
  });
  if (m_store.state() == HistoryStore::State::Ready) showFirst();
}

bool ChatController::isGenerating(HistoryId conversationId) const {
  const ChatSession* found = session(conversationId);
  return found != nullptr && found->isGenerating();
}

ChatSettings ChatController::suggestedSettings(const std::optional<engine::ModelInfo>& model) {
  ChatSettings settings;
  constexpr std::uint64_t kSmallModel = 200'000'000;
  // A model this small leaves the subject at ordinary temperatures.
  if (model && model->num_parameters > 0 && model->num_parameters < kSmallModel) {
    settings.temperature = 0.2;
    settings.topP = 0.9;
  }
  return settings;
}

void ChatController::show(ChatSession* session) {
  m_current = session;
  emit currentChanged();
  releaseIdle();
}

void ChatController::releaseIdle() {
  for (auto it = m_sessions.begin(); it != m_sessions.end();) {
    ChatSession* session = it.value();
    if (session == m_current || session->isGenerating()) {
      ++it;
      continue;
    }
    session->deleteLater();
    it = m_sessions.erase(it);
  }
}

void ChatController::startNew() {
  m_wantedId = 0;
  if (m_current != nullptr && !m_current->isStored()) {
    emit currentChanged();
    return;
  }
  Conversation conversation;
  conversation.id = m_draftId--;
  conversation.settings = suggestedSettings(m_engine.modelInfo());
  auto* session = new ChatSession(conversation, {}, this);
  m_sessions.insert(conversation.id, session);
  show(session);
}

void ChatController::showFirst() {
  startNew();
  // What the user was reading when the program ended, so that it can be continued with one click.
  if (const HistoryId id = m_store.report().interruptedConversation; id != 0) open(id);
}

void ChatController::open(HistoryId conversationId) {
  m_wantedId = conversationId;
  if (ChatSession* known = session(conversationId)) {
    m_wantedId = 0;
    show(known);
    return;
  }
  m_store.loadConversation(conversationId, this, [this, conversationId](const Result<ConversationData>& data) {
    if (m_wantedId != conversationId) return;  // the user has chosen another meanwhile
    m_wantedId = 0;
    if (!data) {
      emit openFailed(data.error());
      return;
    }
    auto* session = new ChatSession(data->conversation, data->messages, this);
    session->m_isStored = true;
    m_sessions.insert(conversationId, session);
    show(session);
  });
}

void ChatController::ensureStored(ChatSession* session, const QString& firstText) {
  if (session->m_isStored) return;
  Conversation& conversation = session->m_conversation;
  m_sessions.remove(conversation.id);
  conversation.id = m_store.newId();
  conversation.createdMs = conversation.updatedMs = nowMs();
  if (conversation.title.isEmpty()) conversation.title = titleFrom(firstText);
  m_sessions.insert(conversation.id, session);
  session->m_isStored = true;
  m_store.insertConversation(conversation);
  emit session->titleChanged();
}

void ChatController::addQuestion(ChatSession* session, HistoryId parentId, const QString& text) {
  Message question;
  question.id = m_store.newId();
  question.conversationId = session->id();
  question.parentId = parentId;
  question.role = Role::User;
  question.content = text;
  question.createdMs = nowMs();
  m_store.insertMessage(question);
  session->addMessage(question);
  startAnswer(session, question.id);
}

void ChatController::send(ChatSession* session, const QString& text) {
  if (session->isGenerating() || text.trimmed().isEmpty() || m_store.state() != HistoryStore::State::Ready) return;
  ensureStored(session, text);
  const QList<HistoryId>& branch = session->branch();
  addQuestion(session, branch.isEmpty() ? 0 : branch.last(), text);
}

void ChatController::editAndResend(ChatSession* session, HistoryId questionId, const QString& text) {
  const Message* question = session->message(questionId);
  if (question == nullptr || question->role != Role::User || session->isGenerating() || text.trimmed().isEmpty()) return;
  addQuestion(session, question->parentId, text);
}

void ChatController::regenerate(ChatSession* session, HistoryId answerId) {
  const Message* answer = session->message(answerId);
  if (answer == nullptr || answer->role != Role::Assistant || session->isGenerating()) return;
  session->showHead(answer->parentId);
  startAnswer(session, answer->parentId);
}

void ChatController::startAnswer(ChatSession* session, HistoryId questionId) {
  Message answer;
  answer.id = m_store.newId();
  answer.conversationId = session->id();
  answer.parentId = questionId;
  answer.role = Role::Assistant;
  answer.status = MessageStatus::Streaming;
  answer.createdMs = nowMs();
  if (m_engine.modelInfo()) answer.stats.modelName = QString::fromStdString(m_engine.modelInfo()->name);
  m_store.insertMessage(answer);
  session->addMessage(answer);
  run(session, answer.id, false);
}

void ChatController::continueAnswer(ChatSession* session, HistoryId answerId) {
  if (session->isGenerating() || session->branch().isEmpty() || session->branch().last() != answerId) return;
  Message& answer = session->mutableMessage(answerId);
  if (answer.role != Role::Assistant || answer.status == MessageStatus::Complete) return;
  answer.status = MessageStatus::Streaming;
  answer.error.reset();
  m_store.resumeMessage(answerId);
  // Nothing to go on from: the request is that of a new answer.
  run(session, answerId, !answer.content.isEmpty() || !answer.reasoning.isEmpty());
}

engine::Request ChatController::buildRequest(const ChatSession* session, const QString& draft, bool continueFinal) const {
  engine::ChatPrompt prompt;
  const Conversation& conversation = session->conversation();
  if (!conversation.systemPrompt.trimmed().isEmpty()) prompt.messages.push_back(entry("system", conversation.systemPrompt));
  QList<const Message*> shown;
  for (const HistoryId id : session->branch()) {
    const Message* message = session->message(id);
    if (message->startsContext) shown.clear();
    shown += message;
  }
  for (const Message* message : shown) {
    const bool isLast = message == shown.last();
    if (message->role == Role::User) {
      prompt.messages.push_back(entry("user", message->content));
    } else if (isLast && continueFinal) {
      prompt.messages.push_back(entry("assistant", message->content));
      // An answer that broke off while the model thought goes on thinking.
      if (!message->reasoning.isEmpty()) prompt.messages.back()["reasoning_content"] = message->reasoning.toStdString();
    } else if (!isLast || message->status != MessageStatus::Streaming) {
      prompt.messages.push_back(entry("assistant", message->content));  // thinking is not sent again
    }
  }
  if (!draft.trimmed().isEmpty()) prompt.messages.push_back(entry("user", draft));
  prompt.continue_final_message = continueFinal;
  const ChatSettings& settings = conversation.settings;
  if (m_engine.modelInfo() && m_engine.modelInfo()->supports_thinking) {
    prompt.template_kwargs["enable_thinking"] = settings.thinking;
  }

  engine::Request request;
  request.prompt = std::move(prompt);
  engine::SamplingParams& sampling = request.sampling;
  sampling.temperature = float(settings.temperature);
  sampling.top_p = float(settings.topP);
  sampling.top_k = settings.topK;
  sampling.min_p = float(settings.minP);
  sampling.repetition_penalty = float(settings.repetitionPenalty);
  sampling.presence_penalty = float(settings.presencePenalty);
  sampling.frequency_penalty = float(settings.frequencyPenalty);
  sampling.seed = settings.seed;
  sampling.max_tokens = settings.maxTokens;
  return request;
}

void ChatController::run(ChatSession* session, HistoryId messageId, bool isContinued) {
  session->m_generatingId = messageId;
  session->m_generation = {};
  const Ticket ticket = m_engine.submit(buildRequest(session, {}, isContinued));
  m_running.insert(ticket, {session, messageId, session->message(messageId)->stats, isContinued});
  emit session->messageChanged(messageId);
  emit session->generatingChanged(true);
  emit conversationsChanged();
}

void ChatController::handleEvents(Ticket ticket, const QList<engine::TokenEvent>& events) {
  const auto running = m_running.constFind(ticket);
  if (running == m_running.cend()) return;  // its conversation was deleted
  ChatSession* session = running->session;
  const HistoryId messageId = running->messageId;
  GenerationState& generation = session->m_generation;
  QString content;
  QString reasoning;
  const engine::TokenEvent* last = nullptr;
  for (const engine::TokenEvent& event : events) {
    using Kind = engine::TokenEvent::Kind;
    switch (event.kind) {
      case Kind::kQueued:
        generation.phase = GenerationState::Phase::Queued;
        generation.queuePlace = event.queue_place;
        break;
      case Kind::kPrefill:
        generation.phase = GenerationState::Phase::Prefill;
        generation.prefillDone = event.prefill_done;
        generation.prefillTotal = event.prefill_total;
        break;
      case Kind::kText:
        generation.phase = GenerationState::Phase::Decode;
        generation.outputTokens += qint64(event.token_ids.size());
        (event.channel == engine::TokenEvent::Channel::kReasoning ? reasoning : content) += QString::fromStdString(event.text);
        break;
      case Kind::kFinished: last = &event; break;
    }
  }
  if (!content.isEmpty() || !reasoning.isEmpty()) {
    Message& message = session->mutableMessage(messageId);
    message.content += content;
    message.reasoning += reasoning;
    m_store.appendText(messageId, content, reasoning);
  }
  if (last == nullptr) {
    emit session->messageChanged(messageId);
    return;
  }
  switch (last->finish_reason) {
    case engine::FinishReason::kStop: return finish(ticket, MessageStatus::Complete, std::nullopt, last->stats);
    case engine::FinishReason::kLength:
      // The page finds the words: the figures tell the numbers.
      return finish(ticket, MessageStatus::LengthLimit,
                    last->context_full ? std::optional(Error{ErrorCode::kContextExhausted, {}}) : std::nullopt, last->stats);
    case engine::FinishReason::kCancelled: return finish(ticket, MessageStatus::Stopped, std::nullopt, last->stats);
    case engine::FinishReason::kError:
      return finish(ticket, MessageStatus::Failed,
                    last->error.value_or(Error{ErrorCode::kInternal, "The engine gave no reason."}), last->stats);
  }
}

void ChatController::handleRefused(Ticket ticket, const Error& error) {
  if (m_running.contains(ticket)) finish(ticket, MessageStatus::Failed, error, {});
}

void ChatController::finish(Ticket ticket, MessageStatus status, const std::optional<Error>& error,
                            const engine::RequestStats& stats) {
  const Running running = m_running.take(ticket);
  ChatSession* session = running.session;
  Message& message = session->mutableMessage(running.messageId);
  message.status = status;
  message.error = error;
  AnswerStats& sum = message.stats;
  if (m_engine.modelInfo()) sum.modelName = QString::fromStdString(m_engine.modelInfo()->name);
  if (running.isContinued && running.before.outputTokens > 0) {
    sum.outputTokens = running.before.outputTokens + stats.num_output_tokens;
    sum.totalMs = running.before.totalMs + stats.total_ms - stats.ttft_ms;  // so that the rate stays that of decoding
  } else {
    sum.promptTokens = stats.num_prompt_tokens;
    sum.outputTokens = stats.num_output_tokens;
    sum.ttftMs = stats.ttft_ms;
    sum.totalMs = stats.total_ms;
    sum.queueMs = stats.queue_ms;
    sum.seed = stats.seed;
  }
  m_store.finishMessage(running.messageId, status, error, sum);
  session->m_generatingId = 0;
  session->m_generation = {};
  emit session->messageChanged(running.messageId);
  emit session->generatingChanged(false);
  emit conversationsChanged();
  releaseIdle();
}

void ChatController::stop(ChatSession* session) {
  for (auto it = m_running.cbegin(); it != m_running.cend(); ++it) {
    if (it->session != session) continue;
    session->m_generation.isStopping = true;
    m_engine.cancelRequest(it.key());
    emit session->messageChanged(it->messageId);
    return;
  }
}

void ChatController::showSibling(ChatSession* session, HistoryId messageId, int offset) {
  if (session->isGenerating()) return;  // its answer would grow out of sight
  const QList<HistoryId> siblings = session->siblings(messageId);
  const qsizetype index = siblings.indexOf(messageId) + offset;
  if (index < 0 || index >= siblings.size()) return;
  session->showHead(session->leafBelow(siblings[index]));
  m_store.setHead(session->id(), session->conversation().headId);
}

namespace {

// Questions the model is shown at present.
QList<HistoryId> sentQuestions(const ChatSession* session) {
  QList<HistoryId> questions;
  for (const HistoryId id : session->branch()) {
    const Message* message = session->message(id);
    if (message->startsContext) questions.clear();
    if (message->role == Role::User) questions += id;
  }
  return questions;
}

}  // namespace

bool ChatController::canTrim(const ChatSession* session) const {
  return sentQuestions(session).size() > 1;
}

void ChatController::trimOldest(ChatSession* session) {
  const QList<HistoryId> questions = sentQuestions(session);
  if (questions.size() < 2 || session->isGenerating()) return;
  const HistoryId firstKept = questions[(questions.size() + 1) / 2];
  session->mutableMessage(firstKept).startsContext = true;
  m_store.setStartsContext(firstKept, true);
  emit session->branchChanged();
}

void ChatController::undoTrim(ChatSession* session, HistoryId firstKeptId) {
  if (session->message(firstKeptId) == nullptr || session->isGenerating()) return;
  session->mutableMessage(firstKeptId).startsContext = false;
  m_store.setStartsContext(firstKeptId, false);
  emit session->branchChanged();
}

void ChatController::rename(HistoryId conversationId, const QString& title) {
  const QString clean = title.simplified();
  if (clean.isEmpty()) return;
  if (ChatSession* open = session(conversationId)) {
    open->m_conversation.title = clean;
    open->m_conversation.titledByUser = true;
    emit open->titleChanged();
  }
  m_store.setTitle(conversationId, clean, true);
  emit conversationsChanged();
}

void ChatController::setSettings(ChatSession* session, const QString& systemPrompt, const ChatSettings& settings) {
  Conversation& conversation = session->m_conversation;
  if (conversation.systemPrompt == systemPrompt && conversation.settings == settings) return;
  conversation.systemPrompt = systemPrompt;
  conversation.settings = settings;
  if (session->isStored()) m_store.setSettings(conversation.id, systemPrompt, settings);
  emit session->settingsChanged();
}

void ChatController::deleteConversation(HistoryId conversationId) {
  QString title;
  if (ChatSession* open = session(conversationId)) {
    title = open->conversation().title;
    stop(open);
  }
  m_store.markDeleted(conversationId);
  if (m_current != nullptr && m_current->id() == conversationId) startNew();
  emit conversationDeleted(conversationId, title);
  emit conversationsChanged();
}

void ChatController::undoDelete(HistoryId conversationId) {
  m_store.undoDelete(conversationId);
  emit conversationsChanged();
  open(conversationId);
}

void ChatController::finishDelete(HistoryId conversationId) {
  m_store.purge(conversationId);
}

void ChatController::countTokens(const ChatSession* session, const QString& draft, QObject* context,
                                 EngineController::CountCallback done) {
  engine::Request request = buildRequest(session, draft, false);
  // Many templates refuse an empty list, and no message takes no room.
  if (std::get<engine::ChatPrompt>(request.prompt).messages.empty()) {
    done(std::int64_t{0});
    return;
  }
  m_engine.countTokens(std::move(request), context, std::move(done));
}

}  // namespace tandem::gui
