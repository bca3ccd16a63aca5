// ChatSettingsPane: system prompt and sampling of one conversation. Changes apply to the next answer.
#pragma once

#include <QScrollArea>

#include "gui/history/types.h"

class QCheckBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace tandem::gui {

class ChatSettingsPane : public QScrollArea {
  Q_OBJECT
 public:
  explicit ChatSettingsPane(QWidget* parent = nullptr);

  // Does not emit settingsEdited.
  void setSettings(const QString& systemPrompt, const ChatSettings& settings);
  QString systemPrompt() const;
  ChatSettings settings() const;
  void setThinkingSupported(bool isSupported);
  // What the reset button brings back.
  void setDefaults(const ChatSettings& defaults) { m_defaults = defaults; }
  void retranslate();

 signals:
  void settingsEdited();

 private:
  void edited();
  QDoubleSpinBox* addDecimal(double least, double most, double step);
  struct Field {
    QLabel* label;
    QWidget* control;
  };
  QLabel* addField(QWidget* control);
  static void setField(QLabel* label, QWidget* control, const QString& name, const QString& explanation);

  bool m_isSetting = false;
  ChatSettings m_defaults;
  QWidget* m_content;
  QFormLayout* m_form;
  QLabel* m_title;
  QLabel* m_promptLabel;
  QPlainTextEdit* m_prompt;
  QDoubleSpinBox* m_temperature;
  QDoubleSpinBox* m_topP;
  QSpinBox* m_topK;
  QDoubleSpinBox* m_minP;
  QDoubleSpinBox* m_repetition;
  QDoubleSpinBox* m_presence;
  QDoubleSpinBox* m_frequency;
  QSpinBox* m_maxTokens;
  QLineEdit* m_seed;
  QCheckBox* m_thinking;
  QLabel* m_labels[9];
  QPushButton* m_reset;
};

}  // namespace tandem::gui
