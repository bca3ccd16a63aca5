// AboutDialog: name, version, licence.
#pragma once

#include <QDialog>

namespace tandem::gui {

class AboutDialog : public QDialog {
  Q_OBJECT
 public:
  explicit AboutDialog(QWidget* parent);
};

}  // namespace tandem::gui
