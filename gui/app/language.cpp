#include "gui/app/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>

namespace tandem::gui {

const QList<LanguageController::Language>& LanguageController::available() {
  static const QList<Language> languages = {{QStringLiteral("en"), QStringLiteral("English")},
                                            {QStringLiteral("zh_CN"), QStringLiteral("简体中文")}};
  return languages;
}

bool LanguageController::isAvailable(const QString& code) {
  for (const Language& language : available()) {
    if (language.code == code) return true;
  }
  return false;
}

QString LanguageController::systemLanguage() {
  for (const QString& wanted : QLocale::system().uiLanguages()) {
    const QLocale locale(wanted);
    if (locale.language() == QLocale::Chinese) return QStringLiteral("zh_CN");
    if (locale.language() == QLocale::English) break;
  }
  return QStringLiteral("en");
}

bool LanguageController::apply(const QString& code) {
  const QString wanted = isAvailable(code) ? code : systemLanguage();
  if (wanted == m_current) return true;
  m_current = wanted;
  QLocale::setDefault(wanted == QLatin1String("en") ? QLocale(QLocale::English, QLocale::UnitedStates) : QLocale(wanted));
  QCoreApplication::removeTranslator(&m_qtTranslator);
  QCoreApplication::removeTranslator(&m_appTranslator);

  // Qt's own dialogs; without that package they stay English, which harms nothing.
  if (wanted != QLatin1String("en") &&
      m_qtTranslator.load(QStringLiteral("qtbase_") + wanted, QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
    QCoreApplication::installTranslator(&m_qtTranslator);
  }
  // English has a file too: it holds the plural forms.
  const bool loaded = m_appTranslator.load(QStringLiteral(":/i18n/tandem_%1.qm").arg(wanted));
  if (loaded) QCoreApplication::installTranslator(&m_appTranslator);
  return loaded;
}

}  // namespace tandem::gui
