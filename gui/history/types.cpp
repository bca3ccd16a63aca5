#include "gui/history/types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tandem::gui {
namespace {

constexpr std::array<std::pair<MessageStatus, const char*>, 6> kStatusNames{{
    {MessageStatus::Complete, "complete"},
    {MessageStatus::Streaming, "streaming"},
    {MessageStatus::Stopped, "stopped"},
    {MessageStatus::LengthLimit, "length"},
    {MessageStatus::Interrupted, "interrupted"},
    {MessageStatus::Failed, "failed"},
}};

double number(const QJsonObject& json, const char* key, double fallback, double least, double most) {
  const double value = json.value(QLatin1String(key)).toDouble(fallback);
  return std::isfinite(value) ? std::clamp(value, least, most) : fallback;
}

}  // namespace

QString roleName(Role role) {
  return role == Role::User ? QStringLiteral("user") : QStringLiteral("assistant");
}

std::optional<Role> roleFromName(const QString& name) {
  if (name == QLatin1String("user")) return Role::User;
  if (name == QLatin1String("assistant")) return Role::Assistant;
  return std::nullopt;
}

QString statusName(MessageStatus status) {
  for (const auto& [value, name] : kStatusNames) {
    if (value == status) return QString::fromLatin1(name);
  }
  return {};
}

std::optional<MessageStatus> statusFromName(const QString& name) {
  for (const auto& [value, word] : kStatusNames) {
    if (name == QLatin1String(word)) return value;
  }
  return std::nullopt;
}

QJsonObject ChatSettings::toJson() const {
  QJsonObject json{{QStringLiteral("temperature"), temperature},
                   {QStringLiteral("top_p"), topP},
                   {QStringLiteral("top_k"), topK},
                   {QStringLiteral("min_p"), minP},
                   {QStringLiteral("repetition_penalty"), repetitionPenalty},
                   {QStringLiteral("presence_penalty"), presencePenalty},
                   {QStringLiteral("frequency_penalty"), frequencyPenalty},
                   {QStringLiteral("thinking"), thinking}};
  if (maxTokens) json.insert(QStringLiteral("max_tokens"), *maxTokens);
  // As text: a JSON number keeps 53 bits only.
  if (seed) json.insert(QStringLiteral("seed"), QString::number(*seed));
  return json;
}

ChatSettings ChatSettings::fromJson(const QJsonObject& json) {
  ChatSettings settings;
  settings.temperature = number(json, "temperature", settings.temperature, 0.0, 5.0);
  settings.topP = number(json, "top_p", settings.topP, 0.01, 1.0);
  settings.topK = int(number(json, "top_k", settings.topK, 0.0, 1e6));
  settings.minP = number(json, "min_p", settings.minP, 0.0, 1.0);
  settings.repetitionPenalty = number(json, "repetition_penalty", settings.repetitionPenalty, 0.1, 5.0);
  settings.presencePenalty = number(json, "presence_penalty", settings.presencePenalty, -2.0, 2.0);
  settings.frequencyPenalty = number(json, "frequency_penalty", settings.frequencyPenalty, -2.0, 2.0);
  settings.thinking = json.value(QStringLiteral("thinking")).toBool(settings.thinking);
  if (json.contains(QStringLiteral("max_tokens"))) settings.maxTokens = int(number(json, "max_tokens", 1024.0, 1.0, 1e9));
  bool isNumber = false;
  const quint64 seed = json.value(QStringLiteral("seed")).toString().toULongLong(&isNumber);
  if (isNumber) settings.seed = seed;
  return settings;
}

}  // namespace tandem::gui
