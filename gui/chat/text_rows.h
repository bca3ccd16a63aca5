// The rows of the chat view that show text.
#pragma once

#include "gui/chat/chat_row.h"

class QFrame;
class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace tandem::gui {

class RichText;

// The user's words as they were typed, in a bubble on the right. Very long ones are cut until asked for.
class QuestionRow : public ChatRow {
  Q_OBJECT
 public:
  explicit QuestionRow(QWidget* parent = nullptr);
  void setContent(const RowContent& content) override;
  int heightAt(int width) override;

 private:
  void showText();
  QString m_text;
  bool m_showsAll = false;
  QFrame* m_bubble;
  RichText* m_body;
  QToolButton* m_showAll;
};

class RichTextRow : public ChatRow {
  Q_OBJECT
 public:
  explicit RichTextRow(QWidget* parent = nullptr);
  void setContent(const RowContent& content) override;
  int heightAt(int width) override;

 private:
  RichText* m_body;
};

class CodeRow : public ChatRow {
  Q_OBJECT
 public:
  explicit CodeRow(QWidget* parent = nullptr);
  void setContent(const RowContent& content) override;
  int heightAt(int width) override;

 private:
  QFrame* m_frame;
  QLabel* m_language;
  QToolButton* m_copy;
  QPlainTextEdit* m_code;
  QString m_text;
};

// The model's reasoning: open while it thinks, folded once it answers, unless the user chose otherwise.
class ThinkingRow : public ChatRow {
  Q_OBJECT
 public:
  explicit ThinkingRow(QWidget* parent = nullptr);
  void setContent(const RowContent& content) override;
  int heightAt(int width) override;

 private:
  void applyExpanded();
  QToolButton* m_toggle;
  QPlainTextEdit* m_body;
  QString m_text;
  bool m_isThinking = false;
  std::optional<bool> m_chosen;
};

}  // namespace tandem::gui
