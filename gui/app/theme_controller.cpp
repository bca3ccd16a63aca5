#include "gui/app/theme_controller.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QStyleFactory>

#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kNamespace = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");
constexpr uint kPreferDark = 1;

}  // namespace

ThemeController::ThemeController(QObject* parent)
    : QObject(parent), m_desktopDark(ThemeColors::isDark(QApplication::palette())) {
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
}

void ThemeController::apply(Theme theme) {
  m_theme = theme;
  if (theme == Theme::System) watchDesktop();
  update();
}

// The portal answers for GNOME, KDE and others alike; Qt 6.4 has no such question of its own. Asked without waiting.
void ThemeController::watchDesktop() {
  if (m_watching) return;
  m_watching = true;
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
              SLOT(onPortalSettingChanged(QString, QString, QDBusVariant)));
  QDBusMessage question = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
  question << kNamespace << kKey;
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(question), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
    const QDBusPendingReply<QDBusVariant> reply = *watcher;
    watcher->deleteLater();
    if (reply.isError()) return;  // no portal: the palette at start stays the answer
    QVariant value = reply.value().variant();
    if (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();  // Read wraps twice
    setDesktopScheme(value.toUInt());
  });
}

void ThemeController::onPortalSettingChanged(const QString& nameSpace, const QString& key, const QDBusVariant& value) {
  if (nameSpace == kNamespace && key == kKey) setDesktopScheme(value.variant().toUInt());
}

void ThemeController::setDesktopScheme(uint scheme) {
  m_desktopDark = scheme == kPreferDark;
  update();
}

void ThemeController::update() {
  const bool dark = m_theme == Theme::Dark || (m_theme == Theme::System && m_desktopDark);
  if (m_applied && dark == m_dark) return;
  m_applied = true;
  m_dark = dark;
  const ThemeColors& colors = dark ? ThemeColors::dark() : ThemeColors::light();
  QApplication::setPalette(makePalette(colors));
  qApp->setStyleSheet(makeStyleSheet(colors));
  emit themeApplied(dark);
}

}  // namespace tandem::gui
