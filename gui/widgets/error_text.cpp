#include "gui/widgets/error_text.h"

#include <QCoreApplication>

namespace tandem::gui {

QString errorTitle(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return QCoreApplication::translate("ErrorText", "This cannot be done with these values.");
    case ErrorCode::kNotFound: return QCoreApplication::translate("ErrorText", "Something that is needed is not there.");
    case ErrorCode::kIo: return QCoreApplication::translate("ErrorText", "Reading or writing failed.");
    case ErrorCode::kCorrupt: return QCoreApplication::translate("ErrorText", "The file is damaged.");
    case ErrorCode::kUnsupported: return QCoreApplication::translate("ErrorText", "This version cannot do that.");
    case ErrorCode::kOutOfMemory: return QCoreApplication::translate("ErrorText", "There is not enough memory.");
    case ErrorCode::kContextExhausted: return QCoreApplication::translate("ErrorText", "The context is full.");
    case ErrorCode::kCancelled: return QCoreApplication::translate("ErrorText", "Cancelled.");
    case ErrorCode::kUnavailable: return QCoreApplication::translate("ErrorText", "This is not possible right now.");
    case ErrorCode::kDevice:
      return QCoreApplication::translate("ErrorText", "The compute device failed. The model has to be loaded again.");
    case ErrorCode::kInternal: return QCoreApplication::translate("ErrorText", "Something inside Tandem went wrong.");
  }
  return {};
}

QString errorDetail(const Error& error) {
  return QString::fromStdString(error.detail);
}

}  // namespace tandem::gui
