// Chats as files: Markdown to read, JSON to move between machines.
#pragma once

#include <QByteArray>
#include <QList>
#include <atomic>

#include "gui/history/types.h"

namespace tandem::gui {

// The messages from the root to the head.
QList<Message> shownBranch(const ConversationData& data);

// The shown branch of each, with roles as headings and thinking in a <details> block.
QByteArray exportMarkdown(const QList<ConversationData>& conversations);
// Everything: all branches, settings, figures. {"format": "tandem-chats", "version": 1, "conversations": […]}
QByteArray exportJson(const QList<ConversationData>& conversations);

// Reads what exportJson wrote, giving new ids from `nextId`. kCorrupt or kUnsupported name the conversation and the field.
Result<QList<ConversationData>> parseImport(const QByteArray& json, std::atomic<HistoryId>& nextId);
Result<QList<ConversationData>> readImport(const QString& path, std::atomic<HistoryId>& nextId);

// Atomic: an existing file is replaced only by a whole new one.
Result<void> writeExport(const QByteArray& bytes, const QString& path);

}  // namespace tandem::gui
