// EmptyState: what a page says when it has nothing to show, and what to do about it.
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace tandem::gui {

class EmptyState : public QWidget {
  Q_OBJECT
 public:
  explicit EmptyState(const QString& iconName, QWidget* parent = nullptr);
  void setTexts(const QString& title, const QString& explanation);
  // The caller sets text and connects; the first one added is the primary.
  QPushButton* addButton();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void updateIcon();
  const QString m_iconName;
  QLabel* m_icon;
  QLabel* m_title;
  QLabel* m_explanation;
  QHBoxLayout* m_buttons;
};

}  // namespace tandem::gui
