#include "gui/history/schema.h"

namespace tandem::gui {

const QList<QStringList>& historyMigrations() {
  static const QList<QStringList> kMigrations{
      // 1
      {
          QStringLiteral(R"(CREATE TABLE conversation(
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  titled_by_user INTEGER NOT NULL DEFAULT 0,
  system_prompt TEXT NOT NULL DEFAULT '',
  settings TEXT NOT NULL DEFAULT '{}',
  head_id INTEGER,                     -- leaf of the shown branch; no foreign key: it would be circular
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  deleted_ms INTEGER                   -- waiting for its undo time to pass
) STRICT)"),
          QStringLiteral(R"(CREATE TABLE message(
  id INTEGER PRIMARY KEY,
  conversation_id INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
  parent_id INTEGER REFERENCES message(id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK(role IN ('user', 'assistant')),
  status TEXT NOT NULL CHECK(status IN ('complete', 'streaming', 'stopped', 'length', 'interrupted', 'failed')),
  content TEXT NOT NULL DEFAULT '',
  reasoning TEXT NOT NULL DEFAULT '',
  starts_context INTEGER NOT NULL DEFAULT 0,
  error_code INTEGER,
  error_detail TEXT,
  model_name TEXT NOT NULL DEFAULT '',
  prompt_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  ttft_ms REAL NOT NULL DEFAULT 0,
  total_ms REAL NOT NULL DEFAULT 0,
  queue_ms REAL NOT NULL DEFAULT 0,
  seed TEXT NOT NULL DEFAULT '0',      -- 64 bits without a sign do not fit INTEGER
  created_ms INTEGER NOT NULL
) STRICT)"),
          QStringLiteral("CREATE INDEX message_by_conversation ON message(conversation_id, id)"),
          QStringLiteral("CREATE INDEX message_by_parent ON message(parent_id)"),
          QStringLiteral("CREATE INDEX conversation_by_update ON conversation(updated_ms)"),
          // Streamed text lands here, and is folded into its message at the end: appending to the message itself would
          // rewrite the whole answer several times a second.
          QStringLiteral(R"(CREATE TABLE stream_chunk(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
  is_reasoning INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT)"),
          QStringLiteral("CREATE INDEX stream_chunk_by_message ON stream_chunk(message_id, id)"),
          // rowid = id of the message or conversation; text as segmentForSearch() makes it.
          QStringLiteral("CREATE VIRTUAL TABLE message_search USING fts5(body, tokenize = 'unicode61 remove_diacritics 2')"),
          QStringLiteral("CREATE VIRTUAL TABLE title_search USING fts5(title, tokenize = 'unicode61 remove_diacritics 2')"),
      },
  };
  return kMigrations;
}

}  // namespace tandem::gui
