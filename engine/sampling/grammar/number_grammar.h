// Numbers within bounds, as grammars over their decimal text.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/sampling/grammar/grammar.h"

namespace tandem::engine {

// An exact decimal: (-1)^negative · digits · 10^-scale, digits without leading zeros.
struct Decimal {
  bool negative = false;
  std::string whole = "0";  // no leading zeros
  std::string fraction;     // no trailing zeros
};

// The shortest decimal that reads back as the JSON number; kUnsupported for magnitudes past 10^30 or below 10^-30.
Result<Decimal> to_decimal(const nlohmann::ordered_json& number);

struct NumberBounds {
  std::optional<Decimal> min, max;
  bool min_exclusive = false, max_exclusive = false;
};

// JSON numbers within the bounds, without exponent when there is a bound; whole numbers only when `integer`. An empty range
// gives a sequence that derives nothing.
GrammarSequence number_grammar(GrammarBuilder& builder, bool integer, const NumberBounds& bounds);

}  // namespace tandem::engine
