#include "gui/settings/settings_page.h"

#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/model_library.h"
#include "gui/widgets/elided_label.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {
constexpr int kBodyWidth = 760;
constexpr int kControlWidth = 240;
constexpr int kMaxThreads = 1024;
}  // namespace

SettingsPage::SettingsPage(AppSettings* settings, ModelLibrary* library, const AppPaths& paths,
                           const QList<Language>& languages, QWidget* parent)
    : Page(parent),
      m_settings(settings),
      m_library(library),
      m_paths(paths),
      m_title(new QLabel),
      m_language(new QComboBox),
      m_theme(new QComboBox),
      m_threads(new QSpinBox),
      m_modelsNote(new QLabel),
      m_roots(new QListWidget),
      m_noRoots(new QLabel),
      m_addFolder(new QPushButton),
      m_removeRoot(new QPushButton),
      m_storageNote(new QLabel) {
  auto* body = new QWidget;
  body->setProperty("scrollBody", true);
  body->setMaximumWidth(kBodyWidth);
  auto* layout = new QVBoxLayout(body);
  layout->setContentsMargins(3 * kGrid, 2 * kGrid, 3 * kGrid, 3 * kGrid);
  layout->setSpacing(2 * kGrid);
  setTextRole(m_title, TextRole::Title);
  layout->addWidget(m_title);

  QVBoxLayout* card = addCard(layout, m_appearance);
  m_language->addItem(QString(), QString());
  for (const Language& language : languages) m_language->addItem(language.name, language.code);
  m_languageRow = addRow(card, m_language);
  for (const Theme theme : {Theme::System, Theme::Light, Theme::Dark}) m_theme->addItem(QString(), int(theme));
  m_themeRow = addRow(card, m_theme);

  card = addCard(layout, m_engine);
  m_threads->setRange(0, kMaxThreads);
  m_threadsRow = addRow(card, m_threads);

  card = addCard(layout, m_models);
  setTextRole(m_modelsNote, TextRole::Muted);
  m_modelsNote->setWordWrap(true);
  card->addWidget(m_modelsNote);
  m_roots->setFixedHeight(132);
  m_roots->setTextElideMode(Qt::ElideMiddle);
  m_roots->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_noRoots->setAlignment(Qt::AlignCenter);
  setTextRole(m_noRoots, TextRole::Muted);
  auto* overlay = new QVBoxLayout(m_roots->viewport());
  overlay->addWidget(m_noRoots);
  card->addWidget(m_roots);
  auto* rootButtons = new QHBoxLayout;
  rootButtons->setSpacing(kGrid);
  m_addFolder->setIcon(icon(QStringLiteral("add-folder")));
  m_removeRoot->setIcon(icon(QStringLiteral("remove")));
  rootButtons->addWidget(m_addFolder);
  rootButtons->addWidget(m_removeRoot);
  rootButtons->addStretch();
  card->addLayout(rootButtons);

  card = addCard(layout, m_storage);
  setTextRole(m_storageNote, TextRole::Muted);
  m_storageNote->setWordWrap(true);
  card->addWidget(m_storageNote);
  addPathRow(card, m_dataName, m_dataPath, m_openData, paths.dataDir);
  addPathRow(card, m_configName, m_configPath, m_openConfig, paths.configDir);
  layout->addStretch();

  auto* centred = new QWidget;
  centred->setProperty("scrollBody", true);
  auto* row = new QHBoxLayout(centred);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(body, 1);
  row->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(centred);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(scroll);

  m_language->setCurrentIndex(std::max(0, m_language->findData(settings->language())));
  m_theme->setCurrentIndex(m_theme->findData(int(settings->theme())));
  m_threads->setValue(settings->defaultThreads());
  connect(m_language, &QComboBox::currentIndexChanged, this,
          [this] { m_settings->setLanguage(m_language->currentData().toString()); });
  connect(m_theme, &QComboBox::currentIndexChanged, this,
          [this] { m_settings->setTheme(Theme(m_theme->currentData().toInt())); });
  connect(m_threads, &QSpinBox::valueChanged, m_settings, &AppSettings::setDefaultThreads);
  // The same choices are in the View menu.
  connect(settings, &AppSettings::languageChanged, this,
          [this](const QString& code) { m_language->setCurrentIndex(std::max(0, m_language->findData(code))); });
  connect(settings, &AppSettings::themeChanged, this,
          [this](Theme theme) { m_theme->setCurrentIndex(m_theme->findData(int(theme))); });

  connect(m_addFolder, &QPushButton::clicked, this, [this] {
    auto* dialog = new QFileDialog(this, tr("Add a Folder of Models"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::filesSelected, m_library, &ModelLibrary::addPaths);
    dialog->open();
  });
  connect(m_removeRoot, &QPushButton::clicked, this, [this] {
    if (const QListWidgetItem* item = m_roots->currentItem()) m_library->removeRoot(item->data(Qt::UserRole).toString());
  });
  connect(m_roots, &QListWidget::currentRowChanged, this, [this](int current) { m_removeRoot->setEnabled(current >= 0); });
  connect(library, &ModelLibrary::rootsChanged, this, &SettingsPage::fillRoots);
  const std::pair<QPushButton*, QString> folders[] = {{m_openData, paths.dataDir}, {m_openConfig, paths.configDir}};
  for (const auto& [button, folder] : folders) {
    connect(button, &QPushButton::clicked, this, [folder = folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
  }
  fillRoots();
}

QVBoxLayout* SettingsPage::addCard(QVBoxLayout* to, QLabel*& heading) {
  auto* card = new QWidget;
  setCard(card);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  layout->setSpacing(12);
  heading = new QLabel;
  setTextRole(heading, TextRole::Heading);
  layout->addWidget(heading);
  to->addWidget(card);
  return layout;
}

SettingsPage::Row SettingsPage::addRow(QVBoxLayout* card, QWidget* control) {
  Row row{new QLabel, new QLabel};
  setTextRole(row.note, TextRole::Small);
  row.note->setWordWrap(true);
  row.name->setBuddy(control);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  texts->addWidget(row.name);
  texts->addWidget(row.note);
  control->setFixedWidth(kControlWidth);
  auto* line = new QHBoxLayout;
  line->setSpacing(2 * kGrid);
  line->addLayout(texts, 1);
  line->addWidget(control, 0, Qt::AlignVCenter);
  card->addLayout(line);
  return row;
}

QWidget* SettingsPage::addPathRow(QVBoxLayout* card, QLabel*& name, ElidedLabel*& path, QPushButton*& open,
                                  const QString& value) {
  auto* row = new QWidget;
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(2 * kGrid);
  name = new QLabel;
  path = new ElidedLabel(Qt::ElideMiddle);
  path->setFullText(QDir::toNativeSeparators(value));
  path->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setTextRole(path, TextRole::Muted);
  open = new QPushButton;
  auto* texts = new QVBoxLayout;
  texts->setSpacing(2);
  texts->addWidget(name);
  texts->addWidget(path);
  line->addLayout(texts, 1);
  line->addWidget(open, 0, Qt::AlignVCenter);
  card->addWidget(row);
  return row;
}

void SettingsPage::fillRoots() {
  const QListWidgetItem* current = m_roots->currentItem();
  const QString chosen = current ? current->data(Qt::UserRole).toString() : QString();
  m_roots->clear();
  for (const QString& root : m_library->roots()) {
    auto* item = new QListWidgetItem(icon(QDir(root).exists() ? QStringLiteral("folder") : QStringLiteral("models")),
                                     QDir::toNativeSeparators(root), m_roots);
    item->setData(Qt::UserRole, root);
    item->setToolTip(QDir::toNativeSeparators(root));
    if (root == chosen) m_roots->setCurrentItem(item);
  }
  m_noRoots->setVisible(m_roots->count() == 0);
  m_removeRoot->setEnabled(m_roots->currentRow() >= 0);
}

void SettingsPage::focusFirst() {
  m_language->setFocus(Qt::OtherFocusReason);
}

void SettingsPage::retranslate() {
  m_title->setText(tr("Settings"));
  m_appearance->setText(tr("Appearance"));
  m_languageRow.name->setText(tr("&Language"));
  m_languageRow.note->setText(tr("The window changes at once. The language of answers is the model's affair."));
  m_language->setItemText(0, tr("As the system"));
  m_language->setAccessibleName(tr("Language"));
  m_themeRow.name->setText(tr("&Theme"));
  m_themeRow.note->setText(tr("Light or dark colours, or whatever the desktop uses."));
  const QString themes[] = {tr("As the system"), tr("Light"), tr("Dark")};
  for (int i = 0; i < 3; ++i) m_theme->setItemText(i, themes[i]);
  m_theme->setAccessibleName(tr("Theme"));

  m_engine->setText(tr("Engine"));
  m_threadsRow.name->setText(tr("Th&reads"));
  m_threadsRow.note->setText(
      tr("Processor threads of models that you load from now on. One per core is usually fastest; fewer leave room for other "
         "programs."));
  m_threads->setSpecialValueText(tr("One per processor core"));
  m_threads->setAccessibleName(tr("Threads"));

  m_models->setText(tr("Model folders"));
  m_modelsNote->setText(
      tr("What you added on the Models page. Folders are searched again at each start; files are never changed."));
  m_roots->setAccessibleName(tr("Model folders and files"));
  m_noRoots->setText(tr("No folder or file was added yet."));
  m_addFolder->setText(tr("Add Folder…"));
  m_removeRoot->setText(tr("Remove from List"));

  m_storage->setText(tr("Storage"));
  m_storageNote->setText(tr("Everything stays on this machine. Set TANDEM_HOME before the start to keep it somewhere else."));
  m_dataName->setText(tr("Chats"));
  m_configName->setText(tr("Settings file"));
  m_openData->setText(tr("Open Folder"));
  m_openData->setAccessibleName(tr("Open the folder of the chats"));
  m_openConfig->setText(tr("Open Folder"));
  m_openConfig->setAccessibleName(tr("Open the folder of the settings"));
}

}  // namespace tandem::gui
