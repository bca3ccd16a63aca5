#include "engine/tokenizer/normalizer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utf8proc.h>

#include "base/check.h"
#include "engine/tokenizer/utf8.h"

namespace tandem::engine {
namespace {

bool is_composing(NormalForm form) {
  return form == NormalForm::kNfc || form == NormalForm::kNfkc;
}

utf8proc_option_t decompose_options(NormalForm form) {
  const bool is_compatible = form == NormalForm::kNfkc || form == NormalForm::kNfkd;
  return static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (is_compatible ? UTF8PROC_COMPAT : 0));
}

// Appends the full decomposition of one code point, marks unsorted.
void decompose(char32_t code_point, utf8proc_option_t options, std::vector<utf8proc_int32_t>& out) {
  std::array<utf8proc_int32_t, 32> buffer{};  // the longest decomposition in Unicode has 18
  int boundary = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), buffer.data(),
                                                         static_cast<utf8proc_ssize_t>(buffer.size()), options, &boundary);
  if (count < 0 || count > static_cast<utf8proc_ssize_t>(buffer.size())) {
    out.push_back(static_cast<utf8proc_int32_t>(code_point));
    return;
  }
  out.insert(out.end(), buffer.begin(), buffer.begin() + count);
}

int combining_class(utf8proc_int32_t code_point) {
  return utf8proc_get_property(code_point)->combining_class;
}

// Canonical ordering: each run of marks stably sorted by its class.
void order_marks(std::vector<utf8proc_int32_t>& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    if (combining_class(text[begin]) == 0) {
      ++begin;
      continue;
    }
    std::size_t end = begin + 1;
    while (end < text.size() && combining_class(text[end]) != 0) ++end;
    std::stable_sort(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
                     [](utf8proc_int32_t a, utf8proc_int32_t b) { return combining_class(a) < combining_class(b); });
    begin = end;
  }
}

// One bit per code point of the first three planes: "NFC may change a text that has it".
class NfcSuspects {
 public:
  NfcSuspects() : bits_(kEnd / 64) {
    std::vector<utf8proc_int32_t> parts;
    for (char32_t code_point = 0x80; code_point < kEnd; ++code_point) {
      if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
      const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point));
      if (property->combining_class != 0) set(code_point);
      if (code_point >= 0xAC00 && code_point <= 0xD7A3) continue;  // Hangul syllables: the jamo below are what matters
      parts.clear();
      decompose(code_point, decompose_options(NormalForm::kNfc), parts);
      if (parts.size() == 1 && parts[0] == static_cast<utf8proc_int32_t>(code_point)) continue;
      // What can stand second in a composition changes the character before it.
      if (parts.size() > 1) set(static_cast<char32_t>(parts.back()));
      order_marks(parts);
      const utf8proc_ssize_t length =
          utf8proc_normalize_utf32(parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
                                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
      if (length != 1 || parts[0] != static_cast<utf8proc_int32_t>(code_point)) set(code_point);
    }
    for (char32_t jamo = 0x1161; jamo <= 0x11C2; ++jamo) set(jamo);
  }
  bool has(char32_t code_point) const {
    return code_point >= kEnd || ((bits_[code_point / 64] >> (code_point % 64)) & 1U) != 0;
  }

 private:
  static constexpr char32_t kEnd = 0x30000;
  void set(char32_t code_point) { bits_[code_point / 64] |= std::uint64_t{1} << (code_point % 64); }
  std::vector<std::uint64_t> bits_;
};

void append_lowercase(std::string& out, char32_t code_point) {
  if (code_point == 0x130) {  // the only code point whose lower case is two: i and a dot above
    out.append("i\xCC\x87");
    return;
  }
  utf8::append(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point))));
}

std::string lowercase(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t pos = 0, length = 0; pos < text.size(); pos += length)
    append_lowercase(out, utf8::decode(text, pos, length));
  return out;
}

Error too_long(std::size_t max_bytes) {
  return Error{ErrorCode::kInvalidArgument,
               "the normalised text is longer than the limit of " + std::to_string(max_bytes) + " bytes; shorten the prompt"};
}

Result<std::string> replace_all(std::string_view text, const Normalizer::Replace& rule, RegexScratch& scratch,
                                std::size_t max_bytes) {
  std::string out;
  std::size_t pos = 0;
  std::size_t from = 0;
  while (from <= text.size()) {
    Regex::Match match;
    if (const auto* literal = std::get_if<std::string>(&rule.pattern)) {
      const std::size_t found = literal->empty() ? std::string_view::npos : text.find(*literal, from);
      if (found == std::string_view::npos) break;
      match = {found, found + literal->size()};
    } else if (!TANDEM_TRY(std::get<Regex>(rule.pattern).find(text, from, scratch, match))) {
      break;
    }
    out.append(text.substr(pos, match.begin - pos)).append(rule.content);
    if (out.size() > max_bytes) return too_long(max_bytes);
    pos = match.end;
    from = match.end;
    if (match.begin == match.end) {  // an empty match: step over one character
      from += from < text.size() ? utf8::length_of_lead(static_cast<unsigned char>(text[from])) : 1;
    }
  }
  return std::move(out.append(text.substr(pos)));
}

}  // namespace

std::string to_normal_form(std::string_view text, NormalForm form) {
  std::vector<utf8proc_int32_t> points;
  points.reserve(text.size());
  const utf8proc_option_t options = decompose_options(form);
  for (std::size_t pos = 0, length = 0; pos < text.size(); pos += length) {
    const char32_t code_point = utf8::decode(text, pos, length);
    if (code_point < 0x80) {
      points.push_back(static_cast<utf8proc_int32_t>(code_point));
    } else {
      decompose(code_point, options, points);
    }
  }
  order_marks(points);
  if (is_composing(form)) {
    const utf8proc_ssize_t length =
        utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()),
                                 static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    CHECK(length >= 0, "utf8proc refused decomposed text");
    points.resize(static_cast<std::size_t>(length));
  }
  std::string out;
  out.reserve(text.size());
  for (const utf8proc_int32_t point : points) utf8::append(out, static_cast<char32_t>(point));
  return out;
}

bool is_surely_nfc(std::string_view text) {
  static const NfcSuspects kSuspects;
  for (std::size_t pos = 0, length = 0; pos < text.size(); pos += length) {
    const auto lead = static_cast<unsigned char>(text[pos]);
    if (lead < 0xCC) {  // below U+0300 nothing composes, decomposes or reorders
      length = utf8::length_of_lead(lead);
      continue;
    }
    if (kSuspects.has(utf8::decode(text, pos, length))) return false;
  }
  return true;
}

Result<std::string_view> Normalizer::apply(std::string_view text, std::string& storage, RegexScratch& scratch,
                                           std::size_t max_bytes) const {
  std::string_view current = text;
  for (const Step& step : steps_) {
    std::string next;
    if (const auto* unicode = std::get_if<Unicode>(&step)) {
      if (unicode->form == NormalForm::kNfc && is_surely_nfc(current)) continue;
      next = to_normal_form(current, unicode->form);
    } else if (const auto* prepend = std::get_if<Prepend>(&step)) {
      if (current.empty()) continue;
      next.append(prepend->prefix).append(current);
    } else if (const auto* replace = std::get_if<Replace>(&step)) {
      next = TANDEM_TRY(replace_all(current, *replace, scratch, max_bytes));
    } else {
      next = lowercase(current);
    }
    if (next.size() > max_bytes) return too_long(max_bytes);
    storage = std::move(next);
    current = storage;
  }
  return current;
}

}  // namespace tandem::engine
