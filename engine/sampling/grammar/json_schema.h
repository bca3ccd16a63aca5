// JSON Schema to a grammar of the JSON texts that validate against it.
//
// The grammar may leave some valid texts out (object members come in the schema's order, numbers with bounds have no exponent,
// white space is limited), but every text it holds validates. A keyword that cannot be kept to exactly is refused by name.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "base/result.h"
#include "engine/sampling/grammar/grammar.h"

namespace tandem::engine {

// Draft 2020-12 as far as: type, enum, const, properties, required, additionalProperties, items, prefixItems, minItems,
// maxItems, minLength, maxLength, pattern, format (date, time, date-time, uuid, ipv4, email), minimum, maximum, exclusive
// bounds, anyOf, oneOf of alternatives that exclude each other, allOf of one, $ref into the document, recursive too,
// $defs/definitions, true/false. kUnsupported names the keyword and its place; kInvalidArgument a malformed schema or one that
// nothing satisfies.
Result<std::shared_ptr<const Grammar>> json_schema_grammar(const nlohmann::ordered_json& schema);

}  // namespace tandem::engine
