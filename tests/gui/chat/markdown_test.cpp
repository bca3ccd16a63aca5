#include "gui/chat/markdown.h"

#include <QTest>

using namespace tandem::gui;

class MarkdownTest : public QObject {
  Q_OBJECT

 private slots:
  void incrementalEqualsWhole_data() {
    QTest::addColumn<QString>("source");
    QTest::newRow("paragraphs") << QStringLiteral("One.\n\nTwo *em* **strong** `code`.\nsame\n\n\nThree");
    QTest::newRow("code") << QStringLiteral("Text\n```cpp\nint main() {\n\n}\n```\nafter\n\n~~~\nopen fence\n");
    QTest::newRow("lists") << QStringLiteral(
        "- a\n- b\n  - c\n\n- loose\n\n1. one\n2. two\n\n7. seven\n- [x] done\n- [ ] open\n");
    QTest::newRow("table") << QStringLiteral("Before\n\n| a | b |\n|:--|--:|\n| 1 | *2* |\n| 3 | 4 |\n\nAfter");
    QTest::newRow("table after paragraph") << QStringLiteral("para\n| a | b |\n|---|---|\n| 1 | 2 |\nend");
    QTest::newRow("headings") << QStringLiteral("# A\nB\n===\ntext\n## C\n---\nrule\n\n***\n");
    QTest::newRow("quote") << QStringLiteral("> quote\n> more\nlazy\n\n> other\n\n    indented\n\n    code\n");
    QTest::newRow("html") << QStringLiteral("<div>\nraw\n</div>\n\na <b>bold</b> <!-- c -->\n");
    QTest::newRow("crlf") << QStringLiteral("One\r\n\r\n- a\r\n- b\r\n\r\n```\r\ncode\r\n```\r\n");
    QTest::newRow("Chinese and emoji") << QStringLiteral("你好,**世界**。\n\n- 👩‍💻 一\n- 二\n\n`代码`\n");
    QString longText;
    for (int i = 0; i < 40; ++i) longText += QStringLiteral("Paragraph %1 with some words to fill the line.\n\n").arg(i);
    QTest::newRow("several pieces") << longText;
  }
  void incrementalEqualsWhole() {
    QFETCH(QString, source);
    const QList<MarkdownPiece> whole = renderMarkdown(source);
    for (const int step : {1, 2, 7, 64}) {
      MarkdownStream stream;
      for (qsizetype i = 0; i < source.size(); i += step) stream.append(source.mid(i, step));
      QCOMPARE(stream.source(), source);
      QCOMPARE(stream.pieces().size(), whole.size());
      for (qsizetype i = 0; i < whole.size(); ++i) {
        QCOMPARE(stream.pieces()[i].text, whole[i].text);
        QCOMPARE(stream.pieces()[i].language, whole[i].language);
        QVERIFY(stream.pieces()[i].kind == whole[i].kind);
      }
    }
  }

  void codeIsAPieceOfItsOwnWithItsLanguage() {
    const auto pieces = renderMarkdown(QStringLiteral("a\n\n```python title=x\nprint(\"<b>\")\n```\nb"));
    QCOMPARE(pieces.size(), 3);
    QVERIFY(pieces[1].kind == MarkdownPiece::Kind::Code);
    QCOMPARE(pieces[1].language, QStringLiteral("python"));
    QCOMPARE(pieces[1].text, QStringLiteral("print(\"<b>\")"));
  }

  void htmlOfTheModelIsShownAsText_data() {
    QTest::addColumn<QString>("source");
    for (const char* source :
         {"<img src=\"http://x/y.png\">", "a <script>alert(1)</script>", "<iframe src='file:///etc/passwd'>\n</iframe>",
          "![tracking](http://evil/p.png)", "![x](file:///etc/passwd)", "[a](javascript:alert(1))", "<b onclick='x'>t</b>",
          "| <img src=x> |\n|---|\n| <img src=y> |", "- <img src=z>", "[x](http://a/\"><img src=q>)"}) {
      QTest::addRow("%s", qPrintable(QString::fromUtf8(source).simplified())) << QString::fromUtf8(source);
    }
  }
  void htmlOfTheModelIsShownAsText() {
    QFETCH(QString, source);
    for (const MarkdownPiece& piece : renderMarkdown(source)) {
      for (const char* tag : {"<img", "<script", "<iframe", "<b ", "javascript:", "href=\"file"}) {
        QVERIFY2(!piece.text.contains(QLatin1String(tag)), qPrintable(piece.text));
      }
    }
  }

  void linksAreJudgedByTheirScheme_data() {
    QTest::addColumn<QString>("address");
    QTest::addColumn<int>("action");
    const auto row = [](const char* address, LinkAction action) {
      QTest::newRow(address) << QString::fromUtf8(address) << int(action);
    };
    row("https://example.org/a?b=c", LinkAction::Open);
    row("HTTP://example.org", LinkAction::Open);
    row("mailto:a@example.org", LinkAction::AskFirst);
    row("vscode://file/x", LinkAction::AskFirst);
    row("javascript:alert(1)", LinkAction::Refuse);
    row(" JavaScript:alert(1)", LinkAction::Refuse);
    row("file:///etc/passwd", LinkAction::Refuse);
    row("data:text/html,x", LinkAction::Refuse);
    row("relative/path", LinkAction::Refuse);
    row("https:", LinkAction::Refuse);
    row("", LinkAction::Refuse);
  }
  void linksAreJudgedByTheirScheme() {
    QFETCH(QString, address);
    QFETCH(int, action);
    QCOMPARE(int(linkAction(address)), action);
  }

  void deepNestingIsCut() {
    const auto pieces = renderMarkdown(QStringLiteral(">").repeated(5000) + QStringLiteral(" deep"));
    QCOMPARE(pieces.size(), 1);
    QVERIFY(pieces[0].text.count(QStringLiteral("<blockquote>")) < 100);
  }
};

QTEST_GUILESS_MAIN(MarkdownTest)
#include "markdown_test.moc"
