// SettingsPage: language, theme, threads, model folders, and where things are stored. Every choice takes effect at once.
#pragma once

#include "gui/app/app_paths.h"
#include "gui/app/app_settings.h"
#include "gui/widgets/page.h"

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace tandem::gui {

class ElidedLabel;
class ModelLibrary;

class SettingsPage : public Page {
  Q_OBJECT
 public:
  struct Language {
    QString code, name;  // the name is in the language itself
  };

  // All pointers outlive the page.
  SettingsPage(AppSettings* settings, ModelLibrary* library, const AppPaths& paths, const QList<Language>& languages,
               QWidget* parent = nullptr);

  QString pageId() const override { return QStringLiteral("settings"); }
  QString title() const override { return tr("Settings"); }
  QString iconName() const override { return QStringLiteral("settings"); }
  void focusFirst() override;
  void retranslate() override;

 private:
  struct Row {
    QLabel* name = nullptr;
    QLabel* note = nullptr;
  };

  QVBoxLayout* addCard(QVBoxLayout* to, QLabel*& heading);
  Row addRow(QVBoxLayout* card, QWidget* control);
  QWidget* addPathRow(QVBoxLayout* card, QLabel*& name, ElidedLabel*& path, QPushButton*& open, const QString& value);
  void fillRoots();

  AppSettings* const m_settings;
  ModelLibrary* const m_library;
  const AppPaths m_paths;

  QLabel* m_title;
  QLabel* m_appearance = nullptr;
  QComboBox* m_language;
  Row m_languageRow;
  QComboBox* m_theme;
  Row m_themeRow;
  QLabel* m_engine = nullptr;
  QSpinBox* m_threads;
  Row m_threadsRow;
  QLabel* m_models = nullptr;
  QLabel* m_modelsNote;
  QListWidget* m_roots;
  QLabel* m_noRoots;
  QPushButton* m_addFolder;
  QPushButton* m_removeRoot;
  QLabel* m_storage = nullptr;
  QLabel* m_storageNote;
  QLabel* m_dataName = nullptr;
  ElidedLabel* m_dataPath = nullptr;
  QPushButton* m_openData = nullptr;
  QLabel* m_configName = nullptr;
  ElidedLabel* m_configPath = nullptr;
  QPushButton* m_openConfig = nullptr;
};

}  // namespace tandem::gui
