// The rows of the chat view below messages: state, figures and what can be done.
#pragma once

#include "gui/chat/chat_row.h"

class QFrame;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace tandem::gui {

// ‹ 2/3 › between the versions of a message. Hidden when there is one only.
class VersionSwitch : public QWidget {
  Q_OBJECT
 public:
  explicit VersionSwitch(QWidget* parent = nullptr);
  void setVersion(int version, int numVersions, bool isEnabled);

 signals:
  void previousRequested();
  void nextRequested();

 private:
  QToolButton* m_previous;
  QLabel* m_place;
  QToolButton* m_next;
};

class QuestionFooterRow : public ChatRow {
  Q_OBJECT
 public:
  explicit QuestionFooterRow(QWidget* parent = nullptr);
  void setContent(const RowContent& content) override;
  int heightAt(int width) override;

 private:
  HistoryId m_id = 0;
  VersionSwitch* m_versions;
  QToolButton* m_edit;
};

class AnswerFooterRow : public ChatRow {
  Q_OBJECT
 public:
  explicit AnswerFooterRow(QWidget* parent = nullptr);
  void setContent(const RowContent& content) override;
  int heightAt(int width) override;

 private:
  void setNotice(const RowContent& content);
  static QString progressText(const GenerationState& generation);
  static QString statsText(const AnswerStats& stats);

  HistoryId m_id = 0;
  QFrame* m_notice;  // why the answer ended early, and what to do
  QLabel* m_noticeTitle;
  QLabel* m_noticeDetail;
  QWidget* m_noticeButtons;
  QPushButton* m_continue;
  QPushButton* m_retry;
  QPushButton* m_trim;
  QPushButton* m_newChat;
  QPushButton* m_models;
  VersionSwitch* m_versions;
  QToolButton* m_copy;
  QToolButton* m_regenerate;
  QLabel* m_stats;
};

class ContextMarkRow : public ChatRow {
  Q_OBJECT
 public:
  explicit ContextMarkRow(QWidget* parent = nullptr);
  void setContent(const RowContent& content) override;
  int heightAt(int width) override;

 private:
  HistoryId m_id = 0;
  QLabel* m_label;
  QToolButton* m_undo;
};

}  // namespace tandem::gui
