#include "engine/server/api_error.h"

namespace tandem::engine::server {

nlohmann::ordered_json to_json(const ApiError& error) {
  nlohmann::ordered_json body;
  body["message"] = error.message;
  body["type"] = error.type;
  if (error.param) {
    body["param"] = *error.param;
  } else {
    body["param"] = nullptr;
  }
  if (error.code) {
    body["code"] = *error.code;
  } else {
    body["code"] = error.status;
  }
  return {{"error", std::move(body)}};
}

ApiError to_api_error(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported: return {400, error.detail, "BadRequestError", std::nullopt, std::nullopt};
    case ErrorCode::kContextExhausted:
      // Clients search the message for these words to know that they must shorten the conversation.
      return {400, "This model's maximum context length is exceeded: " + error.detail, "BadRequestError", "messages",
              "context_length_exceeded"};
    case ErrorCode::kNotFound: return {404, error.detail, "NotFoundError", std::nullopt, std::nullopt};
    case ErrorCode::kUnavailable: return {503, error.detail, "ServiceUnavailableError", std::nullopt, std::nullopt};
    case ErrorCode::kOutOfMemory: return {503, error.detail, "ServiceUnavailableError", std::nullopt, std::nullopt};
    case ErrorCode::kCancelled: return {499, error.detail, "CancelledError", std::nullopt, std::nullopt};
    case ErrorCode::kIo:
    case ErrorCode::kCorrupt:
    case ErrorCode::kDevice:
    case ErrorCode::kInternal: break;
  }
  return {500, error.detail, "InternalServerError", std::nullopt, std::nullopt};
}

ApiError bad_request(std::string param, std::string message) {
  return {400, std::move(message), "BadRequestError", std::move(param), std::nullopt};
}

}  // namespace tandem::engine::server
