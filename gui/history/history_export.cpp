#include "gui/history/history_export.h"

#include <QDateTime>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>
#include <algorithm>

namespace tandem::gui {
namespace {

constexpr qint64 kMaxImportBytes = qint64{1} << 30;

QString isoTime(qint64 ms) {
  return QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC).toString(Qt::ISODateWithMs);
}

QString codeFence(const QString& text) {
  QString fence = QStringLiteral("```");
  while (text.contains(fence)) fence += QLatin1Char('`');
  return fence;
}

QJsonObject messageToJson(const Message& m) {
  QJsonObject json{{QStringLiteral("id"), m.id},
                   {QStringLiteral("role"), roleName(m.role)},
                   {QStringLiteral("status"), statusName(m.status)},
                   {QStringLiteral("content"), m.content},
                   {QStringLiteral("created"), isoTime(m.createdMs)}};
  if (m.parentId != 0) json.insert(QStringLiteral("parent"), m.parentId);
  if (!m.reasoning.isEmpty()) json.insert(QStringLiteral("reasoning"), m.reasoning);
  if (m.startsContext) json.insert(QStringLiteral("starts_context"), true);
  if (m.error) {
    json.insert(QStringLiteral("error"), QJsonObject{{QStringLiteral("code"), int(m.error->code)},
                                                     {QStringLiteral("detail"), QString::fromStdString(m.error->detail)}});
  }
  if (m.role == Role::Assistant) {
    json.insert(QStringLiteral("stats"), QJsonObject{{QStringLiteral("model"), m.stats.modelName},
                                                     {QStringLiteral("prompt_tokens"), m.stats.promptTokens},
                                                     {QStringLiteral("output_tokens"), m.stats.outputTokens},
                                                     {QStringLiteral("ttft_ms"), m.stats.ttftMs},
                                                     {QStringLiteral("total_ms"), m.stats.totalMs},
                                                     {QStringLiteral("queue_ms"), m.stats.queueMs},
                                                     {QStringLiteral("seed"), QString::number(m.stats.seed)}});
  }
  return json;
}

Error importError(ErrorCode code, const QString& detail) {
  return Error{code, QStringLiteral("Import: %1. Nothing was imported.").arg(detail).toStdString()};
}

qint64 timeFromJson(const QJsonValue& value) {
  const QDateTime time = QDateTime::fromString(value.toString(), Qt::ISODateWithMs);
  return time.isValid() ? time.toMSecsSinceEpoch() : QDateTime::currentMSecsSinceEpoch();
}

Result<ConversationData> conversationFromJson(const QJsonObject& json, const QString& where, std::atomic<HistoryId>& nextId) {
  ConversationData data;
  Conversation& c = data.conversation;
  c.id = nextId++;
  c.title = json.value(QStringLiteral("title")).toString();
  c.titledByUser = json.value(QStringLiteral("titled_by_user")).toBool();
  c.systemPrompt = json.value(QStringLiteral("system_prompt")).toString();
  c.settings = ChatSettings::fromJson(json.value(QStringLiteral("settings")).toObject());
  c.createdMs = timeFromJson(json.value(QStringLiteral("created")));
  c.updatedMs = timeFromJson(json.value(QStringLiteral("updated")));
  if (!json.value(QStringLiteral("messages")).isArray()) {
    return importError(ErrorCode::kCorrupt, where + QStringLiteral(" has no list \"messages\""));
  }
  QHash<qint64, HistoryId> newIds;
  const QJsonArray messages = json.value(QStringLiteral("messages")).toArray();
  for (qsizetype i = 0; i < messages.size(); ++i) {
    const QJsonObject entry = messages[i].toObject();
    const QString place = QStringLiteral("%1, message %2").arg(where).arg(i + 1);
    const std::optional<Role> role = roleFromName(entry.value(QStringLiteral("role")).toString());
    const std::optional<MessageStatus> status = statusFromName(entry.value(QStringLiteral("status")).toString());
    if (!role) return importError(ErrorCode::kCorrupt, place + QStringLiteral(" has no role \"user\" or \"assistant\""));
    if (!status) return importError(ErrorCode::kCorrupt, place + QStringLiteral(" has an unknown status"));
    if (!entry.value(QStringLiteral("content")).isString()) {
      return importError(ErrorCode::kCorrupt, place + QStringLiteral(" has no text \"content\""));
    }
    Message m;
    m.id = nextId++;
    m.conversationId = c.id;
    m.role = *role;
    m.status = *status == MessageStatus::Streaming ? MessageStatus::Interrupted : *status;
    m.content = entry.value(QStringLiteral("content")).toString();
    m.reasoning = entry.value(QStringLiteral("reasoning")).toString();
    m.startsContext = entry.value(QStringLiteral("starts_context")).toBool();
    m.createdMs = timeFromJson(entry.value(QStringLiteral("created")));
    if (entry.contains(QStringLiteral("parent"))) {
      m.parentId = newIds.value(entry.value(QStringLiteral("parent")).toInteger());
      if (m.parentId == 0) return importError(ErrorCode::kCorrupt, place + QStringLiteral(" names a parent not before it"));
    }
    const QJsonObject error = entry.value(QStringLiteral("error")).toObject();
    if (!error.isEmpty()) {
      m.error = Error{ErrorCode(error.value(QStringLiteral("code")).toInt()),
                      error.value(QStringLiteral("detail")).toString().toStdString()};
    }
    const QJsonObject stats = entry.value(QStringLiteral("stats")).toObject();
    m.stats = AnswerStats{stats.value(QStringLiteral("model")).toString(),
                          stats.value(QStringLiteral("prompt_tokens")).toInteger(),
                          stats.value(QStringLiteral("output_tokens")).toInteger(),
                          stats.value(QStringLiteral("ttft_ms")).toDouble(),
                          stats.value(QStringLiteral("total_ms")).toDouble(),
                          stats.value(QStringLiteral("queue_ms")).toDouble(),
                          stats.value(QStringLiteral("seed")).toString().toULongLong()};
    newIds.insert(entry.value(QStringLiteral("id")).toInteger(), m.id);
    data.messages += m;
  }
  c.headId =
      newIds.value(json.value(QStringLiteral("head")).toInteger(), data.messages.isEmpty() ? 0 : data.messages.last().id);
  return data;
}

}  // namespace

QList<Message> shownBranch(const ConversationData& data) {
  QHash<HistoryId, const Message*> byId;
  for (const Message& message : data.messages) byId.insert(message.id, &message);
  QList<Message> branch;
  for (const Message* m = byId.value(data.conversation.headId); m != nullptr; m = byId.value(m->parentId)) branch += *m;
  std::reverse(branch.begin(), branch.end());
  return branch;
}

QByteArray exportMarkdown(const QList<ConversationData>& conversations) {
  QString out;
  for (const ConversationData& data : conversations) {
    if (!out.isEmpty()) out += QStringLiteral("\n---\n\n");
    out += QStringLiteral("# %1\n\n").arg(data.conversation.title.simplified());
    if (!data.conversation.systemPrompt.isEmpty()) {
      const QString fence = codeFence(data.conversation.systemPrompt);
      out += QStringLiteral("System prompt:\n\n%1\n%2\n%1\n\n").arg(fence, data.conversation.systemPrompt);
    }
    for (const Message& m : shownBranch(data)) {
      const bool isUser = m.role == Role::User;
      const QString name = m.stats.modelName.isEmpty() ? QStringLiteral("Assistant") : m.stats.modelName;
      out += QStringLiteral("## %1\n\n").arg(isUser ? QStringLiteral("User") : name);
      if (!m.reasoning.isEmpty()) {
        out += QStringLiteral("<details><summary>Thinking</summary>\n\n%1\n\n</details>\n\n").arg(m.reasoning.trimmed());
      }
      out += m.content.trimmed() + QStringLiteral("\n\n");
      if (!isUser && m.status != MessageStatus::Complete) out += QStringLiteral("*(%1)*\n\n").arg(statusName(m.status));
    }
  }
  return out.toUtf8();
}

QByteArray exportJson(const QList<ConversationData>& conversations) {
  QJsonArray list;
  for (const ConversationData& data : conversations) {
    const Conversation& c = data.conversation;
    QJsonArray messages;
    for (const Message& message : data.messages) messages += messageToJson(message);
    list += QJsonObject{{QStringLiteral("title"), c.title},
                        {QStringLiteral("titled_by_user"), c.titledByUser},
                        {QStringLiteral("system_prompt"), c.systemPrompt},
                        {QStringLiteral("settings"), c.settings.toJson()},
                        {QStringLiteral("head"), c.headId},
                        {QStringLiteral("created"), isoTime(c.createdMs)},
                        {QStringLiteral("updated"), isoTime(c.updatedMs)},
                        {QStringLiteral("messages"), messages}};
  }
  return QJsonDocument(QJsonObject{{QStringLiteral("format"), QStringLiteral("tandem-chats")},
                                   {QStringLiteral("version"), 1},
                                   {QStringLiteral("conversations"), list}})
      .toJson();
}

Result<QList<ConversationData>> parseImport(const QByteArray& json, std::atomic<HistoryId>& nextId) {
  QJsonParseError parseError;
  const QJsonDocument document = QJsonDocument::fromJson(json, &parseError);
  if (parseError.error != QJsonParseError::NoError) {
    return importError(
        ErrorCode::kCorrupt,
        QStringLiteral("the file is not JSON (%1 at byte %2)").arg(parseError.errorString()).arg(parseError.offset));
  }
  const QJsonObject root = document.object();
  if (root.value(QStringLiteral("format")).toString() != QLatin1String("tandem-chats")) {
    return importError(ErrorCode::kUnsupported,
                       QStringLiteral("the file is not a Tandem export (\"format\" is not \"tandem-chats\")"));
  }
  if (const int version = root.value(QStringLiteral("version")).toInt(); version != 1) {
    return importError(ErrorCode::kUnsupported,
                       QStringLiteral("the file has export version %1, this Tandem reads version 1").arg(version));
  }
  QList<ConversationData> result;
  const QJsonArray list = root.value(QStringLiteral("conversations")).toArray();
  for (qsizetype i = 0; i < list.size(); ++i) {
    result += TANDEM_TRY(conversationFromJson(list[i].toObject(), QStringLiteral("conversation %1").arg(i + 1), nextId));
  }
  return result;
}

Result<QList<ConversationData>> readImport(const QString& path, std::atomic<HistoryId>& nextId) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    return importError(ErrorCode::kIo, QStringLiteral("cannot read %1: %2").arg(path, file.errorString()));
  }
  if (file.size() > kMaxImportBytes) {
    return importError(ErrorCode::kUnsupported,
                       QStringLiteral("%1 has %2 bytes, the limit is %3").arg(path).arg(file.size()).arg(kMaxImportBytes));
  }
  return parseImport(file.readAll(), nextId);
}

Result<void> writeExport(const QByteArray& bytes, const QString& path) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
    return Error{ErrorCode::kIo, QStringLiteral("Export: could not write %1 (%2 bytes): %3")
                                     .arg(path)
                                     .arg(bytes.size())
                                     .arg(file.errorString())
                                     .toStdString()};
  }
  return {};
}

}  // namespace tandem::gui
