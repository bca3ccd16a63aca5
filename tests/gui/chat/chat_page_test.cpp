#include "gui/chat/chat_page.h"

#include <QAccessible>
#include <QInputMethodEvent>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>

#include "gui/chat/chat_view.h"
#include "gui/chat/composer.h"
#include "gui/chat/conversation_list_model.h"
#include "gui/chat/conversation_panel.h"
#include "gui/chat/text_rows.h"
#include "gui/widgets/banner.h"
#include "tests/gui/chat/chat_fixture.h"

using namespace tandem;
using namespace tandem::gui;
using namespace tandem::test;
using namespace std::chrono_literals;

class ChatPageTest : public QObject {
  Q_OBJECT

 private slots:
  void enterSendsAndShiftEnterDoesNot() {
    ChatFixture f;
    QVERIFY(f.start());
    ChatPage page(f.engine, *f.store);
    show(page);
    auto* edit = page.findChild<ComposerEdit*>();
    QTest::keyClicks(edit, QStringLiteral("Hi"));
    QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClicks(edit, QStringLiteral("there"));
    QCOMPARE(page.controller().current()->branch().size(), 0);
    QTest::keyClick(edit, Qt::Key_Return);
    ChatSession* session = page.controller().current();
    QCOMPARE(session->branch().size(), 2);
    QCOMPARE(session->message(session->branch()[0])->content, QStringLiteral("Hi\nthere"));
    QVERIFY(edit->toPlainText().isEmpty());
    QTRY_VERIFY(!session->isGenerating());
    QTRY_VERIFY(page.findChild<RichTextRow*>() != nullptr);
  }

  void enterOfAnInputMethodDoesNotSend() {
    ChatFixture f;
    QVERIFY(f.start());
    ChatPage page(f.engine, *f.store);
    show(page);
    auto* edit = page.findChild<ComposerEdit*>();
    edit->insertPlainText(QStringLiteral("a"));
    QInputMethodEvent preedit(QStringLiteral("ni hao"), {});
    QApplication::sendEvent(edit, &preedit);
    QTest::keyClick(edit, Qt::Key_Return);
    QCOMPARE(page.controller().current()->branch().size(), 0);
    QInputMethodEvent commit;
    commit.setCommitString(QStringLiteral("你好"));
    QApplication::sendEvent(edit, &commit);
    QTest::keyClick(edit, Qt::Key_Return);
    ChatSession* session = page.controller().current();
    QCOMPARE(session->message(session->branch()[0])->content, QStringLiteral("a你好"));
  }

  void escapeEndsTheSearch() {
    ChatFixture f;
    QVERIFY(f.start());
    ChatPage page(f.engine, *f.store);
    show(page);
    auto* panel = page.findChild<ConversationPanel*>();
    auto* search = panel->findChild<QLineEdit*>();
    panel->focusSearch();
    QTest::keyClicks(search, QStringLiteral("fox"));
    QTest::keyClick(search, Qt::Key_Escape);
    QVERIFY(search->text().isEmpty());
    QVERIFY(page.findChild<ComposerEdit*>()->hasFocus());
  }

  void withoutAModelTheReasonAndAWayOutAreShown() {
    ChatFixture f;
    ChatPage page(f.engine, *f.store);
    show(page);
    QTRY_COMPARE(f.store->state(), HistoryStore::State::Ready);
    auto* composer = page.findChild<Composer*>();
    QVERIFY(composer->isBlocked());
    QSignalSpy requested(&page, &Page::pageRequested);
    for (QPushButton* button : composer->findChildren<QPushButton*>()) {
      if (button->isVisible()) button->click();
    }
    QCOMPARE(requested.size(), 1);
    QCOMPARE(requested[0][0].toString(), QStringLiteral("models"));
    f.engine.loadModel(QStringLiteral("fake.gguf"), {});
    QTRY_VERIFY(!composer->isBlocked());
  }

  void deletedChatIsOfferedBack() {
    ChatFixture f;
    QVERIFY(f.start());
    ChatPage page(f.engine, *f.store);
    show(page);
    page.controller().send(page.controller().current(), QStringLiteral("Keep me"));
    QTRY_VERIFY(!page.controller().current()->isGenerating());
    const HistoryId id = page.controller().current()->id();
    page.controller().deleteConversation(id);
    auto* list = page.findChild<QListView*>();
    QTRY_COMPARE(list->model()->rowCount(), 0);
    QPushButton* undo = nullptr;
    for (Banner* banner : page.findChildren<Banner*>()) {
      if (banner->isVisible()) undo = banner->findChild<QPushButton*>();
    }
    QVERIFY(undo != nullptr);
    undo->click();
    QTRY_COMPARE(list->model()->rowCount(), 1);
    QTRY_COMPARE(page.controller().current()->id(), id);
    QCOMPARE(f.stored(id).messages.size(), 2);
  }

  void searchShowsHitsWithTheirSnippets() {
    ChatFixture f;
    QVERIFY(f.start());
    ChatPage page(f.engine, *f.store);
    show(page);
    page.controller().send(page.controller().current(), QStringLiteral("关于键值缓存的问题"));
    QTRY_VERIFY(!page.controller().current()->isGenerating());
    page.controller().startNew();
    auto* list = page.findChild<QListView*>();
    auto* search = page.findChild<ConversationPanel*>()->findChild<QLineEdit*>();
    search->setText(QStringLiteral("缓存"));
    QTRY_COMPARE(list->model()->rowCount(), 2);  // title and message
    QVERIFY(list->model()->index(1, 0).data(ConversationListModel::SnippetRole).toString().contains(kMatchStart));
    search->setText(QStringLiteral("nowhere"));
    QTRY_COMPARE(list->model()->rowCount(), 0);
    search->clear();
    QTRY_COMPARE(list->model()->rowCount(), 1);
  }

  void editIsSentAsANewVersionAndCancelBringsTheDraftBack() {
    ChatFixture f;
    QVERIFY(f.start());
    ChatPage page(f.engine, *f.store);
    show(page);
    ChatController& chats = page.controller();
    chats.send(chats.current(), QStringLiteral("old words"));
    QTRY_VERIFY(!chats.current()->isGenerating());
    auto* composer = page.findChild<Composer*>();
    auto* view = page.findChild<ChatView*>();
    composer->setText(QStringLiteral("my draft"));
    const HistoryId question = chats.current()->branch()[0];
    emit view->actionRequested(RowAction::Edit, question);
    QCOMPARE(composer->text(), QStringLiteral("old words"));
    QVERIFY(composer->isEditing());
    QTest::keyClick(page.findChild<ComposerEdit*>(), Qt::Key_Escape);
    QVERIFY(!composer->isEditing());
    QCOMPARE(composer->text(), QStringLiteral("my draft"));
    emit view->actionRequested(RowAction::Edit, question);
    composer->setText(QStringLiteral("new words"));
    QTest::keyClick(page.findChild<ComposerEdit*>(), Qt::Key_Return);
    QCOMPARE(chats.current()->siblings(question).size(), 2);
    QCOMPARE(composer->text(), QStringLiteral("my draft"));
  }

  void damagedHistoryIsToldInABanner() {
    ChatFixture f;
    QTRY_COMPARE(f.store->state(), HistoryStore::State::Ready);
    const QString path = f.store->path();
    f.store.reset();
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    file.write(QByteArray(4096, 'x'));
    file.close();
    f.store = std::make_unique<HistoryStore>(path);
    ChatPage page(f.engine, *f.store);
    show(page);
    QTRY_COMPARE(f.store->state(), HistoryStore::State::Ready);
    bool isTold = false;
    for (Banner* banner : page.findChildren<Banner*>()) {
      isTold = isTold || (banner->isVisible() && banner->detail().contains(f.store->report().damagedCopy));
    }
    QVERIFY(isTold);
  }

  void longChatHasFewWidgetsAndFollowsItsEnd() {
    ChatView view;
    view.resize(800, 600);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QList<RowContent> rows;
    for (int i = 0; i < 4000; ++i) {
      RowContent row;
      row.messageId = i / 10 + 1;
      row.part = i % 10;
      row.text =
          QStringLiteral("<p>Paragraph %1 ").arg(i) + QStringLiteral("with words ").repeated(20) + QStringLiteral("</p>");
      rows += row;
    }
    view.setRows(rows);
    view.scrollToEnd();
    QVERIFY2(view.numWidgets() < 60, qPrintable(QString::number(view.numWidgets())));
    QScrollBar* bar = view.verticalScrollBar();
    QCOMPARE(bar->value(), bar->maximum());
    QVERIFY(view.rowWidget(3999) != nullptr);

    rows.last().text += QStringLiteral("<p>more</p>").repeated(30);
    view.replaceMessage(400, rows.mid(3990));
    QCOMPARE(bar->value(), bar->maximum());

    // Away from the end, what is read stays where it is while text arrives.
    bar->setValue(bar->maximum() / 2);
    const int value = bar->value();
    rows.last().text += QStringLiteral("<p>more</p>").repeated(30);
    view.replaceMessage(400, rows.mid(3990));
    QCOMPARE(bar->value(), value);
    QVERIFY(view.numWidgets() < 120);
  }

  void rowInViewKeepsItsPlaceWhenRowsAboveAreMeasured() {
    ChatView view;
    view.resize(800, 600);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QList<RowContent> rows;
    for (int i = 0; i < 300; ++i) {
      RowContent row;
      row.messageId = i + 1;
      row.text = QStringLiteral("<p>%1</p>").arg(i) + QStringLiteral("<p>x</p>").repeated(i % 7);
      rows += row;
    }
    view.setRows(rows);
    view.scrollToEnd();
    QScrollBar* bar = view.verticalScrollBar();
    ChatRow* watched = nullptr;
    for (int step = 0; step < 40; ++step) {
      watched = nullptr;
      for (qsizetype i = 0; i < view.numRows(); ++i) {
        ChatRow* widget = view.rowWidget(i);
        if (widget != nullptr && widget->y() >= 50 && widget->y() < 300) watched = widget;
      }
      QVERIFY(watched != nullptr);
      const int before = watched->y();
      bar->setValue(bar->value() - 40);
      QCOMPARE(watched->y(), before + 40);
    }
  }

  void everyVisibleControlHasAName() {
    ChatFixture f;
    QVERIFY(f.start());
    ChatPage page(f.engine, *f.store);
    show(page);
    page.controller().send(page.controller().current(), QStringLiteral("Hi"));
    QTRY_VERIFY(!page.controller().current()->isGenerating());
    for (QWidget* widget : page.findChildren<QWidget*>()) {
      if (!widget->isVisible() || (widget->focusPolicy() & Qt::TabFocus) == 0) continue;
      QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
      QVERIFY(accessible != nullptr);
      QVERIFY2(!accessible->text(QAccessible::Name).isEmpty(),
               qPrintable(QStringLiteral("%1 %2").arg(QLatin1String(widget->metaObject()->className()), widget->objectName())));
    }
  }

 private:
  static void show(ChatPage& page) {
    page.retranslate();
    page.resize(1200, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
  }
};

QTEST_MAIN(ChatPageTest)
#include "chat_page_test.moc"
