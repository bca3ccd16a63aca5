// ConversationPanel: the list of conversations with its search field, at the left of the Chat page.
#pragma once

#include <QTimer>
#include <QWidget>

#include "gui/chat/chat_controller.h"

class QLabel;
class QLineEdit;
class QListView;
class QPushButton;
class QToolButton;

namespace tandem::gui {

class ConversationListModel;

class ConversationPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ConversationPanel(ChatController& chats, QWidget* parent = nullptr);
  void focusSearch();
  void refresh();
  void retranslate();
  // Acts on the chosen conversation, or the shown one.
  void renameChosen();
  void deleteChosen();
  void exportChosen(HistoryStore::ExportFormat format);
  void exportAll();
  void importFile();

 signals:
  // The user left the search field with Escape.
  void searchLeft();
  // The user chose a search hit in this message.
  void messageChosen(tandem::gui::HistoryId conversationId, tandem::gui::HistoryId messageId);
  void statusMessageRequested(const QString& message);
  void failed(const tandem::Error& error);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void chooseRow(const QModelIndex& index);
  void showMenu(const QPoint& place);
  void applySelection();
  void exportTo(const QList<HistoryId>& ids, HistoryStore::ExportFormat format, const QString& suggestedName);
  HistoryId chosenId() const;
  QString chosenTitle() const;

  ChatController& m_chats;
  ConversationListModel* m_model;
  QLineEdit* m_search;
  QPushButton* m_new;
  QToolButton* m_more;
  QListView* m_list;
  QLabel* m_empty;
  QTimer m_searchTimer;
  quint64 m_query = 0;  // tells an overtaken answer from the current one
};

}  // namespace tandem::gui
