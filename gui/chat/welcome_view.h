// WelcomeView: what a new chat shows before its first message.
#pragma once

#include <QStringList>
#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace tandem::gui {

class WelcomeView : public QWidget {
  Q_OBJECT
 public:
  explicit WelcomeView(QWidget* parent = nullptr);
  // `modelName` empty: no model is loaded. The demo model is introduced honestly.
  void setModel(const QString& modelName, bool isDemo, bool isLoading);
  void retranslate();

 signals:
  void suggestionChosen(const QString& text);
  void modelsRequested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void updateTexts();
  void updateIcon();

  QString m_modelName;
  bool m_isDemo = false;
  bool m_isLoading = false;
  QLabel* m_icon;
  QLabel* m_title;
  QLabel* m_explanation;
  QPushButton* m_models;
  QList<QPushButton*> m_suggestions;
};

}  // namespace tandem::gui
