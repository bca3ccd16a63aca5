#include "gui/chat/markdown.h"

#include <QUrl>
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <memory>
#include <mutex>

namespace tandem::gui {
namespace {

constexpr qsizetype kPieceChars = 1500;

struct NodeDeleter {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
using Document = std::unique_ptr<cmark_node, NodeDeleter>;

Document parse(const QByteArray& utf8) {
  static std::once_flag registered;
  std::call_once(registered, cmark_gfm_core_extensions_ensure_registered);
  cmark_parser* parser = cmark_parser_new(CMARK_OPT_DEFAULT | CMARK_OPT_VALIDATE_UTF8);
  for (const char* name : {"table", "strikethrough", "autolink", "tasklist"}) {
    if (cmark_syntax_extension* extension = cmark_find_syntax_extension(name)) {
      cmark_parser_attach_syntax_extension(parser, extension);
    }
  }
  cmark_parser_feed(parser, utf8.constData(), size_t(utf8.size()));
  Document document(cmark_parser_finish(parser));
  cmark_parser_free(parser);
  return document;
}

QString literal(cmark_node* node) {
  return QString::fromUtf8(cmark_node_get_literal(node));
}

QString escaped(const QString& text) {
  return text.toHtmlEscaped();
}

bool isType(cmark_node* node, const char* name) {
  return qstrcmp(cmark_node_get_type_string(node), name) == 0;
}

// HTML being written, and how deep in the tree.
struct Html {
  QString text;
  int depth = 0;
};
// Deeper nesting is no text for people, and would cost stack here and time in QTextDocument.
constexpr int kMaxDepth = 60;

void renderChildren(cmark_node* node, Html& out, bool tight);

void renderLink(cmark_node* node, Html& out, bool isImage) {
  const QString address = QString::fromUtf8(cmark_node_get_url(node));
  Html inner{{}, out.depth};
  renderChildren(node, inner, true);
  QString label = inner.text;
  if (isImage) label = QStringLiteral("🖼 ") + (label.isEmpty() ? escaped(address) : label);
  if (linkAction(address) == LinkAction::Refuse) {
    out.text += label;
    return;
  }
  out.text += QStringLiteral("<a href=\"%1\">%2</a>").arg(escaped(address), label);
}

void renderTable(cmark_node* table, Html& out) {
  const uint8_t* alignments = cmark_gfm_extensions_get_table_alignments(table);
  const int numColumns = cmark_gfm_extensions_get_table_columns(table);
  out.text += QStringLiteral("<table class=\"data\" border=\"1\" cellspacing=\"0\" cellpadding=\"5\">");
  for (cmark_node* row = cmark_node_first_child(table); row != nullptr; row = cmark_node_next(row)) {
    const bool isHeader = cmark_gfm_extensions_get_table_row_is_header(row) != 0;
    out.text += QStringLiteral("<tr>");
    int column = 0;
    for (cmark_node* cell = cmark_node_first_child(row); cell != nullptr; cell = cmark_node_next(cell), ++column) {
      const uint8_t alignment = column < numColumns ? alignments[column] : 0;
      const char* word = alignment == 'r' ? "right" : alignment == 'c' ? "center" : "left";
      const QString tag = isHeader ? QStringLiteral("th") : QStringLiteral("td");
      out.text += QStringLiteral("<%1 align=\"%2\">").arg(tag, QLatin1String(word));
      renderChildren(cell, out, true);
      out.text += QStringLiteral("</%1>").arg(tag);
    }
    out.text += QStringLiteral("</tr>");
  }
  out.text += QStringLiteral("</table>");
}

void renderList(cmark_node* list, Html& out) {
  const bool isOrdered = cmark_node_get_list_type(list) == CMARK_ORDERED_LIST;
  const int start = cmark_node_get_list_start(list);
  if (isOrdered && start != 1) {
    out.text += QStringLiteral("<ol start=\"%1\">").arg(start);
  } else {
    out.text += isOrdered ? QStringLiteral("<ol>") : QStringLiteral("<ul>");
  }
  const bool tight = cmark_node_get_list_tight(list) != 0;
  for (cmark_node* item = cmark_node_first_child(list); item != nullptr; item = cmark_node_next(item)) {
    out.text += QStringLiteral("<li>");
    if (isType(item, "tasklist")) out.text += cmark_gfm_extensions_get_tasklist_item_checked(item) ? u"☑ " : u"☐ ";
    renderChildren(item, out, tight);
    out.text += QStringLiteral("</li>");
  }
  out.text += isOrdered ? QStringLiteral("</ol>") : QStringLiteral("</ul>");
}

void wrap(cmark_node* node, Html& out, const QString& tag) {
  out.text += QLatin1Char('<') + tag + QLatin1Char('>');
  renderChildren(node, out, true);
  out.text += QStringLiteral("</") + tag + QLatin1Char('>');
}

void renderNode(cmark_node* node, Html& out, bool tight) {
  switch (cmark_node_get_type(node)) {
    case CMARK_NODE_TEXT: out.text += escaped(literal(node)); return;
    case CMARK_NODE_SOFTBREAK: out.text += QLatin1Char('\n'); return;
    case CMARK_NODE_LINEBREAK: out.text += QStringLiteral("<br>"); return;
    case CMARK_NODE_CODE: out.text += QStringLiteral("<code>%1</code>").arg(escaped(literal(node))); return;
    case CMARK_NODE_HTML_INLINE: out.text += escaped(literal(node)); return;
    case CMARK_NODE_EMPH: return wrap(node, out, QStringLiteral("em"));
    case CMARK_NODE_STRONG: return wrap(node, out, QStringLiteral("strong"));
    case CMARK_NODE_LINK: return renderLink(node, out, false);
    case CMARK_NODE_IMAGE: return renderLink(node, out, true);
    case CMARK_NODE_PARAGRAPH:
      if (!tight) return wrap(node, out, QStringLiteral("p"));
      renderChildren(node, out, true);
      if (cmark_node* next = cmark_node_next(node); next != nullptr && cmark_node_get_type(next) == CMARK_NODE_PARAGRAPH)
        out.text += QStringLiteral("<br>");
      return;
    case CMARK_NODE_HEADING:
      // Answers like to start with #: three sizes are enough in a chat.
      return wrap(node, out, QStringLiteral("h%1").arg(qMin(cmark_node_get_heading_level(node) + 2, 5)));
    case CMARK_NODE_THEMATIC_BREAK: out.text += QStringLiteral("<hr>"); return;
    case CMARK_NODE_BLOCK_QUOTE:
      out.text += QStringLiteral("<blockquote>");
      renderChildren(node, out, false);
      out.text += QStringLiteral("</blockquote>");
      return;
    case CMARK_NODE_CODE_BLOCK:
    case CMARK_NODE_HTML_BLOCK:  // inside a list or quote; at the top level they are pieces of their own
      out.text += QStringLiteral("<pre>%1</pre>").arg(escaped(literal(node)));
      return;
    case CMARK_NODE_LIST: return renderList(node, out);
    default: break;
  }
  if (isType(node, "table")) return renderTable(node, out);
  if (isType(node, "strikethrough")) return wrap(node, out, QStringLiteral("s"));
  renderChildren(node, out, tight);
}

void renderChildren(cmark_node* node, Html& out, bool tight) {
  if (out.depth >= kMaxDepth) {
    out.text += QStringLiteral("…");
    return;
  }
  ++out.depth;
  for (cmark_node* child = cmark_node_first_child(node); child != nullptr; child = cmark_node_next(child)) {
    renderNode(child, out, tight);
  }
  --out.depth;
}

MarkdownPiece pieceOf(cmark_node* block) {
  MarkdownPiece piece;
  if (cmark_node_get_type(block) == CMARK_NODE_CODE_BLOCK) {
    piece.kind = MarkdownPiece::Kind::Code;
    piece.text = literal(block);
    if (piece.text.endsWith(QLatin1Char('\n'))) piece.text.chop(1);
    piece.language = QString::fromUtf8(cmark_node_get_fence_info(block)).section(QLatin1Char(' '), 0, 0);
    return piece;
  }
  if (cmark_node_get_type(block) == CMARK_NODE_HTML_BLOCK) {
    piece.text =
        QStringLiteral("<p>%1</p>").arg(escaped(literal(block).trimmed()).replace(QLatin1Char('\n'), QLatin1String("<br>")));
    return piece;
  }
  Html html;
  renderNode(block, html, false);
  piece.text = html.text;
  return piece;
}

// Offsets of the starts of lines, as cmark counts them: \n, \r or \r\n end a line.
QList<qsizetype> lineStarts(const QString& text) {
  QList<qsizetype> starts{0};
  for (qsizetype i = 0; i < text.size(); ++i) {
    const QChar c = text.at(i);
    if (c == QLatin1Char('\r') && i + 1 < text.size() && text.at(i + 1) == QLatin1Char('\n')) continue;
    if (c == QLatin1Char('\n') || c == QLatin1Char('\r')) starts += i + 1;
  }
  return starts;
}

}  // namespace

QList<MarkdownStream::Block> MarkdownStream::parseBlocks(const QString& text) {
  const Document document = parse(text.toUtf8());
  const QList<qsizetype> starts = lineStarts(text);
  QList<Block> blocks;
  for (cmark_node* node = cmark_node_first_child(document.get()); node != nullptr; node = cmark_node_next(node)) {
    const int line = cmark_node_get_start_line(node);
    blocks += Block{pieceOf(node), line >= 1 && line <= starts.size() ? starts[line - 1] : 0, 0};
  }
  for (qsizetype i = 0; i < blocks.size(); ++i) {
    blocks[i].sourceChars = (i + 1 < blocks.size() ? blocks[i + 1].start : text.size()) - blocks[i].start;
  }
  return blocks;
}

void MarkdownStream::append(const QString& text) {
  if (text.isEmpty()) return;
  m_source += text;
  // Blocks before the last are closed, and what follows cannot change them. That holds for whole lines only: "7" ends a list
  // that "7." goes on with.
  if (const qsizetype lineEnd = text.lastIndexOf(QLatin1Char('\n')); lineEnd >= 0) {
    const qsizetype wholeLines = m_source.size() - text.size() + lineEnd + 1;
    const QList<Block> blocks = parseBlocks(m_source.mid(m_stableChars, wholeLines - m_stableChars));
    qsizetype open = blocks.size() - 1;
    // cmark-gfm gives a table the first line of the paragraph before it: these two stay together.
    while (open > 0 && blocks[open].start <= blocks[open - 1].start) --open;
    for (qsizetype i = 0; i < open; ++i) join(m_stable, m_room, blocks[i]);
    if (open > 0) m_stableChars += blocks[open].start;
  }
  m_pieces = m_stable;
  qsizetype room = m_room;
  for (const Block& block : parseBlocks(m_source.mid(m_stableChars))) join(m_pieces, room, block);
}

void MarkdownStream::join(QList<MarkdownPiece>& pieces, qsizetype& room, const Block& block) {
  const bool isRich = block.piece.kind == MarkdownPiece::Kind::RichText;
  if (isRich && !pieces.isEmpty() && room > 0 && block.sourceChars <= room) {
    pieces.last().text += block.piece.text;
    room -= block.sourceChars;
    return;
  }
  pieces += block.piece;
  room = isRich ? kPieceChars - block.sourceChars : 0;
}

QList<MarkdownPiece> renderMarkdown(const QString& source) {
  MarkdownStream stream;
  stream.append(source);
  return stream.pieces();
}

LinkAction linkAction(const QString& address) {
  const QUrl url(address.trimmed(), QUrl::TolerantMode);
  const QString scheme = url.scheme().toLower();
  if (!url.isValid() || scheme.isEmpty()) return LinkAction::Refuse;
  if (scheme == QLatin1String("http") || scheme == QLatin1String("https")) {
    return url.host().isEmpty() ? LinkAction::Refuse : LinkAction::Open;
  }
  for (const char* refused : {"javascript", "vbscript", "data", "file", "about", "blob", "qrc"}) {
    if (scheme == QLatin1String(refused)) return LinkAction::Refuse;
  }
  return LinkAction::AskFirst;
}

}  // namespace tandem::gui
