// ChatSession: one open conversation in memory: its tree of messages, the shown branch, and what is being generated.
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <QString>
#include <optional>

#include "gui/history/types.h"

namespace tandem::gui {

// What is known of a running answer.
struct GenerationState {
  enum class Phase { Submitted, Queued, Prefill, Decode };
  Phase phase = Phase::Submitted;
  int queuePlace = 0;      // requests ahead
  qint64 prefillDone = 0;  // tokens
  qint64 prefillTotal = 0;
  qint64 outputTokens = 0;  // so far, of this part
  bool isStopping = false;
  bool operator==(const GenerationState&) const = default;
};

// Changed by ChatController only.
class ChatSession : public QObject {
  Q_OBJECT
 public:
  explicit ChatSession(Conversation conversation, QList<Message> messages = {}, QObject* parent = nullptr);

  const Conversation& conversation() const { return m_conversation; }
  HistoryId id() const { return m_conversation.id; }
  // False for a new chat: it is written with its first message.
  bool isStored() const { return m_isStored; }

  // Root to head.
  const QList<HistoryId>& branch() const { return m_branch; }
  const Message* message(HistoryId id) const;
  const Message* lastMessage() const { return m_branch.isEmpty() ? nullptr : message(m_branch.last()); }
  // Versions of this message, itself among them, oldest first.
  QList<HistoryId> siblings(HistoryId id) const;
  // The newest leaf below.
  HistoryId leafBelow(HistoryId id) const;

  bool isGenerating() const { return m_generatingId != 0; }
  HistoryId generatingId() const { return m_generatingId; }
  const GenerationState& generation() const { return m_generation; }

 signals:
  void titleChanged();
  void settingsChanged();
  // Messages were added, or another branch is shown.
  void branchChanged();
  void messageChanged(tandem::gui::HistoryId id);
  void generatingChanged(bool isGenerating);

 private:
  friend class ChatController;
  void addMessage(const Message& message);  // and shows it
  void showHead(HistoryId headId);
  Message& mutableMessage(HistoryId id) { return m_messages[id]; }

  Conversation m_conversation;
  bool m_isStored = false;
  QHash<HistoryId, Message> m_messages;
  QHash<HistoryId, QList<HistoryId>> m_children;  // of 0: the roots
  QList<HistoryId> m_branch;
  HistoryId m_generatingId = 0;
  GenerationState m_generation;
};

}  // namespace tandem::gui
