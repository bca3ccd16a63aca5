// The words and colours of a memory plan.
#pragma once

#include <QColor>
#include <QString>

#include "engine/planner/planner.h"
#include "gui/widgets/theme.h"

namespace tandem::gui {

QString planItemName(engine::PlanItem::Kind kind);
QString planItemExplanation(engine::PlanItem::Kind kind);
QColor planItemColor(const ThemeColors& colors, engine::PlanItem::Kind kind);
// The planner's arithmetic with its few words in the language of the window.
QString planFormula(const std::string& formula);
// "4,096 tokens of context, 2 chats, KV cache in f16"
QString planRequestText(const engine::PlanRequest& request);
QString kvDTypeText(engine::KvDType dtype);

}  // namespace tandem::gui
