#include "gui/models/model_record.h"

#include <QFileInfo>
#include <QLocale>
#include <QMap>
#include <algorithm>

#include "engine/model_file/model_file.h"
#include "engine/models/architecture.h"
#include "engine/planner/model_summary.h"
#include "kernels/dtype.h"

namespace tandem::gui {
namespace {

constexpr int kMaxShownChars = 2000;   // of one metadata value
constexpr int kMaxShownElements = 16;  // of one metadata array

QString fromUtf8(std::string_view text) {
  return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

QString shortened(QString text) {
  if (text.size() <= kMaxShownChars) return text;
  const auto removed = text.size() - kMaxShownChars;
  text.truncate(kMaxShownChars);
  return text + QStringLiteral("… (+%1)").arg(removed);
}

QString scalarText(std::uint64_t value) {
  return QString::number(value);
}
QString scalarText(std::int64_t value) {
  return QString::number(value);
}
QString scalarText(std::uint8_t value) {
  return QString::number(value);
}
QString scalarText(double value) {
  return QString::number(value, 'g', 8);
}
QString scalarText(bool value) {
  return value ? QStringLiteral("true") : QStringLiteral("false");
}
QString scalarText(const std::string& value) {
  return fromUtf8(value);
}

QString valueText(const engine::GgufMetadata::Value& value) {
  return std::visit(
      [](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, engine::GgufMetadata::Array>) {
          return std::visit(
              [](const auto& array) {
                QStringList parts;
                const auto count = std::min<std::size_t>(array.size(), kMaxShownElements);
                for (std::size_t i = 0; i < count; ++i) {
                  using Element = typename std::decay_t<decltype(array)>::value_type;
                  parts << scalarText(Element(array[i]));
                }
                QString text = QLatin1Char('[') + parts.join(QStringLiteral(", "));
                if (count < array.size()) text += QStringLiteral(", … %1").arg(QLocale::c().toString(qulonglong(array.size())));
                return shortened(text + QLatin1Char(']'));
              },
              held);
        } else {
          return shortened(scalarText(held));
        }
      },
      value);
}

void appendJson(const QString& key, const nlohmann::ordered_json& value, QList<QPair<QString, QString>>& rows) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      appendJson(key.isEmpty() ? fromUtf8(name) : key + QLatin1Char('.') + fromUtf8(name), inner, rows);
    }
    return;
  }
  const std::string text = value.is_string() ? value.get_ref<const std::string&>()
                                             : value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  rows.append({key, shortened(fromUtf8(text))});
}

void countTensors(const engine::ModelFile& file, ModelRecord& record) {
  QMap<int, TensorTypeRow> byType;
  for (const engine::TensorInfo& tensor : file.tensors()) {
    TensorTypeRow& row = byType[int(tensor.dtype)];
    quint64 elements = 1;
    for (const std::int64_t size : tensor.shape) elements *= quint64(size);
    row.type = fromUtf8(kernels::dtype_info(tensor.dtype).name);
    row.numTensors += 1;
    row.numParameters += elements;
    row.bytes += tensor.bytes;
    record.numParameters += elements;
  }
  record.tensorTypes = byType.values();
  std::stable_sort(record.tensorTypes.begin(), record.tensorTypes.end(),
                   [](const TensorTypeRow& a, const TensorTypeRow& b) { return a.bytes > b.bytes; });
}

// The file's own word for its architecture, for models that this version cannot run.
QString declaredArchitecture(const engine::ModelFile& file) {
  if (const auto name = file.gguf().get_string("general.architecture")) return fromUtf8(*name);
  const auto& config = file.config();
  if (config.is_object() && config.contains("architectures") && config["architectures"].is_array() &&
      !config["architectures"].empty() && config["architectures"][0].is_string()) {
    return fromUtf8(config["architectures"][0].get_ref<const std::string&>());
  }
  return {};
}

}  // namespace

Result<ModelRecord> inspectModel(const QString& path) {
  const auto file = TANDEM_TRY(engine::ModelFile::open(std::filesystem::path(path.toStdU16String())));
  ModelRecord record;
  record.path = path;
  record.format = file->format() == engine::ModelFormat::kGguf ? QStringLiteral("GGUF") : QStringLiteral("safetensors");
  record.fileBytes = file->file_bytes();
  for (const auto& part : file->files()) record.files << QString::fromStdU16String(part.u16string());
  for (const auto& [key, value] : file->gguf().entries()) record.metadata.append({fromUtf8(key), valueText(value)});
  if (file->config().is_object()) appendJson({}, file->config(), record.metadata);
  countTensors(*file, record);
  record.quantisation = QString::fromStdString(engine::quantization_label(*file));
  record.architecture = declaredArchitecture(*file);
  if (const auto name = file->gguf().get_string("general.name")) record.name = fromUtf8(*name).simplified();

  if (const auto architecture = engine::find_architecture(*file)) {
    record.architecture = fromUtf8((*architecture)->display_name);
  }
  if (auto description = engine::describe_model(*file)) {
    record.maxContext = description->config.max_context;
    if (record.name.isEmpty()) record.name = QString::fromStdString(description->name);
    record.fitOneSpark = evaluateFit(*description, engine::dgx_spark(), 1, false);
    record.fitTwoSparks = evaluateFit(*description, engine::dgx_spark(), 2, false);
    record.description = std::make_shared<const engine::ModelDescription>(std::move(*description));
  } else {
    record.problem = description.error();
  }
  if (record.name.isEmpty()) record.name = QFileInfo(path).completeBaseName();
  return record;
}

}  // namespace tandem::gui
