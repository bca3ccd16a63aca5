// Errors as the OpenAI API shapes them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/result.h"

namespace tandem::engine::server {

struct ApiError {
  int status = 400;
  std::string message;  // with the numbers: have N, limit M
  std::string type = "BadRequestError";
  std::optional<std::string> param = std::nullopt;  // the request field that is wrong
  std::optional<std::string> code = std::nullopt;   // OpenAI's word where clients look for one: "context_length_exceeded"
};

// {"error": {"message", "type", "param", "code"}}; code is the HTTP status unless the error has a word of its own.
nlohmann::ordered_json to_json(const ApiError& error);

// An engine's error in HTTP terms.
ApiError to_api_error(const Error& error);

ApiError bad_request(std::string param, std::string message);

}  // namespace tandem::engine::server
