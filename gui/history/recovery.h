// Reads what is readable out of a damaged history file.
#pragma once

#include <QList>
#include <QString>

#include "gui/history/types.h"

namespace tandem::gui {

// `path` (with its -wal beside it, if any) is only read. Rows are taken through SQLite where it can still deliver them, and
// from the raw pages where it cannot. Messages whose conversation is lost come back in a conversation made for them, and
// those whose parent is lost are attached to the message before them. Answers that were being written are Interrupted.
// Never fails: the list is empty when nothing is left.
QList<ConversationData> recoverConversations(const QString& path);

}  // namespace tandem::gui
