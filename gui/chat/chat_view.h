// ChatView: the messages of a conversation, as rows of which only those near the visible part exist as widgets.
//
// A row that was never shown has an estimated height; when it is measured, the row at the top of the view stays where it is.
// While the end is in view, the view follows the text that is added there.
#pragma once

#include <QAbstractScrollArea>
#include <QList>

#include "gui/chat/chat_row.h"

class QToolButton;

namespace tandem::gui {

class ChatView : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit ChatView(QWidget* parent = nullptr);

  // Rows that were there before keep their widgets and their place.
  void setRows(const QList<RowContent>& rows);
  // The same for the rows of one message; nothing happens when it has none.
  void replaceMessage(HistoryId messageId, const QList<RowContent>& rows);
  void scrollToEnd();
  void scrollToMessage(HistoryId messageId);
  bool isAtEnd() const { return m_followsEnd; }

  qsizetype numRows() const { return m_rows.size(); }
  const RowContent& rowContent(qsizetype row) const { return m_rows[row].content; }
  // Null while the row is far from the visible part.
  ChatRow* rowWidget(qsizetype row) const { return m_rows[row].widget; }
  int numWidgets() const;

 signals:
  void actionRequested(tandem::gui::RowAction action, tandem::gui::HistoryId messageId);
  void linkActivated(const QString& address);
  void linkHovered(const QString& address);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct Row {
    RowContent content;
    ChatRow* widget = nullptr;
    int height = 0;
    bool isMeasured = false;  // at the present width
  };

  void mergeRows(qsizetype first, qsizetype count, const QList<RowContent>& rows);
  int estimateHeight(const RowContent& content) const;
  int columnWidth() const;
  void relayout();
  void placeRows();
  void makeWidget(Row& row);
  void dropWidget(Row& row);
  void dropAllWidgets();
  void placeEndButton();

  QList<Row> m_rows;
  QList<int> m_tops;  // of each row, and the end of the last
  int m_width = 0;
  bool m_followsEnd = true;
  bool m_isPlacing = false;
  HistoryId m_wantedMessage = 0;  // to be scrolled to once there is a layout
  QToolButton* m_toEnd;
};

}  // namespace tandem::gui
