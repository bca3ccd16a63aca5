// RichText: read-only text of fixed width that is as high as its text. Selectable, never scrolls, never loads anything.
#pragma once

#include <QTextBrowser>

namespace tandem::gui {

class RichText : public QTextBrowser {
  Q_OBJECT
 public:
  explicit RichText(QWidget* parent = nullptr);
  // HTML as of renderMarkdown, in the theme's colours.
  void setMarkdownHtml(const QString& html);
  int heightAt(int width);

 protected:
  QVariant loadResource(int type, const QUrl& name) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace tandem::gui
