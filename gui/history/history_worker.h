// HistoryWorker: the part of HistoryStore that lives on its thread. Private to gui/history.
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "gui/history/history_database.h"

namespace tandem::gui {

class HistoryWorker : public QObject {
  Q_OBJECT
 public:
  using Write = std::function<Result<void>(HistoryDatabase&)>;

  // `numQueued` counts the writes not yet done; added to by the caller, taken from here.
  explicit HistoryWorker(std::atomic<int>& numQueued) : m_numQueued(numQueued), m_retry(this) {
    m_retry.setSingleShot(true);
    m_retry.setInterval(2000);
    connect(&m_retry, &QTimer::timeout, this, &HistoryWorker::runWrites);
  }

  Result<OpenReport> open(const QString& path, const HistoryDatabase::Options& options);
  HistoryDatabase* database() { return m_database.get(); }
  void write(Write write);
  // Tries what is left once more and closes.
  void close();

 signals:
  void writeFailed(const tandem::Error& error, bool dropped);
  void writesResumed();

 private:
  void runWrites();

  std::atomic<int>& m_numQueued;
  std::unique_ptr<HistoryDatabase> m_database;
  std::deque<Write> m_writes;
  QTimer m_retry;
  std::string m_failure;  // detail of the last one reported; empty: writing works
};

}  // namespace tandem::gui
