#include "gui/app/token_inbox.h"

#include <utility>

namespace tandem::gui {

void TokenInbox::post(quint64 ticket, const engine::TokenEvent& event) {
  const std::lock_guard lock(m_mutex);
  if (!m_wake) return;
  m_entries.append({ticket, event});
  // Under the lock, so that close() also waits for a wake-up that has begun. It only posts an event.
  if (m_entries.size() == 1) m_wake();
}

QList<TokenInbox::Entry> TokenInbox::take() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_entries, {});
}

void TokenInbox::close() {
  const std::lock_guard lock(m_mutex);
  m_wake = nullptr;
  m_entries.clear();
}

}  // namespace tandem::gui
