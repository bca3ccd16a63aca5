// The tables of the history database, and how older ones become them.
#pragma once

#include <QList>
#include <QStringList>

namespace tandem::gui {

// Marks the file as ours (PRAGMA application_id): "TndH".
inline constexpr int kHistoryApplicationId = 0x546e6448;

// Element i holds the statements that make schema version i + 1 out of version i; version 0 is an empty file. PRAGMA
// user_version holds the version. A released element never changes: a change of the tables is a new element.
const QList<QStringList>& historyMigrations();

// Columns in the order of `message` and `conversation` in the newest version, for reading rows out of damaged files.
inline constexpr int kNumConversationColumns = 9;
inline constexpr int kNumMessageColumns = 18;
inline constexpr int kNumChunkColumns = 4;

}  // namespace tandem::gui
