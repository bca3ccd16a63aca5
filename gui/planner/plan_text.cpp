#include "gui/planner/plan_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include "gui/widgets/format.h"

namespace tandem::gui {

using Kind = engine::PlanItem::Kind;

QString planItemName(Kind kind) {
  switch (kind) {
    case Kind::kWeights: return QCoreApplication::translate("Plan", "Weights");
    case Kind::kKvCache: return QCoreApplication::translate("Plan", "KV cache");
    case Kind::kState: return QCoreApplication::translate("Plan", "Recurrent state");
    case Kind::kActivations: return QCoreApplication::translate("Plan", "Activations");
    case Kind::kCommunication: return QCoreApplication::translate("Plan", "Communication");
    case Kind::kRuntime: return QCoreApplication::translate("Plan", "Runtime");
    case Kind::kReserve: return QCoreApplication::translate("Plan", "Reserve");
  }
  return {};
}

QString planItemExplanation(Kind kind) {
  switch (kind) {
    case Kind::kWeights: return QCoreApplication::translate("Plan", "The model itself, in the types of its file.");
    case Kind::kKvCache:
      return QCoreApplication::translate("Plan",
                                         "Keys and values of every token in every chat, so that they are computed once.");
    case Kind::kState: return QCoreApplication::translate("Plan", "What recurrent layers remember of each chat.");
    case Kind::kActivations: return QCoreApplication::translate("Plan", "Working memory of one step.");
    case Kind::kCommunication: return QCoreApplication::translate("Plan", "Buffers for the exchange between machines.");
    case Kind::kRuntime: return QCoreApplication::translate("Plan", "The program itself and its libraries.");
    case Kind::kReserve:
      return QCoreApplication::translate("Plan", "Left to the system and other programs, so that the machine never freezes.");
  }
  return {};
}

QColor planItemColor(const ThemeColors& c, Kind kind) {
  switch (kind) {
    case Kind::kWeights: return c.weights;
    case Kind::kKvCache: return c.kvCache;
    case Kind::kState: return c.recurrentState;
    case Kind::kActivations: return c.activations;
    case Kind::kCommunication: return c.communication;
    case Kind::kRuntime: return c.runtime;
    case Kind::kReserve: return c.reserve;
  }
  return c.reserve;
}

// The planner says its arithmetic in numbers and a few fixed words; those are replaced, longest first.
QString planFormula(const std::string& formula) {
  QString text = QString::fromStdString(formula);
  const std::pair<const char*, QString> phrases[] = {
      {"scratch of a step of (\\d+) tokens", QCoreApplication::translate("Plan", "working memory of a step of %1 tokens")},
      {"NCCL (\\d+) connections", QCoreApplication::translate("Plan", "NCCL, %1 connections")},
      {"in (\\d+) tensors?", QCoreApplication::translate("Plan", "in %1 tensors")},
      {"^(.+) left to the system$", QCoreApplication::translate("Plan", "%1 left to the system")},
      {"(\\d+) layers?", QCoreApplication::translate("Plan", "%1 layers")},
      {"(\\d+) heads?", QCoreApplication::translate("Plan", "%1 heads")},
      {"(\\d+) tokens?", QCoreApplication::translate("Plan", "%1 tokens")},
      {"\\blogits\\b", QCoreApplication::translate("Plan", "logits")},
      {"\\bprogram\\b", QCoreApplication::translate("Plan", "program")},
      {"\\btokenizer\\b", QCoreApplication::translate("Plan", "tokenizer")},
      {"\\btransport\\b", QCoreApplication::translate("Plan", "transport")},
  };
  for (const auto& [pattern, replacement] : phrases) {
    QString with = replacement;
    text.replace(QRegularExpression(QLatin1String(pattern)), with.replace(QLatin1String("%1"), QLatin1String("\\1")));
  }
  // Long numbers are grouped as everywhere else in the window.
  static const QRegularExpression longNumber(QStringLiteral("\\d{5,}"));
  for (auto match = longNumber.match(text); match.hasMatch();) {
    const QString grouped = formatCount(match.captured().toLongLong());
    text.replace(match.capturedStart(), match.capturedLength(), grouped);
    match = longNumber.match(text, match.capturedStart() + grouped.size());
  }
  return text;
}

QString kvDTypeText(engine::KvDType dtype) {
  const auto name = engine::kv_dtype_name(dtype);
  return QString::fromLatin1(name.data(), qsizetype(name.size()));
}

QString planRequestText(const engine::PlanRequest& request) {
  const QString context = QCoreApplication::translate("Plan", "%1 tokens of context").arg(formatCount(request.context_tokens));
  const QString chats = QCoreApplication::translate("Plan", "%n chat(s) at once", nullptr, request.concurrency);
  const QString kv = QCoreApplication::translate("Plan", "KV cache in %1").arg(kvDTypeText(request.kv_dtype));
  const QString machines = QCoreApplication::translate("Plan", "%n Spark(s)", nullptr, request.num_nodes);
  if (request.num_nodes > 1) {
    return QCoreApplication::translate("Plan", "%1, %2, %3, %4", "a setting as a list").arg(context, chats, kv, machines);
  }
  return QCoreApplication::translate("Plan", "%1, %2, %3", "a setting as a list").arg(context, chats, kv);
}

}  // namespace tandem::gui
