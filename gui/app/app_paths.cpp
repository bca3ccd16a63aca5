#include "gui/app/app_paths.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace tandem::gui {

AppPaths AppPaths::fromEnvironment() {
  const QString home = qEnvironmentVariable("TANDEM_HOME");
  if (!home.isEmpty()) {
    const QString root = QDir(home).absolutePath();
    return {root + QStringLiteral("/config"), root + QStringLiteral("/data")};
  }
  return {QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/tandem"),
          QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/tandem")};
}

QString AppPaths::ensureExist() const {
  for (const QString& dir : {configDir, dataDir}) {
    if (QFileInfo(dir).isDir()) continue;
    if (!QDir().mkpath(dir)) return QDir::toNativeSeparators(dir);
    QFile::setPermissions(dir, QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
  }
  return {};
}

QStringList AppPaths::resourceDirs() {
  QStringList dirs;
  if (const QString overridden = qEnvironmentVariable("TANDEM_RESOURCES"); !overridden.isEmpty()) dirs << overridden;
  const QString program = QCoreApplication::applicationDirPath();
  dirs << program + QStringLiteral("/../share/tandem");
  // A build tree inside the source tree: build/<preset>/bin.
  dirs << program + QStringLiteral("/../../../resources");
  dirs << QStringLiteral(TANDEM_SOURCE_RESOURCES);
  return dirs;
}

QString AppPaths::resourceFile(const QString& name) {
  for (const QString& dir : resourceDirs()) {
    const QFileInfo info(dir + QLatin1Char('/') + name);
    if (info.isFile()) return info.canonicalFilePath();
  }
  return {};
}

}  // namespace tandem::gui
