#include "gui/app/app_settings.h"

#include <QCryptographicHash>

namespace tandem::gui {
namespace {

const QString kLanguage = QStringLiteral("interface/language");
const QString kTheme = QStringLiteral("interface/theme");
const QString kLastPage = QStringLiteral("interface/page");
const QString kWindow = QStringLiteral("window/");
const QString kThreads = QStringLiteral("engine/threads");
const QString kModelPaths = QStringLiteral("models/paths");
const QString kHiddenModels = QStringLiteral("models/hidden");
const QString kStarted = QStringLiteral("general/started");
const QString kLastModel = QStringLiteral("models/last");
constexpr int kMaxThreads = 1024;

// One group per model; a path as a key would be split at its slashes.
QString loadGroup(const QString& path) {
  return QStringLiteral("load/") +
         QString::fromLatin1(QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha1).toHex().left(16));
}

}  // namespace

QString themeName(Theme theme) {
  switch (theme) {
    case Theme::System: return QStringLiteral("system");
    case Theme::Light: return QStringLiteral("light");
    case Theme::Dark: return QStringLiteral("dark");
  }
  return {};
}

std::optional<Theme> themeFromName(const QString& name) {
  for (const Theme theme : {Theme::System, Theme::Light, Theme::Dark}) {
    if (name == themeName(theme)) return theme;
  }
  return std::nullopt;
}

AppSettings::AppSettings(const QString& file, QObject* parent) : QObject(parent), m_settings(file, QSettings::IniFormat) {}

QString AppSettings::language() const {
  return m_settings.value(kLanguage).toString();
}
void AppSettings::setLanguage(const QString& language) {
  if (language == this->language()) return;
  m_settings.setValue(kLanguage, language);
  emit languageChanged(language);
}

Theme AppSettings::theme() const {
  return themeFromName(m_settings.value(kTheme).toString()).value_or(Theme::System);
}
void AppSettings::setTheme(Theme theme) {
  if (theme == this->theme()) return;
  m_settings.setValue(kTheme, themeName(theme));
  emit themeChanged(theme);
}

int AppSettings::defaultThreads() const {
  return qBound(0, m_settings.value(kThreads, 0).toInt(), kMaxThreads);
}
void AppSettings::setDefaultThreads(int threads) {
  if (threads == defaultThreads()) return;
  m_settings.setValue(kThreads, qBound(0, threads, kMaxThreads));
  emit defaultThreadsChanged(defaultThreads());
}

QStringList AppSettings::modelPaths() const {
  return m_settings.value(kModelPaths).toStringList();
}
void AppSettings::setModelPaths(const QStringList& paths) {
  m_settings.setValue(kModelPaths, paths);
}
QStringList AppSettings::hiddenModels() const {
  return m_settings.value(kHiddenModels).toStringList();
}
void AppSettings::setHiddenModels(const QStringList& paths) {
  m_settings.setValue(kHiddenModels, paths);
}
bool AppSettings::isFirstStart() const {
  return !m_settings.value(kStarted, false).toBool();
}
void AppSettings::setStarted() {
  m_settings.setValue(kStarted, true);
}

QString AppSettings::lastModel() const {
  return m_settings.value(kLastModel).toString();
}
void AppSettings::setLastModel(const QString& path) {
  m_settings.setValue(kLastModel, path);
}

ModelLoadSettings AppSettings::loadSettings(const QString& modelPath) const {
  const QString group = loadGroup(modelPath);
  const ModelLoadSettings defaults;
  ModelLoadSettings settings;
  settings.threads = defaultThreads();
  if (m_settings.value(group + QStringLiteral("/path")).toString() != modelPath) return settings;
  const qint64 context = m_settings.value(group + QStringLiteral("/context"), 0).toLongLong();
  if (context > 0) settings.contextTokens = context;
  const int concurrency = m_settings.value(group + QStringLiteral("/concurrency"), defaults.concurrency).toInt();
  if (concurrency >= 1 && concurrency <= 1024) settings.concurrency = concurrency;
  const auto kv = engine::kv_dtype_from_name(m_settings.value(group + QStringLiteral("/kv")).toString().toStdString());
  if (kv) settings.kvDType = *kv;
  const int threads = m_settings.value(group + QStringLiteral("/threads"), settings.threads).toInt();
  if (threads >= 0 && threads <= kMaxThreads) settings.threads = threads;
  return settings;
}

void AppSettings::setLoadSettings(const QString& modelPath, const ModelLoadSettings& settings) {
  const QString group = loadGroup(modelPath);
  const auto kv = engine::kv_dtype_name(settings.kvDType);
  m_settings.setValue(group + QStringLiteral("/path"), modelPath);
  m_settings.setValue(group + QStringLiteral("/context"), settings.contextTokens.value_or(0));
  m_settings.setValue(group + QStringLiteral("/concurrency"), settings.concurrency);
  m_settings.setValue(group + QStringLiteral("/kv"), QString::fromLatin1(kv.data(), qsizetype(kv.size())));
  m_settings.setValue(group + QStringLiteral("/threads"), settings.threads);
}

QString AppSettings::lastPage() const {
  return m_settings.value(kLastPage).toString();
}
void AppSettings::setLastPage(const QString& pageId) {
  m_settings.setValue(kLastPage, pageId);
}
QByteArray AppSettings::windowState(const QString& key) const {
  return m_settings.value(kWindow + key).toByteArray();
}
void AppSettings::setWindowState(const QString& key, const QByteArray& state) {
  m_settings.setValue(kWindow + key, state);
}

QString AppSettings::save() {
  m_settings.sync();
  return m_settings.status() == QSettings::AccessError ? m_settings.fileName() : QString();
}

}  // namespace tandem::gui
