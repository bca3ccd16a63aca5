// Page: what the main window shows beside its navigation bar.
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

class QAction;

namespace tandem::gui {

// A page builds itself in its constructor, sets every text in retranslate() (called once by the main window when the page is
// added, and again whenever the language changes), and is owned by the main window.
class Page : public QWidget {
  Q_OBJECT
 public:
  explicit Page(QWidget* parent = nullptr) : QWidget(parent) {}

  // Stable, never translated: the word of `tandem --page`, and the key of stored window state.
  virtual QString pageId() const = 0;
  virtual QString title() const = 0;
  // Name of an icon in resources/icons, without ".svg".
  virtual QString iconName() const = 0;
  // Shown in a menu of the page's title; empty: no menu. Owned by the page, enabled only while the page is shown.
  virtual QList<QAction*> menuActions() const { return {}; }
  // Where the keyboard goes when the page is shown.
  virtual void focusFirst() { setFocus(Qt::OtherFocusReason); }
  // Sets every visible text and accessible name of this page anew.
  virtual void retranslate() = 0;
  // False keeps the window open (unsaved input, for example); the page has told the user why.
  virtual bool mayClose() { return true; }

 signals:
  // A short sentence for the status bar.
  void statusMessageRequested(const QString& message);
  // Ask the window to show another page, by its id.
  void pageRequested(const QString& pageId);

 protected:
  void changeEvent(QEvent* event) override;
};

}  // namespace tandem::gui
