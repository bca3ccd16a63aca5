// AppSettings: what the user chose, kept in tandem.ini. Every key is named here and nowhere else.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <optional>

#include "engine/cache/kv_dtype.h"

namespace tandem::gui {

enum class Theme { System, Light, Dark };
// Stable words for the file and the command line: "system", "light", "dark".
QString themeName(Theme theme);
std::optional<Theme> themeFromName(const QString& name);

// What the user last chose for one model; absent values are the engine's own choice.
struct ModelLoadSettings {
  std::optional<qint64> contextTokens;
  int concurrency = 4;
  engine::KvDType kvDType = engine::KvDType::kF16;
  int threads = 0;  // 0: one per physical core
  bool operator==(const ModelLoadSettings&) const = default;
};

// GUI thread only. Values are checked when read: a damaged file gives defaults, never a crash.
class AppSettings : public QObject {
  Q_OBJECT
 public:
  explicit AppSettings(const QString& file, QObject* parent = nullptr);

  // "en", "zh_CN"; empty: the system's language.
  QString language() const;
  void setLanguage(const QString& language);
  Theme theme() const;
  void setTheme(Theme theme);
  int defaultThreads() const;  // 0: one per physical core
  void setDefaultThreads(int threads);

  // Files and folders of the library, in the order they were added.
  QStringList modelPaths() const;
  void setModelPaths(const QStringList& paths);
  // Models that were taken off the list though their folder is on it.
  QStringList hiddenModels() const;
  void setHiddenModels(const QStringList& paths);
  // True until setStarted() was called once.
  bool isFirstStart() const;
  void setStarted();

  QString lastModel() const;
  void setLastModel(const QString& path);
  ModelLoadSettings loadSettings(const QString& modelPath) const;
  void setLoadSettings(const QString& modelPath, const ModelLoadSettings& settings);

  QString lastPage() const;
  void setLastPage(const QString& pageId);
  QByteArray windowState(const QString& key) const;
  void setWindowState(const QString& key, const QByteArray& state);

  // Empty: all that was set is on disk. Otherwise the file that could not be written.
  QString save();
  QString file() const { return m_settings.fileName(); }

 signals:
  void languageChanged(const QString& language);
  void themeChanged(tandem::gui::Theme theme);
  void defaultThreadsChanged(int threads);

 private:
  QSettings m_settings;
};

}  // namespace tandem::gui
