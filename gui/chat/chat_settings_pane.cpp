#include "gui/chat/chat_settings_pane.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QVBoxLayout>
#include <limits>

#include "gui/widgets/theme.h"

namespace tandem::gui {

ChatSettingsPane::ChatSettingsPane(QWidget* parent)
    : QScrollArea(parent),
      m_content(new QWidget(this)),
      m_form(new QFormLayout),
      m_title(new QLabel(m_content)),
      m_promptLabel(new QLabel(m_content)),
      m_prompt(new QPlainTextEdit(m_content)),
      m_thinking(new QCheckBox(m_content)),
      m_reset(new QPushButton(m_content)) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumWidth(280);
  setTextRole(m_title, TextRole::Heading);
  m_prompt->setTabChangesFocus(true);
  m_prompt->setMinimumHeight(90);
  m_prompt->setMaximumHeight(160);
  m_promptLabel->setBuddy(m_prompt);

  m_temperature = addDecimal(0.0, 5.0, 0.05);
  m_topP = addDecimal(0.01, 1.0, 0.05);
  m_topK = new QSpinBox(m_content);
  m_topK->setRange(0, 1'000'000);
  m_minP = addDecimal(0.0, 1.0, 0.01);
  m_repetition = addDecimal(0.1, 5.0, 0.05);
  m_presence = addDecimal(-2.0, 2.0, 0.1);
  m_frequency = addDecimal(-2.0, 2.0, 0.1);
  m_maxTokens = new QSpinBox(m_content);
  m_maxTokens->setRange(0, std::numeric_limits<int>::max());
  m_maxTokens->setSingleStep(128);
  m_seed = new QLineEdit(m_content);
  m_seed->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("\\d{0,19}")), m_seed));
  QWidget* const controls[] = {m_temperature, m_topP,      m_topK,      m_minP, m_repetition,
                               m_presence,    m_frequency, m_maxTokens, m_seed};
  for (int i = 0; i < 9; ++i) m_labels[i] = addField(controls[i]);

  m_form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  auto* layout = new QVBoxLayout(m_content);
  layout->setContentsMargins(16, 16, 16, 16);
  layout->setSpacing(kGrid);
  layout->addWidget(m_title);
  layout->addWidget(m_promptLabel);
  layout->addWidget(m_prompt);
  layout->addWidget(m_thinking);
  layout->addLayout(m_form);
  layout->addWidget(m_reset, 0, Qt::AlignLeft);
  layout->addStretch();
  setWidget(m_content);

  connect(m_prompt, &QPlainTextEdit::textChanged, this, &ChatSettingsPane::edited);
  connect(m_thinking, &QCheckBox::toggled, this, &ChatSettingsPane::edited);
  connect(m_seed, &QLineEdit::textChanged, this, &ChatSettingsPane::edited);
  for (QDoubleSpinBox* box : m_content->findChildren<QDoubleSpinBox*>()) {
    connect(box, &QDoubleSpinBox::valueChanged, this, &ChatSettingsPane::edited);
  }
  for (QSpinBox* box : {m_topK, m_maxTokens}) connect(box, &QSpinBox::valueChanged, this, &ChatSettingsPane::edited);
  connect(m_reset, &QPushButton::clicked, this, [this] {
    setSettings(systemPrompt(), m_defaults);
    emit settingsEdited();
  });
}

QDoubleSpinBox* ChatSettingsPane::addDecimal(double least, double most, double step) {
  auto* box = new QDoubleSpinBox(m_content);
  box->setRange(least, most);
  box->setDecimals(2);
  box->setSingleStep(step);
  return box;
}

QLabel* ChatSettingsPane::addField(QWidget* control) {
  auto* label = new QLabel(m_content);
  label->setBuddy(control);
  m_form->addRow(label, control);
  return label;
}

void ChatSettingsPane::edited() {
  if (!m_isSetting) emit settingsEdited();
}

QString ChatSettingsPane::systemPrompt() const {
  return m_prompt->toPlainText();
}

ChatSettings ChatSettingsPane::settings() const {
  ChatSettings settings;
  settings.temperature = m_temperature->value();
  settings.topP = m_topP->value();
  settings.topK = m_topK->value();
  settings.minP = m_minP->value();
  settings.repetitionPenalty = m_repetition->value();
  settings.presencePenalty = m_presence->value();
  settings.frequencyPenalty = m_frequency->value();
  if (m_maxTokens->value() > 0) settings.maxTokens = m_maxTokens->value();
  if (!m_seed->text().isEmpty()) settings.seed = m_seed->text().toULongLong();
  settings.thinking = m_thinking->isChecked();
  return settings;
}

void ChatSettingsPane::setSettings(const QString& systemPrompt, const ChatSettings& settings) {
  m_isSetting = true;
  // Setting equal text would throw away the cursor's place.
  if (m_prompt->toPlainText() != systemPrompt) m_prompt->setPlainText(systemPrompt);
  m_temperature->setValue(settings.temperature);
  m_topP->setValue(settings.topP);
  m_topK->setValue(settings.topK);
  m_minP->setValue(settings.minP);
  m_repetition->setValue(settings.repetitionPenalty);
  m_presence->setValue(settings.presencePenalty);
  m_frequency->setValue(settings.frequencyPenalty);
  m_maxTokens->setValue(settings.maxTokens.value_or(0));
  m_seed->setText(settings.seed ? QString::number(*settings.seed) : QString());
  m_thinking->setChecked(settings.thinking);
  m_isSetting = false;
}

void ChatSettingsPane::setThinkingSupported(bool isSupported) {
  m_thinking->setVisible(isSupported);
}

void ChatSettingsPane::setField(QLabel* label, QWidget* control, const QString& name, const QString& explanation) {
  label->setText(name);
  label->setToolTip(explanation);
  control->setToolTip(explanation);
  control->setAccessibleName(name);
  control->setAccessibleDescription(explanation);
}

void ChatSettingsPane::retranslate() {
  m_title->setText(tr("Settings of this chat"));
  m_promptLabel->setText(tr("System prompt"));
  m_prompt->setPlaceholderText(tr("How the model should behave in this chat (optional)"));
  m_prompt->setAccessibleName(tr("System prompt"));
  m_thinking->setText(tr("Think before answering"));
  setField(m_labels[0], m_temperature, tr("Temperature"), tr("0 always takes the likeliest token; higher values vary more."));
  setField(m_labels[1], m_topP, tr("Top-p"),
           tr("Choose among the likeliest tokens that together have this probability. 1: all."));
  setField(m_labels[2], m_topK, tr("Top-k"), tr("Choose among this many of the likeliest tokens. 0: all."));
  setField(m_labels[3], m_minP, tr("Min-p"), tr("Leave out tokens less likely than this part of the likeliest one. 0: none."));
  setField(m_labels[4], m_repetition, tr("Repetition penalty"), tr("Above 1, tokens that occurred before become less likely."));
  setField(m_labels[5], m_presence, tr("Presence penalty"), tr("Above 0, tokens already in the answer become less likely."));
  setField(m_labels[6], m_frequency, tr("Frequency penalty"),
           tr("Above 0, tokens become less likely with each time they were used in the answer."));
  setField(m_labels[7], m_maxTokens, tr("Longest answer"),
           tr("Tokens after which the answer ends. No limit: it may fill the context."));
  m_maxTokens->setSpecialValueText(tr("no limit", "longest answer"));
  setField(m_labels[8], m_seed, tr("Seed"), tr("The same seed gives the same answer again. Empty: a new one for each answer."));
  m_seed->setPlaceholderText(tr("random"));
  m_reset->setText(tr("Reset sampling"));
  setAccessibleName(tr("Settings of this chat"));
}

}  // namespace tandem::gui
