// Regular expressions (the regular part of ECMAScript's, as JSON Schema's "pattern" uses them) as grammars.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/sampling/grammar/grammar.h"

namespace tandem::engine {

using CodePointRanges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // inclusive

// How a character out of some ranges is written: as itself, or as JSON escapes it.
using CharacterWriter = std::function<GrammarSequence(GrammarBuilder&, const CodePointRanges&)>;

// The strings that contain a match of `pattern`, which is UTF-8; ^ and $ at the ends of an alternative anchor it. Look-around,
// back references, \b, lazy quantifiers' preference and property escapes are refused by name (kUnsupported); syntax errors are
// kInvalidArgument. A quantifier may count up to 1000.
Result<GrammarSequence> regex_grammar(GrammarBuilder& builder, std::string_view pattern, const CharacterWriter& write);

// Sorted and merged; and what is left of all code points.
CodePointRanges normalised(CodePointRanges ranges);
CodePointRanges complement(CodePointRanges ranges);

}  // namespace tandem::engine
