// Markdown of an answer as pieces the chat view can show one by one, kept up to date while the text arrives.
//
// CommonMark with GitHub's tables, strikethrough, task lists and autolinks, by cmark-gfm. What the model writes is untrusted:
// HTML in it is shown as text, images become links, and nothing is ever fetched.
#pragma once

#include <QList>
#include <QString>

namespace tandem::gui {

struct MarkdownPiece {
  enum class Kind { RichText, Code };
  Kind kind = Kind::RichText;
  QString text;      // RichText: HTML of QTextDocument's subset; Code: the code, without its last newline
  QString language;  // Code: the word behind the fence, may be empty
  bool operator==(const MarkdownPiece&) const = default;
};

// Text grows at its end; only its last blocks are parsed again. Pieces equal those of the whole text parsed at once, as long as
// no link refers to a definition in another block.
class MarkdownStream {
 public:
  void append(const QString& text);
  const QString& source() const { return m_source; }
  // Neighbouring blocks of rich text share a piece up to about 1500 characters of source, so that text can be selected across
  // paragraphs and a long answer still consists of small pieces.
  const QList<MarkdownPiece>& pieces() const { return m_pieces; }

 private:
  struct Block {
    MarkdownPiece piece;
    qsizetype start = 0;  // in the text that was parsed
    qsizetype sourceChars = 0;
  };
  static QList<Block> parseBlocks(const QString& text);
  // Adds to the last piece where it has room for so many characters of source, or starts a new one.
  static void join(QList<MarkdownPiece>& pieces, qsizetype& room, const Block& block);

  QString m_source;
  qsizetype m_stableChars = 0;    // of m_source: blocks before here are final
  QList<MarkdownPiece> m_stable;  // of those
  qsizetype m_room = 0;           // in the last of them
  QList<MarkdownPiece> m_pieces;
};

// The whole text at once.
QList<MarkdownPiece> renderMarkdown(const QString& source);

// What a click on a link may do.
enum class LinkAction { Open, AskFirst, Refuse };
// http and https open; mailto and other harmless schemes ask; scripts, data and files of this machine are refused.
LinkAction linkAction(const QString& address);

}  // namespace tandem::gui
