#include "gui/chat/chat_view.h"

#include <QEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>

#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {
namespace {

constexpr int kMaxColumn = 820;
constexpr int kMargin = 24;
constexpr int kTopMargin = 16;
// Widgets exist within so many screens of the visible part, and are given back beyond the second number.
constexpr double kMakeWithin = 0.5;
constexpr double kKeepWithin = 2.0;
constexpr int kEndSlack = 24;

}  // namespace

ChatView::ChatView(QWidget* parent) : QAbstractScrollArea(parent), m_toEnd(new QToolButton(this)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setStyleSheet(QStringLiteral("tandem--gui--ChatView { background: transparent; border: none; }"));
  viewport()->setAutoFillBackground(false);
  setFocusPolicy(Qt::StrongFocus);
  m_toEnd->setIcon(icon(QStringLiteral("chevron-down")));
  m_toEnd->setIconSize({20, 20});
  m_toEnd->setAutoFillBackground(true);
  m_toEnd->setToolTip(tr("To the newest message"));
  m_toEnd->setAccessibleName(m_toEnd->toolTip());
  m_toEnd->hide();
  connect(m_toEnd, &QToolButton::clicked, this, &ChatView::scrollToEnd);
}

int ChatView::columnWidth() const {
  return qMax(160, qMin(viewport()->width() - 2 * kMargin, kMaxColumn));
}

int ChatView::numWidgets() const {
  return int(std::count_if(m_rows.cbegin(), m_rows.cend(), [](const Row& row) { return row.widget != nullptr; }));
}

int ChatView::estimateHeight(const RowContent& content) const {
  const int line = fontMetrics().lineSpacing();
  const int charsPerLine = qMax(20, m_width / qMax(1, fontMetrics().averageCharWidth()));
  switch (content.kind) {
    case RowContent::Kind::Question:
    case RowContent::Kind::RichText: {
      const qsizetype lines =
          qMin<qsizetype>(content.text.size(), 6000) / charsPerLine + content.text.count(QLatin1Char('\n')) + 1;
      return int(lines) * line + 24;
    }
    case RowContent::Kind::Code: return int(content.text.count(QLatin1Char('\n')) + 3) * line + 24;
    default: return 2 * line + 8;
  }
}

void ChatView::setRows(const QList<RowContent>& rows) {
  mergeRows(0, m_rows.size(), rows);
  relayout();
}

void ChatView::replaceMessage(HistoryId messageId, const QList<RowContent>& rows) {
  const auto isOfMessage = [=](const Row& row) { return row.content.messageId == messageId; };
  // From the end: the message that changes is nearly always the last.
  const auto last = std::find_if(m_rows.crbegin(), m_rows.crend(), isOfMessage);
  if (last == m_rows.crend()) return;
  const auto beforeFirst = std::find_if_not(last, m_rows.crend(), isOfMessage);
  const qsizetype first = std::distance(m_rows.cbegin(), beforeFirst.base());
  mergeRows(first, std::distance(beforeFirst.base(), last.base()), rows);
  relayout();
}

void ChatView::mergeRows(qsizetype first, qsizetype count, const QList<RowContent>& rows) {
  QList<Row> former = m_rows.mid(first, count);
  QList<Row> merged;
  merged.reserve(rows.size());
  qsizetype from = 0;
  for (const RowContent& content : rows) {
    // Rows keep their order, so the former one is at `from` or a little behind it.
    qsizetype found = -1;
    for (qsizetype i = from; i < former.size(); ++i) {
      if (former[i].content.isSameRow(content)) {
        found = i;
        break;
      }
      if (i > from + 64 && former[i].content.messageId == former[from].content.messageId) break;
    }
    if (found < 0) {
      Row row;
      row.content = content;
      row.height = estimateHeight(content);
      merged += row;
      continue;
    }
    for (; from < found; ++from) dropWidget(former[from]);
    Row row = former[from++];
    if (row.content != content) {
      row.content = content;
      if (row.widget != nullptr) {
        row.widget->setContent(content);
      } else {
        row.height = estimateHeight(content);
      }
      row.isMeasured = false;
    }
    merged += row;
  }
  for (; from < former.size(); ++from) dropWidget(former[from]);
  // In place: while text streams into a long conversation, this happens at every frame.
  const qsizetype common = qMin(count, merged.size());
  for (qsizetype i = 0; i < common; ++i) m_rows[first + i] = merged[i];
  if (count > common) m_rows.remove(first + common, count - common);
  for (qsizetype i = common; i < merged.size(); ++i) m_rows.insert(first + i, merged[i]);
}

void ChatView::makeWidget(Row& row) {
  row.widget = ChatRow::create(row.content.kind, viewport());
  row.widget->setContent(row.content);
  row.isMeasured = false;
  connect(row.widget, &ChatRow::actionRequested, this, &ChatView::actionRequested);
  connect(row.widget, &ChatRow::linkActivated, this, &ChatView::linkActivated);
  connect(row.widget, &ChatRow::linkHovered, this, &ChatView::linkHovered);
  connect(row.widget, &ChatRow::heightChanged, this, [this, widget = row.widget] {
    for (Row& candidate : m_rows) {
      if (candidate.widget == widget) candidate.isMeasured = false;
    }
    m_followsEnd = false;  // the user looks at this row
    relayout();
  });
}

void ChatView::dropWidget(Row& row) {
  if (row.widget == nullptr) return;
  row.widget->hide();
  row.widget->deleteLater();  // it may be the sender of what brought us here
  row.widget = nullptr;
}

void ChatView::dropAllWidgets() {
  for (Row& row : m_rows) {
    dropWidget(row);
    row.isMeasured = false;
  }
}

void ChatView::relayout() {
  if (m_isPlacing || !isVisible()) return;
  m_isPlacing = true;
  if (const int width = columnWidth(); width != m_width) {
    m_width = width;
    for (Row& row : m_rows) row.isMeasured = false;
  }
  QScrollBar* bar = verticalScrollBar();
  const int screen = viewport()->height();

  // What has to stay in its place: the first row in view.
  qsizetype anchor = -1;
  int anchorOffset = 0;
  if (!m_followsEnd && m_tops.size() > 1) {
    const auto top = std::upper_bound(m_tops.cbegin(), m_tops.cend(), bar->value());
    anchor = qBound<qsizetype>(0, std::distance(m_tops.cbegin(), top) - 1, m_rows.size() - 1);
    if (anchor >= 0) anchorOffset = bar->value() - m_tops.value(anchor);
  }
  if (m_wantedMessage != 0) {
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
      if (m_rows[i].content.messageId != m_wantedMessage) continue;
      anchor = i;
      anchorOffset = -kTopMargin;
      m_followsEnd = false;
      break;
    }
    m_wantedMessage = 0;
  }

  // Measuring rows moves others into or out of reach, so this goes round until nothing is left to measure.
  constexpr int kMostRounds = 12;
  for (int round = 0; round < kMostRounds; ++round) {
    m_tops.resize(m_rows.size() + 1);
    int top = kTopMargin;
    for (qsizetype i = 0; i < m_rows.size(); ++i) {
      m_tops[i] = top;
      top += m_rows[i].height;
    }
    m_tops[m_rows.size()] = top;
    const int range = qMax(0, top + kTopMargin - screen);
    bar->setRange(0, range);
    bar->setPageStep(screen);
    bar->setSingleStep(fontMetrics().lineSpacing() * 2);
    if (m_followsEnd) {
      bar->setValue(range);
    } else if (anchor >= 0) {
      bar->setValue(m_tops[anchor] + anchorOffset);
    }
    const int from = bar->value() - int(screen * kMakeWithin);
    const int to = bar->value() + screen + int(screen * kMakeWithin);
    bool hasChanged = false;
    const auto begin = std::upper_bound(m_tops.cbegin(), m_tops.cend(), from);
    for (qsizetype i = qMax<qsizetype>(0, std::distance(m_tops.cbegin(), begin) - 1); i < m_rows.size() && m_tops[i] < to;
         ++i) {
      Row& row = m_rows[i];
      if (row.widget == nullptr) makeWidget(row);
      if (row.isMeasured) continue;
      const int height = row.widget->heightAt(m_width);
      hasChanged = hasChanged || height != row.height;
      row.height = height;
      row.isMeasured = true;
    }
    if (!hasChanged) break;
  }
  placeRows();
  m_isPlacing = false;
}

void ChatView::placeRows() {
  const int value = verticalScrollBar()->value();
  const int screen = viewport()->height();
  const int keep = int(screen * kKeepWithin);
  const int x = (viewport()->width() - m_width) / 2;
  for (qsizetype i = 0; i < m_rows.size(); ++i) {
    Row& row = m_rows[i];
    if (row.widget == nullptr) continue;
    const int y = m_tops[i] - value;
    const bool isFar = y + row.height < -keep || y > screen + keep;
    if (isFar && !row.widget->isAncestorOf(focusWidget())) {
      dropWidget(row);
      continue;
    }
    row.widget->setGeometry(x, y, m_width, row.height);
    row.widget->show();
  }
  placeEndButton();
}

void ChatView::placeEndButton() {
  m_toEnd->setVisible(!m_followsEnd && verticalScrollBar()->maximum() > 0 &&
                      verticalScrollBar()->value() < verticalScrollBar()->maximum() - viewport()->height() / 2);
  const QSize size = m_toEnd->sizeHint();
  m_toEnd->setGeometry((width() - size.width()) / 2, height() - size.height() - 12, size.width(), size.height());
  m_toEnd->raise();
}

void ChatView::scrollToEnd() {
  m_followsEnd = true;
  relayout();
}

void ChatView::scrollToMessage(HistoryId messageId) {
  m_wantedMessage = messageId;
  relayout();
}

void ChatView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  relayout();
}

void ChatView::showEvent(QShowEvent* event) {
  QAbstractScrollArea::showEvent(event);
  relayout();
}

void ChatView::scrollContentsBy(int, int) {
  if (m_isPlacing) return;  // our own doing
  // The user scrolled: follow the end again only from the end.
  m_followsEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum() - kEndSlack;
  relayout();
}

void ChatView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  switch (event->type()) {
    case QEvent::LanguageChange:
      m_toEnd->setToolTip(tr("To the newest message"));
      m_toEnd->setAccessibleName(m_toEnd->toolTip());
      [[fallthrough]];
    case QEvent::PaletteChange:
    case QEvent::FontChange:
      // Rows take their words, colours and fonts when they are made.
      dropAllWidgets();
      QMetaObject::invokeMethod(this, &ChatView::relayout, Qt::QueuedConnection);
      break;
    default: break;
  }
}

void ChatView::keyPressEvent(QKeyEvent* event) {
  QScrollBar* bar = verticalScrollBar();
  switch (event->key()) {
    case Qt::Key_PageUp: bar->triggerAction(QAbstractSlider::SliderPageStepSub); return;
    case Qt::Key_PageDown: bar->triggerAction(QAbstractSlider::SliderPageStepAdd); return;
    case Qt::Key_Up: bar->triggerAction(QAbstractSlider::SliderSingleStepSub); return;
    case Qt::Key_Down: bar->triggerAction(QAbstractSlider::SliderSingleStepAdd); return;
    case Qt::Key_Home: bar->triggerAction(QAbstractSlider::SliderToMinimum); return;
    case Qt::Key_End: scrollToEnd(); return;
    default: QAbstractScrollArea::keyPressEvent(event);
  }
}

}  // namespace tandem::gui
