#include "gui/chat/chat_page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "gui/chat/chat_settings_pane.h"
#include "gui/chat/chat_view.h"
#include "gui/chat/composer.h"
#include "gui/chat/conversation_panel.h"
#include "gui/chat/welcome_view.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/elided_label.h"
#include "gui/widgets/error_text.h"
#include "gui/widgets/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr int kUndoMs = 8000;

bool isDemoModel(const QString& path) {
  return QFileInfo(path).fileName().startsWith(QLatin1String("tandem-demo"));
}

}  // namespace

ChatPage::ChatPage(EngineController& engine, HistoryStore& store, QWidget* parent)
    : Page(parent),
      m_engine(engine),
      m_store(store),
      m_chats(new ChatController(engine, store, this)),
      m_splitter(new QSplitter(this)),
      m_panel(new ConversationPanel(*m_chats, this)),
      m_historyBanner(new Banner(this)),
      m_undoBanner(new Banner(this)),
      m_title(new ElidedLabel(Qt::ElideRight, this)),
      m_toggleSettings(new QToolButton(this)),
      m_stack(new QStackedWidget(this)),
      m_welcome(new WelcomeView(this)),
      m_view(new ChatView(this)),
      m_composer(new Composer(this)),
      m_settings(new ChatSettingsPane(this)) {
  buildLayout();
  buildActions();
  connectAll();
  showHistoryState();
  showCurrent();
}

void ChatPage::buildLayout() {
  setTextRole(m_title, TextRole::Heading);
  m_toggleSettings->setIcon(icon(QStringLiteral("sliders")));
  m_toggleSettings->setCheckable(true);
  m_stack->addWidget(m_welcome);
  m_stack->addWidget(m_view);
  m_settings->hide();
  m_undoTimer.setSingleShot(true);
  m_undoTimer.setInterval(kUndoMs);
  m_meterTimer.setSingleShot(true);
  m_meterTimer.setInterval(300);

  auto* header = new QHBoxLayout;
  header->setContentsMargins(24, 10, 12, 6);
  header->addWidget(m_title, 1);
  header->addWidget(m_toggleSettings);
  auto* composer = new QHBoxLayout;
  composer->setContentsMargins(24, 4, 24, 16);
  composer->addStretch(1);
  m_composer->setMaximumWidth(820);
  composer->addWidget(m_composer, 1000);
  composer->addStretch(1);

  auto* middle = new QWidget(m_splitter);
  auto* column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_historyBanner);
  column->addWidget(m_undoBanner);
  column->addLayout(header);
  column->addWidget(m_stack, 1);
  column->addLayout(composer);
  middle->setMinimumWidth(360);

  m_splitter->setChildrenCollapsible(false);
  m_splitter->addWidget(m_panel);
  m_splitter->addWidget(middle);
  m_splitter->addWidget(m_settings);
  m_splitter->setStretchFactor(1, 1);
  m_splitter->setSizes({260, 800, 300});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_splitter);
}

void ChatPage::buildActions() {
  const auto add = [this](const char* iconName, const QKeySequence& keys, auto slot) {
    auto* action = new QAction(this);
    if (iconName != nullptr) action->setIcon(icon(QLatin1String(iconName)));
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, slot);
    m_actions += action;
    return action;
  };
  m_newAction = add("new-chat", QKeySequence::New, [this] { m_chats->startNew(); });
  m_searchAction = add("search", QKeySequence::Find, [this] { m_panel->focusSearch(); });
  m_stopAction = add("stop", QKeySequence(Qt::Key_Escape), [this] { stop(); });
  m_renameAction = add("edit", {}, [this] { m_panel->renameChosen(); });
  m_deleteAction = add("remove", {}, [this] { m_panel->deleteChosen(); });
  m_exportMarkdownAction = add("export", {}, [this] { m_panel->exportChosen(HistoryStore::ExportFormat::Markdown); });
  m_exportJsonAction = add("export", {}, [this] { m_panel->exportChosen(HistoryStore::ExportFormat::Json); });
  m_importAction = add(nullptr, {}, [this] { m_panel->importFile(); });
  m_settingsAction = add("sliders", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
                         [this] { m_settings->setVisible(m_settingsAction->isChecked()); });
  m_settingsAction->setCheckable(true);
  connect(m_toggleSettings, &QToolButton::toggled, m_settings, &QWidget::setVisible);
  connect(m_toggleSettings, &QToolButton::toggled, m_settingsAction, &QAction::setChecked);
  connect(m_settingsAction, &QAction::toggled, m_toggleSettings, &QToolButton::setChecked);
}

void ChatPage::connectAll() {
  connect(m_chats, &ChatController::currentChanged, this, &ChatPage::showCurrent);
  connect(m_chats, &ChatController::conversationDeleted, this, &ChatPage::showDeleted);
  connect(m_chats, &ChatController::openFailed, this, [this](const Error& error) {
    m_historyBanner->showMessage(Banner::Kind::Error, tr("This chat could not be opened."), errorDetail(error));
  });
  connect(m_panel, &ConversationPanel::failed, this, [this](const Error& error) {
    m_historyBanner->showMessage(Banner::Kind::Error, errorTitle(error.code), errorDetail(error));
  });
  connect(m_panel, &ConversationPanel::statusMessageRequested, this, &Page::statusMessageRequested);
  connect(m_panel, &ConversationPanel::searchLeft, m_composer, &Composer::focusEdit);
  connect(m_panel, &ConversationPanel::messageChosen, this, [this](HistoryId conversationId, HistoryId messageId) {
    if (m_shown != nullptr && m_shown->id() == conversationId) {
      m_view->scrollToMessage(messageId);
    } else {
      m_scrollTo = messageId;
    }
  });
  connect(&m_store, &HistoryStore::stateChanged, this, &ChatPage::showHistoryState);
  connect(&m_store, &HistoryStore::writeFailed, this, &ChatPage::reportWriteFailure);
  connect(&m_store, &HistoryStore::writesResumed, this, [this] {
    m_historyBanner->dismiss();
    emit statusMessageRequested(tr("All changes are saved again."));
  });
  const auto modelChanged = [this] {
    updateComposer();
    rebuildRows();
    m_meterTimer.start();
  };
  connect(&m_engine, &EngineController::stateChanged, this, modelChanged);
  connect(&m_engine, &EngineController::loadProgressed, this, &ChatPage::updateComposer);
  connect(m_composer, &Composer::sendRequested, this, &ChatPage::send);
  connect(m_composer, &Composer::stopRequested, this, &ChatPage::stop);
  connect(m_composer, &Composer::editCancelled, this, &ChatPage::endEdit);
  connect(m_composer, &Composer::helpRequested, this, [this] { emit pageRequested(QStringLiteral("models")); });
  connect(m_composer, &Composer::textChanged, &m_meterTimer, qOverload<>(&QTimer::start));
  connect(&m_meterTimer, &QTimer::timeout, this, &ChatPage::updateMeter);
  connect(m_welcome, &WelcomeView::modelsRequested, this, [this] { emit pageRequested(QStringLiteral("models")); });
  connect(m_welcome, &WelcomeView::suggestionChosen, this, [this](const QString& text) {
    m_composer->setText(text);
    send();
  });
  connect(m_view, &ChatView::actionRequested, this, &ChatPage::act);
  connect(m_view, &ChatView::linkActivated, this, &ChatPage::openLink);
  connect(m_view, &ChatView::linkHovered, this, &Page::statusMessageRequested);
  connect(m_settings, &ChatSettingsPane::settingsEdited, this, [this] {
    if (m_shown != nullptr) m_chats->setSettings(m_shown, m_settings->systemPrompt(), m_settings->settings());
    m_meterTimer.start();
  });
  connect(&m_undoTimer, &QTimer::timeout, this, [this] {
    finishPendingDelete();
    m_undoBanner->dismiss();
  });
  connect(m_undoBanner, &Banner::dismissed, this, &ChatPage::finishPendingDelete);
}

RowBuilder::Context ChatPage::rowContext() const {
  return {m_engine.isReady(), m_shown != nullptr && m_chats->canTrim(m_shown)};
}

void ChatPage::showCurrent() {
  ChatSession* session = m_chats->current();
  if (session == m_shown) {  // New chat, while a new one is shown
    if (session != nullptr) m_composer->focusEdit();
    return;
  }
  if (m_shown != nullptr) {
    if (m_editingId == 0) m_drafts.insert(m_shown->id(), m_composer->text());
    m_shown->disconnect(this);
  }
  m_shown = session;
  m_editingId = 0;
  m_composer->setEditing(false);
  m_builder.clear();
  if (session == nullptr) return;
  connect(session, &QObject::destroyed, this, [this, session] {
    if (m_shown == session) m_shown = nullptr;
  });
  connect(session, &ChatSession::branchChanged, this, [this] {
    rebuildRows();
    m_meterTimer.start();
  });
  connect(session, &ChatSession::messageChanged, this, &ChatPage::updateMessage);
  connect(session, &ChatSession::titleChanged, this, &ChatPage::updateTitle);
  connect(session, &ChatSession::generatingChanged, this, [this] {
    updateComposer();
    rebuildRows();
    m_meterTimer.start();
  });
  m_composer->setText(m_drafts.take(session->id()));
  m_settings->setDefaults(ChatController::suggestedSettings(m_engine.modelInfo()));
  m_settings->setSettings(session->conversation().systemPrompt, session->conversation().settings);
  updateTitle();
  m_view->setRows({});
  rebuildRows();
  if (m_scrollTo != 0) {
    m_view->scrollToMessage(std::exchange(m_scrollTo, 0));
  } else {
    m_view->scrollToEnd();
  }
  updateComposer();
  m_composer->clearMeter();
  m_meterTimer.start();
}

void ChatPage::rebuildRows() {
  if (m_shown == nullptr) return;
  const bool isEmpty = m_shown->branch().isEmpty();
  m_stack->setCurrentWidget(isEmpty ? static_cast<QWidget*>(m_welcome) : m_view);
  if (!isEmpty) m_view->setRows(m_builder.rows(*m_shown, rowContext()));
}

void ChatPage::updateMessage(HistoryId messageId) {
  if (m_shown == nullptr || !m_shown->branch().contains(messageId)) return;
  m_view->replaceMessage(messageId, m_builder.messageRows(*m_shown, messageId, rowContext()));
  const std::optional<engine::ModelInfo>& model = m_engine.modelInfo();
  const GenerationState& generation = m_shown->generation();
  if (model && generation.prefillTotal > 0) {
    m_composer->setMeter(generation.prefillTotal + generation.outputTokens, model->context_tokens);
  }
}

void ChatPage::updateTitle() {
  if (m_shown == nullptr) return;
  const QString& title = m_shown->conversation().title;
  m_title->setFullText(title.isEmpty() ? tr("New chat") : title);
}

void ChatPage::updateComposer() {
  const bool isGenerating = m_shown != nullptr && m_shown->isGenerating();
  m_composer->setGenerating(isGenerating);
  m_stopAction->setEnabled(isGenerating);
  const std::optional<engine::ModelInfo>& model = m_engine.modelInfo();
  m_settings->setThinkingSupported(model && model->supports_thinking);
  m_welcome->setModel(model ? QString::fromStdString(model->name) : QString(), isDemoModel(m_engine.modelPath()),
                      m_engine.state() == EngineController::State::Loading);
  if (m_store.state() == HistoryStore::State::Opening) return m_composer->setBlocked(tr("The chat history is being opened…"));
  if (m_store.state() == HistoryStore::State::Failed) {
    return m_composer->setBlocked(tr("Chats cannot be saved, so none can be started. See the message above."));
  }
  switch (m_engine.state()) {
    case EngineController::State::NoModel:
      return m_composer->setBlocked(tr("No model is loaded, so nothing can answer yet."), tr("Choose a model"));
    case EngineController::State::Loading: {
      const engine::LoadProgress& progress = m_engine.loadProgress();
      const QString name = QFileInfo(m_engine.modelPath()).fileName();
      return m_composer->setBlocked(progress.bytes_total > 0
                                        ? tr("%1 is being loaded: %2 of %3.")
                                              .arg(name, formatBytes(progress.bytes_done), formatBytes(progress.bytes_total))
                                        : tr("%1 is being loaded.").arg(name));
    }
    case EngineController::State::Failed:
      return m_composer->setBlocked(
          tr("The model could not be loaded: %1").arg(m_engine.loadError() ? errorDetail(*m_engine.loadError()) : QString()),
          tr("Choose a model"));
    case EngineController::State::Ready: break;
  }
  if (!model->has_chat_template) {
    return m_composer->setBlocked(tr("This model file has no chat template, so it cannot chat. Choose a model made for chat."),
                                  tr("Choose a model"));
  }
  m_composer->setBlocked({});
}

void ChatPage::updateMeter() {
  if (m_shown == nullptr || !m_engine.isReady()) return m_composer->clearMeter();
  if (m_shown->isGenerating()) return;  // the running request tells
  const quint64 query = ++m_meterQuery;
  m_chats->countTokens(m_shown, m_composer->text(), this, [this, query](const Result<std::int64_t>& count) {
    if (query != m_meterQuery || !m_engine.modelInfo()) return;
    // A template that fails is reported when the message is sent.
    if (!count) return m_composer->clearMeter();
    m_composer->setMeter(*count, m_engine.modelInfo()->context_tokens);
  });
}

void ChatPage::send() {
  if (m_shown == nullptr || m_composer->isBlocked() || m_shown->isGenerating()) return;
  const QString text = m_composer->text();
  if (text.trimmed().isEmpty()) return;
  if (const HistoryId editing = m_editingId; editing != 0) {
    endEdit();  // brings back what was being written before
    m_chats->editAndResend(m_shown, editing, text);
  } else {
    m_composer->setText({});
    m_chats->send(m_shown, text);
  }
  m_view->scrollToEnd();
  m_composer->focusEdit();
}

void ChatPage::stop() {
  if (m_shown != nullptr) m_chats->stop(m_shown);
}

void ChatPage::beginEdit(HistoryId messageId) {
  const Message* message = m_shown->message(messageId);
  if (message == nullptr) return;
  if (m_editingId == 0) m_drafts.insert(m_shown->id(), m_composer->text());
  m_editingId = messageId;
  m_composer->setEditing(true);
  m_composer->setText(message->content);
  m_composer->focusEdit();
}

void ChatPage::endEdit() {
  if (m_editingId == 0) return;
  m_editingId = 0;
  m_composer->setEditing(false);
  m_composer->setText(m_shown != nullptr ? m_drafts.take(m_shown->id()) : QString());
}

void ChatPage::act(RowAction action, HistoryId messageId) {
  if (m_shown == nullptr) return;
  switch (action) {
    case RowAction::Copy:
      if (const Message* message = m_shown->message(messageId)) QApplication::clipboard()->setText(message->content);
      emit statusMessageRequested(tr("Copied."));
      return;
    case RowAction::Edit: return beginEdit(messageId);
    case RowAction::Regenerate: m_chats->regenerate(m_shown, messageId); break;
    case RowAction::Continue: m_chats->continueAnswer(m_shown, messageId); break;
    case RowAction::PreviousVersion: return m_chats->showSibling(m_shown, messageId, -1);
    case RowAction::NextVersion: return m_chats->showSibling(m_shown, messageId, 1);
    case RowAction::TrimAndRetry:
      m_chats->trimOldest(m_shown);
      m_chats->regenerate(m_shown, messageId);
      break;
    case RowAction::UndoTrim: return m_chats->undoTrim(m_shown, messageId);
    case RowAction::NewChat: return m_chats->startNew();
    case RowAction::OpenModels: emit pageRequested(QStringLiteral("models")); return;
  }
  m_view->scrollToEnd();
  m_composer->focusEdit();  // the button is gone, and the keyboard with it
}

void ChatPage::openLink(const QString& address) {
  switch (linkAction(address)) {
    case LinkAction::Open: break;
    case LinkAction::AskFirst: {
      QMessageBox box(QMessageBox::Question, tr("Open this link?"),
                      tr("The answer contains a link that another program opens:"), QMessageBox::Open | QMessageBox::Cancel,
                      this);
      box.setInformativeText(address);
      box.setTextFormat(Qt::PlainText);
      box.setDefaultButton(QMessageBox::Cancel);
      if (box.exec() != QMessageBox::Open) return;
      break;
    }
    case LinkAction::Refuse: return;
  }
  if (!QDesktopServices::openUrl(QUrl(address)))
    emit statusMessageRequested(tr("No program was found that opens %1").arg(address));
}

void ChatPage::showDeleted(HistoryId conversationId, const QString& title) {
  finishPendingDelete();
  m_drafts.remove(conversationId);
  m_undoBanner->showMessage(Banner::Kind::Info,
                            title.isEmpty() ? tr("The chat was deleted.") : tr("“%1” was deleted.").arg(title));
  m_pendingDelete = conversationId;
  m_undoBanner->addAction(tr("Undo"), [this, conversationId] {
    m_undoTimer.stop();
    m_chats->undoDelete(conversationId);
  });
  m_undoTimer.start();
}

void ChatPage::finishPendingDelete() {
  m_undoTimer.stop();
  // After an undo this does nothing: the store purges only what is still marked.
  if (m_pendingDelete != 0) m_chats->finishDelete(std::exchange(m_pendingDelete, 0));
}

void ChatPage::showHistoryState() {
  updateComposer();
  if (m_store.state() == HistoryStore::State::Failed) {
    const Error& error = *m_store.openError();
    m_historyBanner->showMessage(Banner::Kind::Error,
                                 error.code == ErrorCode::kUnavailable   ? tr("Another Tandem has the chat history open.")
                                 : error.code == ErrorCode::kUnsupported ? tr("The chat history was written by a newer Tandem.")
                                                                         : tr("The chat history cannot be opened."),
                                 errorDetail(error));
    m_historyBanner->addAction(tr("Try again"), [this] { m_store.reopen(); });
    return;
  }
  if (m_store.state() != HistoryStore::State::Ready) return;
  const OpenReport& report = m_store.report();
  if (!report.damagedCopy.isEmpty()) {
    m_historyBanner->showMessage(Banner::Kind::Warning, tr("The chat history was damaged. What could be read was recovered."),
                                 tr("Recovered: %1 chats with %2 messages. The damaged file is kept as %3. What was found: %4")
                                     .arg(formatCount(report.recoveredConversations), formatCount(report.recoveredMessages),
                                          report.damagedCopy, report.damage));
    const QString folder = QFileInfo(report.damagedCopy).absolutePath();
    m_historyBanner->addAction(tr("Show the folder"), [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
  } else if (!report.oldVersionCopy.isEmpty()) {
    m_historyBanner->showMessage(Banner::Kind::Info, tr("The chat history was brought to this version's format."),
                                 tr("The old file is kept as %1.").arg(report.oldVersionCopy));
  } else if (m_historyBanner->isVisible() && m_historyBanner->kind() == Banner::Kind::Error) {
    m_historyBanner->dismiss();
  }
  if (report.interruptedAnswers > 0) {
    emit statusMessageRequested(
        tr("Answers interrupted when Tandem ended: %1. They can be continued.").arg(report.interruptedAnswers));
  }
}

void ChatPage::reportWriteFailure(const Error& error) {
  m_historyBanner->showMessage(
      Banner::Kind::Error, tr("Changes to your chats cannot be saved at the moment."),
      tr("%1 Nothing is lost while Tandem stays open: it tries again every two seconds.").arg(errorDetail(error)));
}

bool ChatPage::mayClose() {
  if (!m_store.writeError() || m_store.numUnsaved() == 0) return true;
  QMessageBox box(QMessageBox::Warning, tr("Changes are not saved"),
                  tr("Changes to your chats that could not be saved yet: %1.").arg(m_store.numUnsaved()),
                  QMessageBox::Discard | QMessageBox::Cancel, this);
  box.setInformativeText(errorDetail(*m_store.writeError()));
  box.setTextFormat(Qt::PlainText);
  box.button(QMessageBox::Discard)->setText(tr("Close and lose them"));
  box.setDefaultButton(QMessageBox::Cancel);
  return box.exec() == QMessageBox::Discard;
}

void ChatPage::focusFirst() {
  m_composer->focusEdit();
}

void ChatPage::retranslate() {
  m_newAction->setText(tr("New chat"));
  m_searchAction->setText(tr("Search chats"));
  m_stopAction->setText(tr("Stop the answer"));
  m_renameAction->setText(tr("Rename chat…"));
  m_deleteAction->setText(tr("Delete chat"));
  m_exportMarkdownAction->setText(tr("Export chat as Markdown…"));
  m_exportJsonAction->setText(tr("Export chat as JSON…"));
  m_importAction->setText(tr("Import chats…"));
  m_settingsAction->setText(tr("Settings of this chat"));
  m_toggleSettings->setToolTip(tr("System prompt and sampling of this chat (Ctrl+Shift+S)"));
  m_toggleSettings->setAccessibleName(tr("Settings of this chat"));
  m_view->setAccessibleName(tr("Messages"));
  m_panel->retranslate();
  m_composer->retranslate();
  m_settings->retranslate();
  m_welcome->retranslate();
  updateTitle();
  updateComposer();
}

}  // namespace tandem::gui
