// LanguageController: the translators of the window, switched while it is open.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QTranslator>

namespace tandem::gui {

class LanguageController : public QObject {
  Q_OBJECT
 public:
  struct Language {
    QString code;  // "en", "zh_CN"
    QString name;  // in the language itself, never translated
  };

  explicit LanguageController(QObject* parent = nullptr) : QObject(parent) {}

  static const QList<Language>& available();
  static bool isAvailable(const QString& code);
  // The one of ours that fits the system's languages best; "en" when none does.
  static QString systemLanguage();

  // Empty: the system's. Every widget gets a LanguageChange event; numbers follow. Returns false when a translation file is
  // missing from the program, English is shown then.
  bool apply(const QString& code);
  const QString& current() const { return m_current; }

 private:
  QString m_current;
  QTranslator m_appTranslator;
  QTranslator m_qtTranslator;
};

}  // namespace tandem::gui
