// Banner: a message across the top of a page, with what can be done about it. Hidden until shown.
#pragma once

#include <QFrame>
#include <functional>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace tandem::gui {

class Banner : public QFrame {
  Q_OBJECT
 public:
  enum class Kind { Info, Warning, Error };

  explicit Banner(QWidget* parent = nullptr);

  // `title` says what happened, `detail` (may be empty) the facts. Actions of the message before are removed.
  void showMessage(Kind kind, const QString& title, const QString& detail = {});
  // Adds a button; pressing it hides the banner, then calls.
  QPushButton* addAction(const QString& text, std::function<void()> action);
  Kind kind() const { return m_kind; }
  QString title() const;
  QString detail() const;

 public slots:
  void dismiss();

 signals:
  void dismissed();

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void restyle();
  Kind m_kind = Kind::Info;
  QLabel* m_icon;
  QLabel* m_title;
  QLabel* m_detail;
  QHBoxLayout* m_actions;
  QToolButton* m_close;
};

}  // namespace tandem::gui
