// Number and text layout shared by "%5.2f" % x and "{:>5.2f}".format(x).
#pragma once

#include <optional>
#include <string>

#include "engine/chat/jinja/value.h"

namespace tandem::engine::jinja {

struct FormatSpec {
  std::string fill = " ";
  char align = 0;   // '<', '>', '^', '=' or 0: the type's own
  char sign = '-';  // '-', '+' or ' '
  bool alternate = false;
  bool zero_pad = false;
  char grouping = 0;  // ',' or '_'
  int width = 0;
  std::optional<int> precision;
  char type = 0;
};

// Digits of a float in the manner of type 'f', 'e', 'g', '%' (either case), without sign or padding.
std::string float_digits(double magnitude, const FormatSpec& spec);
// An integer or float by `spec`, padded. The value must be a number.
std::string format_number(const Value& value, const FormatSpec& spec);
// `text` (with `sign` in front, which '=' padding goes behind) filled up to the width; `own_align` is the type's default.
std::string pad(const std::string& sign, const std::string& text, const FormatSpec& spec, char own_align);

}  // namespace tandem::engine::jinja
