// Composer: where the user writes. Enter sends, Shift+Enter starts a new line, and keys of an input method stay its own.
#pragma once

#include <QFrame>
#include <QPlainTextEdit>

class QLabel;
class QPushButton;
class QToolButton;

namespace tandem::gui {

class ComposerEdit : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit ComposerEdit(QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void sendRequested();
  void escapePressed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void inputMethodEvent(QInputMethodEvent* event) override;
  void insertFromMimeData(const QMimeData* source) override;

 private:
  bool m_isComposing = false;  // the input method shows text that is not in the document yet
};

class Composer : public QFrame {
  Q_OBJECT
 public:
  explicit Composer(QWidget* parent = nullptr);

  QString text() const;
  void setText(const QString& text);
  // Why nothing can be sent; empty: it can. `action` is the word on the button that helps, empty: no button.
  void setBlocked(const QString& reason, const QString& action = {});
  bool isBlocked() const { return m_isBlocked; }
  // Shows Stop in the place of Send.
  void setGenerating(bool isGenerating);
  // Marks what is written as a new version of a former message.
  void setEditing(bool isEditing);
  bool isEditing() const { return m_isEditing; }
  void setMeter(qint64 usedTokens, qint64 limitTokens);
  void clearMeter();
  void focusEdit();
  void retranslate();

 signals:
  void sendRequested();
  void stopRequested();
  void helpRequested();  // the button beside the reason
  void editCancelled();
  void textChanged();

 private:
  void updateButtons();

  ComposerEdit* m_edit;
  QLabel* m_reason;
  QPushButton* m_help;
  QLabel* m_editing;
  QToolButton* m_cancelEdit;
  QLabel* m_meter;
  QToolButton* m_send;
  QToolButton* m_stop;
  bool m_isBlocked = false;
  bool m_isGenerating = false;
  bool m_isEditing = false;
  qint64 m_usedTokens = -1;
  qint64 m_limitTokens = 0;
};

}  // namespace tandem::gui
