// ElidedLabel: one line that gives way with an ellipsis, and shows the whole text as a tooltip when it does.
#pragma once

#include <QLabel>

namespace tandem::gui {

class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(Qt::TextElideMode mode = Qt::ElideRight, QWidget* parent = nullptr);
  void setFullText(const QString& text);
  const QString& fullText() const { return m_fullText; }
  bool isElided() const { return m_elided; }
  QSize minimumSizeHint() const override;
  QSize sizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void elide();
  const Qt::TextElideMode m_mode;
  QString m_fullText;
  bool m_elided = false;
};

}  // namespace tandem::gui
