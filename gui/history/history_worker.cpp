#include "gui/history/history_worker.h"

#include <utility>

namespace tandem::gui {
namespace {

// What waiting or the user can heal. The rest fails the same way every time, and would hold up all that follows.
bool mayHeal(ErrorCode code) {
  return code == ErrorCode::kIo || code == ErrorCode::kUnavailable;
}

}  // namespace

Result<OpenReport> HistoryWorker::open(const QString& path, const HistoryDatabase::Options& options) {
  m_database = TANDEM_TRY(HistoryDatabase::open(path, options));
  return m_database->report();
}

void HistoryWorker::write(Write write) {
  m_writes.push_back(std::move(write));
  // While the disk refuses, the retry timer alone decides when to try again.
  if (m_failure.empty()) runWrites();
}

void HistoryWorker::runWrites() {
  while (!m_writes.empty()) {
    const Result<void> done =
        m_database ? m_writes.front()(*m_database) : Result<void>(Error{ErrorCode::kIo, "The chat history is not open"});
    if (!done && mayHeal(done.error().code)) {
      if (std::exchange(m_failure, done.error().detail) != done.error().detail) emit writeFailed(done.error(), false);
      m_retry.start();
      return;
    }
    if (!done) emit writeFailed(done.error(), true);
    m_writes.pop_front();
    --m_numQueued;
  }
  if (!std::exchange(m_failure, std::string()).empty()) emit writesResumed();
}

void HistoryWorker::close() {
  m_retry.stop();
  runWrites();
  m_retry.stop();
  m_database.reset();
}

}  // namespace tandem::gui
