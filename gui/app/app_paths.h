// Where the window reads and writes. Nothing is written elsewhere.
#pragma once

#include <QString>
#include <QStringList>

namespace tandem::gui {

struct AppPaths {
  QString configDir;  // tandem.ini
  QString dataDir;    // history database, log, state that must survive a crash

  // $TANDEM_HOME/config and $TANDEM_HOME/data when TANDEM_HOME is set; else tandem/ below the XDG base directories.
  // Creates nothing.
  static AppPaths fromEnvironment();

  QString settingsFile() const { return configDir + QStringLiteral("/tandem.ini"); }
  QString historyFile() const { return dataDir + QStringLiteral("/history.sqlite"); }
  QString runMarkerFile() const { return dataDir + QStringLiteral("/running"); }

  // Makes both folders, readable by this user only. Returns what failed; empty: all is well.
  QString ensureExist() const;

  // Folders that may hold shipped resources, best first: $TANDEM_RESOURCES, beside an installed program, the source tree.
  static QStringList resourceDirs();
  // Path of a shipped file ("demo-model/tandem-demo-Q8_0.gguf"); empty when it is not there.
  static QString resourceFile(const QString& name);
};

}  // namespace tandem::gui
