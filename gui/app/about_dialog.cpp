#include "gui/app/about_dialog.h"

#include <QDialogButtonBox>
#include <QIcon>
#include <QLabel>
#include <QVBoxLayout>

#include "base/version.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("About Tandem"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4 * kGrid, 3 * kGrid, 4 * kGrid, 2 * kGrid);
  layout->setSpacing(kGrid);
  auto* logo = new QLabel;
  logo->setPixmap(QIcon(QStringLiteral(":/icons/tandem.svg")).pixmap(72, 72));
  logo->setAlignment(Qt::AlignCenter);
  layout->addWidget(logo);
  auto* name = new QLabel(QStringLiteral("Tandem %1").arg(QString::fromUtf8(kVersion)));
  setTextRole(name, TextRole::Title);
  name->setAlignment(Qt::AlignCenter);
  layout->addWidget(name);
  auto* text = new QLabel(
      tr("A native workstation for running large language models on your own machine.\n\nFree software under the GNU General "
         "Public License, version 3 or later. It comes with no warranty.\nBuilt with Qt %1.")
          .arg(QString::fromLatin1(qVersion())));
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignCenter);
  text->setMinimumWidth(400);
  setTextRole(text, TextRole::Muted);
  layout->addWidget(text);
  layout->addSpacing(kGrid);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
}

}  // namespace tandem::gui
