// Between table rows and the structs of types.h; shared by normal reading and by recovery.
#pragma once

#include <QVariantList>
#include <optional>

#include "gui/history/types.h"

namespace tandem::gui {

// Columns of SELECT *, in the table's order. nullopt: not a row we could have written.
std::optional<Conversation> conversationFromRow(const QVariantList& row);
std::optional<Message> messageFromRow(const QVariantList& row);
// Whether the row carries a deletion mark.
bool isDeletedRow(const QVariantList& conversationRow);

QVariantList rowFromConversation(const Conversation& conversation);
QVariantList rowFromMessage(const Message& message);

}  // namespace tandem::gui
