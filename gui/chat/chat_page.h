// ChatPage: conversations at the left, the shown one in the middle, its settings at the right.
#pragma once

#include <QElapsedTimer>
#include <QHash>
#include <QTimer>

#include "gui/chat/chat_controller.h"
#include "gui/chat/row_builder.h"
#include "gui/widgets/page.h"

class QHBoxLayout;
class QLabel;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace tandem::gui {

class Banner;
class ChatSettingsPane;
class ChatView;
class Composer;
class ConversationPanel;
class ElidedLabel;
class WelcomeView;

class ChatPage : public Page {
  Q_OBJECT
 public:
  // Engine and store outlive the page.
  ChatPage(EngineController& engine, HistoryStore& store, QWidget* parent = nullptr);

  QString pageId() const override { return QStringLiteral("chat"); }
  QString title() const override { return tr("Chat", "page title"); }
  QString iconName() const override { return QStringLiteral("chat"); }
  QList<QAction*> menuActions() const override { return m_actions; }
  void focusFirst() override;
  void retranslate() override;
  bool mayClose() override;

  ChatController& controller() { return *m_chats; }

 private:
  void buildLayout();
  void buildActions();
  void connectAll();
  void showCurrent();
  void showHistoryState();
  void rebuildRows();
  void updateMessage(HistoryId messageId);
  void updateTitle();
  void updateComposer();
  void updateMeter();
  void send();
  void stop();
  void act(RowAction action, HistoryId messageId);
  void beginEdit(HistoryId messageId);
  void endEdit();
  void openLink(const QString& address);
  void showDeleted(HistoryId conversationId, const QString& title);
  void finishPendingDelete();
  void reportWriteFailure(const Error& error);
  RowBuilder::Context rowContext() const;

  EngineController& m_engine;
  HistoryStore& m_store;
  ChatController* m_chats;
  RowBuilder m_builder;

  QSplitter* m_splitter;
  ConversationPanel* m_panel;
  Banner* m_historyBanner;  // what happened to the history file
  Banner* m_undoBanner;
  ElidedLabel* m_title;
  QToolButton* m_toggleSettings;
  QStackedWidget* m_stack;  // welcome or messages
  WelcomeView* m_welcome;
  ChatView* m_view;
  Composer* m_composer;
  ChatSettingsPane* m_settings;
  QList<QAction*> m_actions;
  QAction* m_newAction;
  QAction* m_searchAction;
  QAction* m_stopAction;
  QAction* m_renameAction;
  QAction* m_deleteAction;
  QAction* m_exportMarkdownAction;
  QAction* m_exportJsonAction;
  QAction* m_importAction;
  QAction* m_settingsAction;

  ChatSession* m_shown = nullptr;  // whose signals are connected
  HistoryId m_editingId = 0;
  HistoryId m_scrollTo = 0;  // a search hit, once its conversation is shown
  QHash<HistoryId, QString> m_drafts;
  HistoryId m_shownDraftKey = 0;
  QTimer m_meterTimer;
  quint64 m_meterQuery = 0;
  QTimer m_undoTimer;
  HistoryId m_pendingDelete = 0;
};

}  // namespace tandem::gui
