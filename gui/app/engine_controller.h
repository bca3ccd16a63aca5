// EngineController: the engine's life in the window. Owns the engine, keeps every slow call off the GUI thread, and hands
// token events on as one batch per request and frame.
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <QString>
#include <QThread>
#include <QTimer>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "engine/engine.h"

namespace tandem::gui {

class TokenInbox;

// Names a request from the moment submit() returns, before the engine has given it an id. Never reused, never 0.
using Ticket = quint64;

// All members are called on the GUI thread, and all signals are emitted on it.
class EngineController : public QObject {
  Q_OBJECT
 public:
  enum class State { NoModel, Loading, Ready, Failed };
  Q_ENUM(State)

  // Called on the worker thread. The program passes engine::Engine::load; tests pass a fake.
  using Loader = std::function<Result<std::unique_ptr<engine::Engine>>(const std::filesystem::path&, const engine::LoadOptions&,
                                                                       const engine::LoadProgressSink&)>;
  using CountCallback = std::function<void(const Result<std::int64_t>&)>;

  explicit EngineController(Loader loader, QObject* parent = nullptr);
  // Cancels a load, ends running requests, waits for the worker thread.
  ~EngineController() override;

  State state() const { return m_state; }
  bool isReady() const { return m_state == State::Ready; }
  QString modelPath() const { return m_modelPath; }                             // last asked for; empty: none yet
  const engine::LoadOptions& loadOptions() const { return m_options; }          // of modelPath()
  const std::optional<engine::ModelInfo>& modelInfo() const { return m_info; }  // in Ready only
  const std::optional<Error>& loadError() const { return m_error; }             // in Failed only
  const engine::LoadProgress& loadProgress() const { return m_progress; }       // in Loading: the last one seen
  engine::EngineStats stats() const;                                            // zeros unless Ready
  qsizetype numRunning() const { return m_requests.size(); }

  // Frees the current model first (running requests end with kCancelled), then loads. A load under way is cancelled.
  void loadModel(const QString& path, const engine::LoadOptions& options);
  // Back to NoModel; does nothing unless Loading.
  void cancelLoad();
  void unload();

  // Queues the request; tokenisation happens on the worker thread. Exactly one of these follows for the ticket, never
  // before submit() has returned: requestRefused, or token batches of which the last ends with kFinished.
  Ticket submit(engine::Request request);
  // Ends the request with kCancelled; unknown or finished tickets are ignored.
  void cancelRequest(Ticket ticket);
  // Counts on the worker thread and calls back on the GUI thread, unless `context` has died. Not Ready: kUnavailable.
  void countTokens(engine::Request request, QObject* context, CountCallback callback);

 signals:
  void stateChanged(tandem::gui::EngineController::State state);
  void loadProgressed(const tandem::engine::LoadProgress& progress);
  void requestRefused(tandem::gui::Ticket ticket, const tandem::Error& error);
  void tokenEventsReceived(tandem::gui::Ticket ticket, const QList<tandem::engine::TokenEvent>& events);
  void numRunningChanged(qsizetype numRunning);

 private:
  struct RequestState {
    std::optional<engine::RequestId> engineId;  // absent until the worker has submitted it
    bool cancelAsked = false;
  };

  void setState(State state);
  void releaseEngine();
  void finishLoad(quint64 generation, std::shared_ptr<Result<std::unique_ptr<engine::Engine>>> result);
  void finishSubmit(Ticket ticket, const Result<engine::RequestId>& result);
  void scheduleFlush();
  void flush();
  void postToWorker(std::function<void()> task);

  const Loader m_loader;
  State m_state = State::NoModel;
  QString m_modelPath;
  engine::LoadOptions m_options;
  engine::LoadProgress m_progress;
  std::optional<engine::ModelInfo> m_info;
  std::optional<Error> m_error;

  std::unique_ptr<engine::Engine> m_engine;  // used by the worker too, but only in tasks queued before its release
  quint64 m_generation = 0;                  // tells a load that was overtaken from the current one
  std::shared_ptr<std::atomic<bool>> m_cancelLoad;

  Ticket m_nextTicket = 1;
  QHash<Ticket, RequestState> m_requests;
  std::shared_ptr<TokenInbox> m_inbox;
  QTimer m_flushTimer;

  QThread m_thread;
  QObject* m_worker = nullptr;  // lives on m_thread; context of posted tasks
};

}  // namespace tandem::gui
