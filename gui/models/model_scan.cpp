#include "gui/models/model_scan.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

namespace tandem::gui {
namespace {

bool isSafetensorsFolder(const QDir& dir) {
  return dir.exists(QStringLiteral("config.json")) && !dir.entryList({QStringLiteral("*.safetensors")}, QDir::Files).isEmpty();
}

// "-00002-of-00005.gguf": not the first part, so not a model of its own.
bool isLaterPart(const QString& name) {
  static const QRegularExpression pattern(QStringLiteral("-(\\d{5})-of-\\d{5}\\.gguf$"),
                                          QRegularExpression::CaseInsensitiveOption);
  const auto match = pattern.match(name);
  return match.hasMatch() && match.capturedView(1).toInt() > 1;
}

void collect(const QDir& dir, int depth, int maxFound, QStringList& found) {
  if (found.size() >= maxFound) return;
  if (isSafetensorsFolder(dir)) found << dir.absolutePath();
  for (const QString& name : dir.entryList({QStringLiteral("*.gguf")}, QDir::Files | QDir::Readable, QDir::Name)) {
    if (found.size() >= maxFound) return;
    if (!isLaterPart(name)) found << dir.absoluteFilePath(name);
  }
  if (depth == 0) return;
  for (const QString& name : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks | QDir::Readable, QDir::Name)) {
    collect(QDir(dir.absoluteFilePath(name)), depth - 1, maxFound, found);
  }
}

}  // namespace

bool isModelPath(const QString& path) {
  const QFileInfo info(path);
  if (info.isDir()) return isSafetensorsFolder(QDir(path));
  const QString suffix = info.suffix().toLower();
  return info.isFile() && (suffix == QLatin1String("gguf") || suffix == QLatin1String("safetensors"));
}

QStringList findModels(const QString& root, int maxDepth, int maxFound) {
  const QFileInfo info(root);
  if (!info.isDir()) return {info.absoluteFilePath()};
  QStringList found;
  collect(QDir(info.absoluteFilePath()), maxDepth, maxFound, found);
  return found;
}

}  // namespace tandem::gui
