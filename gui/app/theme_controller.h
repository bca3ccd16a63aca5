// ThemeController: applies the chosen theme to the application, and follows the desktop's when that is chosen.
#pragma once

#include <QDBusVariant>
#include <QObject>

#include "gui/app/app_settings.h"

class QDBusPendingCallWatcher;

namespace tandem::gui {

class ThemeController : public QObject {
  Q_OBJECT
 public:
  // Reads the desktop's colours, so create it before anything changes the application's palette.
  explicit ThemeController(QObject* parent = nullptr);

  void apply(Theme theme);
  bool isDark() const { return m_dark; }

 signals:
  void themeApplied(bool dark);

 private slots:
  // org.freedesktop.portal.Settings
  void onPortalSettingChanged(const QString& nameSpace, const QString& key, const QDBusVariant& value);

 private:
  void watchDesktop();
  void setDesktopScheme(uint scheme);
  void update();

  Theme m_theme = Theme::System;
  bool m_desktopDark = false;
  bool m_watching = false;
  bool m_dark = false;
  bool m_applied = false;
};

}  // namespace tandem::gui
