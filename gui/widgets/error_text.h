// The words for an Error: what happened, in the language of the window. The detail stays as the engine gave it.
#pragma once

#include <QString>

#include "base/result.h"

namespace tandem::gui {

QString errorTitle(ErrorCode code);
QString errorDetail(const Error& error);

}  // namespace tandem::gui
