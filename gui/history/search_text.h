// How text is prepared for FTS5's unicode61 tokenizer, so that Chinese can be searched by any part of a word.
//
// unicode61 takes a run of letters as one token, and Chinese has no spaces: the whole sentence would be one token. So a
// separator is put between CJK characters, in the index and in the query, and a query term becomes a phrase. The separator
// is U+200B, which unicode61 splits at and which leaves a snippet readable once it is removed.
#pragma once

#include <QString>

namespace tandem::gui {

QString segmentForSearch(const QString& text);
// Undoes segmentForSearch; zero-width spaces of the original are lost too.
QString joinSegments(QString text);
// An FTS5 query: every white-space separated term as a phrase whose last token may go on. Nothing the user types is taken
// as query syntax. Empty when nothing could match.
QString searchQuery(const QString& typed);

}  // namespace tandem::gui
