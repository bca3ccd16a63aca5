// What the history holds: conversations, and in each a tree of messages.
//
// Regenerating an answer or editing a question adds a sibling, so every former version stays reachable. The shown branch is
// the path from the root to the conversation's head.
#pragma once

#include <QHash>
#include <QJsonObject>
#include <QList>
#include <QMetaType>
#include <QString>
#include <optional>

#include "base/result.h"

namespace tandem::gui {

// One id space for conversations and messages; 0: none.
using HistoryId = qint64;

enum class Role { User, Assistant };

enum class MessageStatus {
  Complete,
  Streaming,    // being written now; found at start it becomes Interrupted
  Stopped,      // by the user
  LengthLimit,  // max_tokens or the end of the context was reached
  Interrupted,  // the program ended while it was written
  Failed,       // error says why; the text up to there is kept
};

// Stable words of the database and of exported files.
QString roleName(Role role);
std::optional<Role> roleFromName(const QString& name);
QString statusName(MessageStatus status);
std::optional<MessageStatus> statusFromName(const QString& name);

// Per conversation. Ranges as in engine::SamplingParams.
struct ChatSettings {
  double temperature = 0.6;
  double topP = 0.95;
  int topK = 20;  // 0: off
  double minP = 0.0;
  double repetitionPenalty = 1.0;
  double presencePenalty = 0.0;
  double frequencyPenalty = 0.0;
  std::optional<int> maxTokens;  // absent: until the context is full
  std::optional<quint64> seed;   // absent: a new one for each answer
  bool thinking = true;          // for models whose template knows the switch

  QJsonObject toJson() const;
  // Unknown keys are ignored, values out of range become the nearest allowed one.
  static ChatSettings fromJson(const QJsonObject& json);
  bool operator==(const ChatSettings&) const = default;
};

// As measured by the engine for one answer. A continued answer adds its tokens; TTFT is the first part's.
struct AnswerStats {
  QString modelName;
  qint64 promptTokens = 0;
  qint64 outputTokens = 0;
  double ttftMs = 0.0;
  double totalMs = 0.0;
  double queueMs = 0.0;
  quint64 seed = 0;

  // Decode speed, first token excluded: 1000 / TPOT. 0 when unknown.
  double tokensPerSecond() const {
    return outputTokens > 1 && totalMs > ttftMs ? 1000.0 * double(outputTokens - 1) / (totalMs - ttftMs) : 0.0;
  }
  bool operator==(const AnswerStats&) const = default;
};

struct Message {
  HistoryId id = 0;
  HistoryId conversationId = 0;
  HistoryId parentId = 0;  // 0: first of its conversation
  Role role = Role::User;
  MessageStatus status = MessageStatus::Complete;
  QString content;
  QString reasoning;
  // The model is shown this message and what follows, nothing before it: the user asked to trim.
  bool startsContext = false;
  std::optional<Error> error;  // Failed only
  AnswerStats stats;           // answers only
  qint64 createdMs = 0;        // since the epoch, UTC
};

struct Conversation {
  HistoryId id = 0;
  QString title;              // empty: not named yet
  bool titledByUser = false;  // never renamed automatically
  QString systemPrompt;
  ChatSettings settings;
  HistoryId headId = 0;  // leaf of the shown branch; 0: empty
  qint64 createdMs = 0;
  qint64 updatedMs = 0;
};

struct ConversationData {
  Conversation conversation;
  QList<Message> messages;  // every branch, by id, parents before children
};

struct ConversationSummary {
  HistoryId id = 0;
  QString title;
  qint64 updatedMs = 0;
};

// Marks in SearchHit::snippet around what matched. Control characters: never part of a shown text.
inline constexpr QChar kMatchStart{0x02};
inline constexpr QChar kMatchEnd{0x03};

struct SearchHit {
  HistoryId conversationId = 0;
  HistoryId messageId = 0;  // 0: the title matched
  QString title;
  QString snippet;  // one line, matches between kMatchStart and kMatchEnd
  qint64 updatedMs = 0;
};

}  // namespace tandem::gui
