#include "gui/chat/conversation_panel.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QShortcut>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/chat/conversation_delegate.h"
#include "gui/chat/conversation_list_model.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr int kMostHits = 100;

}  // namespace

ConversationPanel::ConversationPanel(ChatController& chats, QWidget* parent)
    : QWidget(parent),
      m_chats(chats),
      m_model(new ConversationListModel(this)),
      m_search(new QLineEdit(this)),
      m_new(new QPushButton(this)),
      m_more(new QToolButton(this)),
      m_list(new QListView(this)),
      m_empty(new QLabel(this)) {
  m_new->setIcon(icon(QStringLiteral("new-chat")));
  m_more->setIcon(icon(QStringLiteral("more")));
  m_search->setClearButtonEnabled(true);
  m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  m_search->installEventFilter(this);
  m_list->setModel(m_model);
  m_list->setItemDelegate(new ConversationDelegate(m_list));
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setStyleSheet(QStringLiteral("QListView { background: transparent; border: none; }"));
  m_list->setUniformItemSizes(false);
  m_list->setMouseTracking(true);
  m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_list->setContextMenuPolicy(Qt::CustomContextMenu);
  m_empty->setWordWrap(true);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setMargin(16);
  setTextRole(m_empty, TextRole::Muted);
  setMinimumWidth(200);

  auto* top = new QHBoxLayout;
  top->setContentsMargins(kGrid, kGrid, kGrid, 0);
  top->addWidget(m_new, 1);
  top->addWidget(m_more);
  auto* search = new QHBoxLayout;
  search->setContentsMargins(kGrid, 0, kGrid, 0);
  search->addWidget(m_search);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  layout->addLayout(top);
  layout->addLayout(search);
  layout->addWidget(m_list, 1);
  layout->addWidget(m_empty, 1);

  m_searchTimer.setSingleShot(true);
  m_searchTimer.setInterval(150);
  connect(&m_searchTimer, &QTimer::timeout, this, &ConversationPanel::refresh);
  connect(m_search, &QLineEdit::textChanged, &m_searchTimer, qOverload<>(&QTimer::start));
  connect(m_new, &QPushButton::clicked, &m_chats, &ChatController::startNew);
  connect(m_list, &QListView::clicked, this, &ConversationPanel::chooseRow);
  connect(m_list, &QListView::activated, this, &ConversationPanel::chooseRow);
  connect(m_list, &QListView::customContextMenuRequested, this,
          [this](const QPoint& place) { showMenu(m_list->viewport()->mapToGlobal(place)); });
  connect(m_more, &QToolButton::clicked, this, [this] { showMenu(m_more->mapToGlobal(QPoint(0, m_more->height()))); });
  auto* remove = new QShortcut(QKeySequence(Qt::Key_Delete), m_list, nullptr, nullptr, Qt::WidgetShortcut);
  connect(remove, &QShortcut::activated, this, &ConversationPanel::deleteChosen);
  auto* rename = new QShortcut(QKeySequence(Qt::Key_F2), m_list, nullptr, nullptr, Qt::WidgetShortcut);
  connect(rename, &QShortcut::activated, this, &ConversationPanel::renameChosen);
  connect(&m_chats, &ChatController::conversationsChanged, this, &ConversationPanel::refresh);
  connect(&m_chats, &ChatController::currentChanged, this, &ConversationPanel::applySelection);
  connect(&m_chats.store(), &HistoryStore::stateChanged, this, &ConversationPanel::refresh);
  refresh();
}

void ConversationPanel::focusSearch() {
  m_search->setFocus(Qt::ShortcutFocusReason);
  m_search->selectAll();
}

bool ConversationPanel::eventFilter(QObject* watched, QEvent* event) {
  const bool isOverride = event->type() == QEvent::ShortcutOverride;
  if (watched != m_search || (!isOverride && event->type() != QEvent::KeyPress)) return QWidget::eventFilter(watched, event);
  if (static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) return QWidget::eventFilter(watched, event);
  // Here Escape ends the search; the shortcut that stops an answer must not take it.
  if (isOverride) {
    event->accept();
  } else {
    m_search->clear();
    emit searchLeft();
  }
  return true;
}

void ConversationPanel::refresh() {
  const quint64 query = ++m_query;
  const QString typed = m_search->text().trimmed();
  const auto show = [this, typed](bool isEmpty) {
    m_list->setVisible(!isEmpty);
    m_empty->setVisible(isEmpty);
    m_empty->setText(typed.isEmpty() ? tr("Your chats will be listed here.") : tr("No chat contains “%1”.").arg(typed));
    QSet<HistoryId> generating;
    for (int row = 0; row < m_model->rowCount(); ++row) {
      const HistoryId id = m_model->index(row).data(ConversationListModel::ConversationIdRole).toLongLong();
      if (m_chats.isGenerating(id)) generating.insert(id);
    }
    m_model->setGenerating(generating);
    applySelection();
  };
  if (m_chats.store().state() != HistoryStore::State::Ready) {
    m_model->setConversations({});
    show(true);
    return;
  }
  if (typed.isEmpty()) {
    m_chats.store().listConversations(this, [this, query, show](const Result<QList<ConversationSummary>>& list) {
      if (query != m_query) return;
      if (!list) {
        emit failed(list.error());
        return;
      }
      m_model->setConversations(*list);
      show(list->isEmpty());
    });
    return;
  }
  m_chats.store().search(typed, kMostHits, this, [this, query, show](const Result<QList<SearchHit>>& hits) {
    if (query != m_query) return;
    if (!hits) {
      emit failed(hits.error());
      return;
    }
    m_model->setHits(*hits);
    show(hits->isEmpty());
  });
}

void ConversationPanel::applySelection() {
  const ChatSession* current = m_chats.current();
  if (current == nullptr) return;
  // Among search hits several rows may belong to it: the chosen one stays.
  const QModelIndex chosen = m_list->currentIndex();
  if (chosen.isValid() && chosen.data(ConversationListModel::ConversationIdRole).toLongLong() == current->id()) return;
  const int row = m_model->rowOf(current->id());
  if (row < 0) {
    m_list->selectionModel()->clear();
  } else {
    m_list->setCurrentIndex(m_model->index(row));
  }
}

void ConversationPanel::chooseRow(const QModelIndex& index) {
  const HistoryId conversation = index.data(ConversationListModel::ConversationIdRole).toLongLong();
  const HistoryId message = index.data(ConversationListModel::MessageIdRole).toLongLong();
  m_chats.open(conversation);
  if (message != 0) emit messageChosen(conversation, message);
}

HistoryId ConversationPanel::chosenId() const {
  const QModelIndex index = m_list->currentIndex();
  if (index.isValid()) return index.data(ConversationListModel::ConversationIdRole).toLongLong();
  const ChatSession* current = m_chats.current();
  return current != nullptr && current->isStored() ? current->id() : 0;
}

QString ConversationPanel::chosenTitle() const {
  const int row = m_model->rowOf(chosenId());
  return row >= 0 ? m_model->index(row).data(Qt::DisplayRole).toString() : QString();
}

void ConversationPanel::showMenu(const QPoint& place) {
  QMenu menu(this);
  if (chosenId() != 0) {
    menu.addAction(icon(QStringLiteral("edit")), tr("Rename…"), this, &ConversationPanel::renameChosen);
    menu.addAction(icon(QStringLiteral("export")), tr("Export as Markdown…"), this,
                   [this] { exportChosen(HistoryStore::ExportFormat::Markdown); });
    menu.addAction(icon(QStringLiteral("export")), tr("Export as JSON…"), this,
                   [this] { exportChosen(HistoryStore::ExportFormat::Json); });
    menu.addAction(icon(QStringLiteral("remove")), tr("Delete", "a chat"), this, &ConversationPanel::deleteChosen);
    menu.addSeparator();
  }
  menu.addAction(tr("Export all chats as JSON…"), this, &ConversationPanel::exportAll);
  menu.addAction(tr("Import chats…"), this, &ConversationPanel::importFile);
  menu.exec(place);
}

void ConversationPanel::renameChosen() {
  const HistoryId id = chosenId();
  if (id == 0) return;
  bool isAccepted = false;
  const QString title =
      QInputDialog::getText(this, tr("Rename chat"), tr("Name of the chat:"), QLineEdit::Normal, chosenTitle(), &isAccepted);
  if (isAccepted) m_chats.rename(id, title);
}

void ConversationPanel::deleteChosen() {
  if (const HistoryId id = chosenId(); id != 0) m_chats.deleteConversation(id);
}

void ConversationPanel::exportTo(const QList<HistoryId>& ids, HistoryStore::ExportFormat format, const QString& suggestedName) {
  const bool isJson = format == HistoryStore::ExportFormat::Json;
  static const QRegularExpression kNotForFiles(QStringLiteral("[/\\\\:*?\"<>|\\x00-\\x1f]"));
  QString name = suggestedName.left(60);
  name.replace(kNotForFiles, QStringLiteral("_"));
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  QString path = QFileDialog::getSaveFileName(
      this, tr("Export chats"), folder + QLatin1Char('/') + name + (isJson ? QStringLiteral(".json") : QStringLiteral(".md")),
      isJson ? tr("JSON files (*.json)") : tr("Markdown files (*.md)"));
  if (path.isEmpty()) return;
  m_chats.store().exportConversations(ids, format, path, this, [this, path](const Result<void>& done) {
    if (done) {
      emit statusMessageRequested(tr("Exported to %1").arg(path));
    } else {
      emit failed(done.error());
    }
  });
}

void ConversationPanel::exportChosen(HistoryStore::ExportFormat format) {
  if (const HistoryId id = chosenId(); id != 0) exportTo({id}, format, chosenTitle());
}

void ConversationPanel::exportAll() {
  m_chats.store().listConversations(this, [this](const Result<QList<ConversationSummary>>& list) {
    if (!list) {
      emit failed(list.error());
      return;
    }
    QList<HistoryId> ids;
    for (const ConversationSummary& c : *list) ids += c.id;
    exportTo(ids, HistoryStore::ExportFormat::Json, QStringLiteral("tandem-chats"));
  });
}

void ConversationPanel::importFile() {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Import chats"), QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation), tr("JSON files (*.json)"));
  if (path.isEmpty()) return;
  m_chats.store().importConversations(path, this, [this](const Result<QList<HistoryId>>& ids) {
    if (!ids) {
      emit failed(ids.error());
      return;
    }
    emit statusMessageRequested(tr("Chats imported: %1").arg(ids->size()));
    refresh();
  });
}

void ConversationPanel::retranslate() {
  m_new->setText(tr("New chat"));
  m_new->setToolTip(tr("Start a new chat (%1)").arg(QKeySequence(QKeySequence::New).toString(QKeySequence::NativeText)));
  m_more->setToolTip(tr("More: rename, export, import, delete"));
  m_more->setAccessibleName(tr("More about chats"));
  m_search->setPlaceholderText(tr("Search all chats"));
  m_search->setAccessibleName(tr("Search all chats"));
  m_list->setAccessibleName(tr("Chats"));
  refresh();
}

}  // namespace tandem::gui
