// TokenInbox: where the engine thread leaves token events until the GUI thread takes them, once per frame.
#pragma once

#include <QList>
#include <QPair>
#include <functional>
#include <mutex>

#include "engine/engine.h"

namespace tandem::gui {

// Shared by the controller and every sink, so that a sink never touches a controller that has gone.
class TokenInbox {
 public:
  using Entry = QPair<quint64, engine::TokenEvent>;  // ticket, event

  // `wake` is called, on the posting thread, when the inbox stops being empty.
  explicit TokenInbox(std::function<void()> wake) : m_wake(std::move(wake)) {}

  // Any thread. Dropped after close().
  void post(quint64 ticket, const engine::TokenEvent& event);
  // Everything posted since the last call, in order.
  QList<Entry> take();
  // No wake-up is under way or follows once this has returned.
  void close();

 private:
  std::mutex m_mutex;  // guards all below
  QList<Entry> m_entries;
  std::function<void()> m_wake;
};

}  // namespace tandem::gui
