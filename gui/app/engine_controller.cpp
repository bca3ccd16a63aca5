#include "gui/app/engine_controller.h"

#include <QMetaObject>
#include <QPointer>
#include <utility>

#include "gui/app/token_inbox.h"

namespace tandem::gui {
namespace {

constexpr int kFrameMs = 16;

std::filesystem::path toPath(const QString& path) {
  return std::filesystem::path(path.toStdU16String());
}

}  // namespace

EngineController::EngineController(Loader loader, QObject* parent)
    : QObject(parent), m_loader(std::move(loader)), m_worker(new QObject) {
  m_inbox = std::make_shared<TokenInbox>(
      [this] { QMetaObject::invokeMethod(this, &EngineController::scheduleFlush, Qt::QueuedConnection); });
  m_flushTimer.setSingleShot(true);
  m_flushTimer.setTimerType(Qt::PreciseTimer);
  m_flushTimer.setInterval(kFrameMs);
  connect(&m_flushTimer, &QTimer::timeout, this, &EngineController::flush);
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  m_thread.setObjectName(QStringLiteral("engine-calls"));
  m_thread.start();
}

EngineController::~EngineController() {
  m_inbox->close();
  releaseEngine();
  m_thread.quit();
  m_thread.wait();
}

void EngineController::postToWorker(std::function<void()> task) {
  QMetaObject::invokeMethod(m_worker, std::move(task), Qt::QueuedConnection);
}

void EngineController::setState(State state) {
  if (state == m_state && state != State::Loading) return;
  m_state = state;
  emit stateChanged(state);
}

engine::EngineStats EngineController::stats() const {
  return m_engine ? m_engine->stats() : engine::EngineStats{};
}

// After this no GUI-thread call reaches the engine; tasks already queued still find it, since it is destroyed behind them.
void EngineController::releaseEngine() {
  ++m_generation;
  if (m_cancelLoad) m_cancelLoad->store(true);
  m_cancelLoad.reset();
  m_info.reset();
  if (!m_engine) return;
  postToWorker([engine = std::shared_ptr<engine::Engine>(std::move(m_engine))]() mutable { engine.reset(); });
}

void EngineController::loadModel(const QString& path, const engine::LoadOptions& options) {
  releaseEngine();
  m_modelPath = path;
  m_options = options;
  m_progress = {};
  m_error.reset();
  m_cancelLoad = std::make_shared<std::atomic<bool>>(false);

  postToWorker([this, path, options, cancel = m_cancelLoad, generation = m_generation, loader = m_loader] {
    using LoadResult = Result<std::unique_ptr<engine::Engine>>;
    auto progress = [&](const engine::LoadProgress& value) {
      QMetaObject::invokeMethod(
          this,
          [this, value, generation] {
            if (generation != m_generation || m_state != State::Loading) return;
            m_progress = value;
            emit loadProgressed(value);
          },
          Qt::QueuedConnection);
      return !cancel->load();
    };
    auto result = cancel->load() ? std::make_shared<LoadResult>(Error{ErrorCode::kCancelled, "The load was cancelled."})
                                 : std::make_shared<LoadResult>(loader(toPath(path), options, progress));
    if (*result && cancel->load()) {  // finished in the same moment: free it here, off the GUI thread
      *result = Error{ErrorCode::kCancelled, "The load was cancelled."};
    }
    // ~EngineController waits for this thread, so `this` is alive here; the call is dropped if it dies before the delivery,
    // and the engine is then freed with the call.
    QMetaObject::invokeMethod(
        this, [this, generation, result] { finishLoad(generation, result); }, Qt::QueuedConnection);
  });
  setState(State::Loading);
}

void EngineController::finishLoad(quint64 generation, std::shared_ptr<Result<std::unique_ptr<engine::Engine>>> result) {
  if (generation != m_generation) {  // overtaken between its end and now
    postToWorker([result]() mutable { result.reset(); });
    return;
  }
  m_cancelLoad.reset();
  if (*result) {
    m_engine = std::move(**result);
    m_info = m_engine->info();
    setState(State::Ready);
    return;
  }
  if (result->error().code == ErrorCode::kCancelled) {
    setState(State::NoModel);
    return;
  }
  m_error = result->error();
  setState(State::Failed);
}

void EngineController::cancelLoad() {
  if (m_state != State::Loading) return;
  releaseEngine();
  setState(State::NoModel);
}

void EngineController::unload() {
  if (m_state == State::NoModel) return;
  releaseEngine();
  m_error.reset();
  setState(State::NoModel);
}

Ticket EngineController::submit(engine::Request request) {
  const Ticket ticket = m_nextTicket++;
  m_requests.insert(ticket, {});
  if (!m_engine) {
    QMetaObject::invokeMethod(
        this,
        [this, ticket] {
          finishSubmit(ticket, Error{ErrorCode::kUnavailable, "No model is loaded."});
        },
        Qt::QueuedConnection);
  } else {
    auto shared = std::make_shared<engine::Request>(std::move(request));
    postToWorker([this, ticket, shared, engine = m_engine.get(), inbox = m_inbox] {
      auto sink = [ticket, inbox](const engine::TokenEvent& event) { inbox->post(ticket, event); };
      auto id = engine->submit(std::move(*shared), std::move(sink));
      QMetaObject::invokeMethod(
          this, [this, ticket, id] { finishSubmit(ticket, id); }, Qt::QueuedConnection);
    });
  }
  emit numRunningChanged(m_requests.size());
  return ticket;
}

void EngineController::finishSubmit(Ticket ticket, const Result<engine::RequestId>& result) {
  const auto request = m_requests.find(ticket);
  if (request == m_requests.end()) return;  // already finished: its last event was delivered before this call
  if (!result) {
    m_requests.erase(request);
    emit requestRefused(ticket, result.error());
    emit numRunningChanged(m_requests.size());
    return;
  }
  request->engineId = *result;
  if (request->cancelAsked && m_engine) m_engine->cancel(*result);
}

void EngineController::cancelRequest(Ticket ticket) {
  const auto request = m_requests.find(ticket);
  if (request == m_requests.end()) return;
  request->cancelAsked = true;
  if (request->engineId && m_engine) m_engine->cancel(*request->engineId);
}

void EngineController::countTokens(engine::Request request, QObject* context, CountCallback callback) {
  auto deliver = [context = QPointer<QObject>(context), callback = std::move(callback)](const Result<std::int64_t>& count) {
    if (context) callback(count);
  };
  if (!m_engine) {
    QMetaObject::invokeMethod(
        this,
        [deliver] {
          deliver(Error{ErrorCode::kUnavailable, "No model is loaded."});
        },
        Qt::QueuedConnection);
    return;
  }
  auto shared = std::make_shared<engine::Request>(std::move(request));
  postToWorker([this, shared, engine = m_engine.get(), deliver = std::move(deliver)]() mutable {
    auto count = engine->count_tokens(*shared);
    // Moved, so that what the callback captured is also destroyed on the GUI thread.
    QMetaObject::invokeMethod(
        this, [deliver = std::move(deliver), count] { deliver(count); }, Qt::QueuedConnection);
  });
}

void EngineController::scheduleFlush() {
  if (!m_flushTimer.isActive()) m_flushTimer.start();
}

void EngineController::flush() {
  // One list per ticket, tickets in the order of their first event.
  QList<std::pair<Ticket, QList<engine::TokenEvent>>> batches;
  QHash<Ticket, qsizetype> place;
  for (auto& [ticket, event] : m_inbox->take()) {
    auto found = place.find(ticket);
    if (found == place.end()) {
      found = place.insert(ticket, batches.size());
      batches.emplaceBack(ticket, QList<engine::TokenEvent>());
    }
    batches[*found].second.append(std::move(event));
  }
  for (const auto& [ticket, events] : batches) {
    const bool finished = events.last().kind == engine::TokenEvent::Kind::kFinished;
    if (finished) m_requests.remove(ticket);
    emit tokenEventsReceived(ticket, events);
    if (finished) emit numRunningChanged(m_requests.size());
  }
}

}  // namespace tandem::gui
