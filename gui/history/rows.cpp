#include "gui/history/rows.h"

#include <QJsonDocument>

#include "gui/history/schema.h"

namespace tandem::gui {
namespace {

QVariant idOrNull(HistoryId id) {
  return id == 0 ? QVariant(QMetaType::fromType<qint64>()) : QVariant(id);
}

bool isText(const QVariant& value) {
  return value.typeId() == QMetaType::QString;
}
bool isInteger(const QVariant& value) {
  return value.typeId() == QMetaType::LongLong;
}
bool isNumber(const QVariant& value) {
  return isInteger(value) || value.typeId() == QMetaType::Double;
}

// QtSql binds a null QString as NULL, which NOT NULL columns refuse.
QString notNull(const QString& text) {
  return text.isNull() ? QStringLiteral("") : text;
}

}  // namespace

std::optional<Conversation> conversationFromRow(const QVariantList& row) {
  if (row.size() != kNumConversationColumns || !isInteger(row[0]) || !isText(row[1]) || !isInteger(row[2]) || !isText(row[3]) ||
      !isText(row[4]) || !isInteger(row[6]) || !isInteger(row[7])) {
    return std::nullopt;
  }
  Conversation c;
  c.id = row[0].toLongLong();
  c.title = row[1].toString();
  c.titledByUser = row[2].toBool();
  c.systemPrompt = row[3].toString();
  c.settings = ChatSettings::fromJson(QJsonDocument::fromJson(row[4].toString().toUtf8()).object());
  c.headId = row[5].toLongLong();
  c.createdMs = row[6].toLongLong();
  c.updatedMs = row[7].toLongLong();
  return c;
}

bool isDeletedRow(const QVariantList& conversationRow) {
  return !conversationRow.value(8).isNull();
}

std::optional<Message> messageFromRow(const QVariantList& row) {
  if (row.size() != kNumMessageColumns || !isInteger(row[0]) || !isInteger(row[1]) || !isText(row[5]) || !isText(row[6]) ||
      !isNumber(row[13]) || !isInteger(row[17])) {
    return std::nullopt;
  }
  const std::optional<Role> role = roleFromName(row[3].toString());
  const std::optional<MessageStatus> status = statusFromName(row[4].toString());
  if (!role || !status) return std::nullopt;
  Message m;
  m.id = row[0].toLongLong();
  m.conversationId = row[1].toLongLong();
  m.parentId = row[2].toLongLong();
  m.role = *role;
  m.status = *status;
  m.content = row[5].toString();
  m.reasoning = row[6].toString();
  m.startsContext = row[7].toBool();
  if (!row[8].isNull()) m.error = Error{ErrorCode(row[8].toInt()), row[9].toString().toStdString()};
  m.stats = AnswerStats{row[10].toString(),
                        row[11].toLongLong(),
                        row[12].toLongLong(),
                        row[13].toDouble(),
                        row[14].toDouble(),
                        row[15].toDouble(),
                        row[16].toString().toULongLong()};
  m.createdMs = row[17].toLongLong();
  return m;
}

QVariantList rowFromConversation(const Conversation& c) {
  return {c.id,
          notNull(c.title),
          int(c.titledByUser),
          notNull(c.systemPrompt),
          QString::fromUtf8(QJsonDocument(c.settings.toJson()).toJson(QJsonDocument::Compact)),
          idOrNull(c.headId),
          c.createdMs,
          c.updatedMs,
          QVariant(QMetaType::fromType<qint64>())};
}

QVariantList rowFromMessage(const Message& m) {
  return {m.id,
          m.conversationId,
          idOrNull(m.parentId),
          roleName(m.role),
          statusName(m.status),
          notNull(m.content),
          notNull(m.reasoning),
          int(m.startsContext),
          m.error ? QVariant(int(m.error->code)) : QVariant(QMetaType::fromType<int>()),
          m.error ? QVariant(QString::fromStdString(m.error->detail)) : QVariant(QMetaType::fromType<QString>()),
          notNull(m.stats.modelName),
          m.stats.promptTokens,
          m.stats.outputTokens,
          m.stats.ttftMs,
          m.stats.totalMs,
          m.stats.queueMs,
          QString::number(m.stats.seed),
          m.createdMs};
}

}  // namespace tandem::gui
