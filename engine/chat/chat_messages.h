// Message preparation: brings a conversation in OpenAI form into the shape chat templates expect.
//
// - A role must be a non-empty string. Messages are objects; other keys pass through in their order.
// - tool_calls[].function.arguments that is a JSON text becomes the object it describes: most templates iterate it. Text that
//   is no JSON object stays a string.
// - content as a list of parts: stays a list where the template handles parts; else the parts of type "text" are joined, and
//   any other part is an error that names its type (a text-only template would print the list as Python code).
// - content null stays null and an absent content stays absent (a template can tell the two apart), except in messages with
//   tool calls, where leaving it out means null.
// - Step models: white space around contents is removed; what is left over makes the model loop in its reasoning.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

namespace tandem::engine {

struct MessageStyle {
  bool takes_parts = false;      // the template prints the text of content parts itself
  bool strips_contents = false;  // Step family
};

// Whether this is a template of the Step family, by the role name that only those use for tool results.
bool is_step_template(std::string_view source);

// `messages` as the template gets them. Errors: kInvalidArgument naming the message by its index.
Result<nlohmann::ordered_json> prepare_messages(const nlohmann::ordered_json& messages, const MessageStyle& style);

}  // namespace tandem::engine
