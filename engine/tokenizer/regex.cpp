#include "engine/tokenizer/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <algorithm>
#include <array>
#include <pcre2.h>

namespace tandem::engine {
namespace {

constexpr std::size_t kMaxPatternBytes = 64 * 1024;
// Per match: the known patterns need a few steps per byte they look at, so this leaves room for any honest pattern while a
// pattern with exponential backtracking stops early.
constexpr std::size_t kMatchLimitBase = 1'000'000;
constexpr std::size_t kMatchLimitPerByte = 16;
constexpr std::uint32_t kDepthLimit = 100'000;
constexpr std::uint32_t kHeapLimitKiB = 64 * 1024;
constexpr std::size_t kJitStackStart = 32 * 1024;
constexpr std::size_t kJitStackMax = 4 * 1024 * 1024;

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  if (pcre2_get_error_message(code, buffer.data(), buffer.size()) < 0) return "PCRE2 error " + std::to_string(code);
  return reinterpret_cast<const char*>(buffer.data());
}

Error unsupported(std::string_view what, std::size_t position) {
  return Error{ErrorCode::kUnsupported,
               "regular expression: " + std::string(what) + " at byte " + std::to_string(position) + " is not supported"};
}

// PCRE2's \s holds U+180E, which is no White_Space since Unicode 6.3, and its \w lacks marks and connectors.
constexpr std::string_view kSpace = "\\p{White_Space}";
constexpr std::string_view kNotSpace = "\\P{White_Space}";
constexpr std::string_view kWordSet = "\\p{L}\\p{M}\\p{N}\\p{Pc}";

// The pattern with the escapes rewritten whose meaning differs.
Result<std::string> translate(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      const char escaped = pattern[++i];
      switch (escaped) {
        case 's': out.append(kSpace); break;
        case 'S': out.append(kNotSpace); break;
        case 'w': out.append(in_class ? std::string(kWordSet) : "[" + std::string(kWordSet) + "]"); break;
        case 'W':
          if (in_class) return unsupported("\\W inside a class", i);
          out.append("[^").append(kWordSet).append("]");
          break;
        case 'h':
        case 'H': return unsupported("\\h (a hexadecimal digit there, a space here)", i);
        case 'Q':
        case 'E': return unsupported("\\Q and \\E", i);
        default: out.push_back('\\'), out.push_back(escaped);
      }
      continue;
    }
    if (in_class) {
      if (c == '[' && !(i + 1 < pattern.size() && pattern[i + 1] == ':')) return unsupported("a class inside a class", i);
      if (c == '[') {  // [:name:] up to its closing bracket
        const std::size_t close = pattern.find(":]", i + 2);
        if (close == std::string_view::npos) return unsupported("a class inside a class", i);
        out.append(pattern.substr(i, close + 2 - i));
        i = close + 1;
        continue;
      }
      if (c == '&' && i + 1 < pattern.size() && pattern[i + 1] == '&') return unsupported("a class intersection", i);
      if (c == ']') in_class = false;
    } else if (c == '[') {
      in_class = true;
      out.push_back(c);
      // A closing bracket right after the opening is a literal.
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') out.push_back(pattern[++i]);
      if (i + 1 < pattern.size() && pattern[i + 1] == ']') out.push_back(pattern[++i]);
      continue;
    }
    out.push_back(c);
  }
  return out;
}

}  // namespace

struct RegexScratch::State {
  pcre2_match_data* data = pcre2_match_data_create(1, nullptr);  // one pair: only the whole match is asked for
  pcre2_match_context* context = pcre2_match_context_create(nullptr);
  pcre2_jit_stack* stack = pcre2_jit_stack_create(kJitStackStart, kJitStackMax, nullptr);

  State() {
    CHECK(data != nullptr && context != nullptr && stack != nullptr, "no memory for a regular expression match");
    pcre2_set_depth_limit(context, kDepthLimit);
    pcre2_set_heap_limit(context, kHeapLimitKiB);
    pcre2_jit_stack_assign(context, nullptr, stack);
  }
  ~State() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

RegexScratch::RegexScratch() : state_(std::make_unique<State>()) {}
RegexScratch::~RegexScratch() = default;

struct Regex::Code {
  pcre2_code* code = nullptr;
  explicit Code(pcre2_code* compiled) : code(compiled) {}
  ~Code() { pcre2_code_free(code); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
};

Result<Regex> Regex::compile(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) {
    return Error{ErrorCode::kUnsupported,
                 "regular expression: " + std::to_string(pattern.size()) + " bytes, limit " + std::to_string(kMaxPatternBytes)};
  }
  const std::string translated = TANDEM_TRY(translate(pattern));
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  CHECK(context != nullptr, "no memory to compile a regular expression");
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  // \C would match part of a character and break the promise that pieces are valid UTF-8.
  pcre2_code* compiled =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &offset, context);
  pcre2_compile_context_free(context);
  if (compiled == nullptr) {
    return Error{ErrorCode::kCorrupt,
                 "regular expression: " + message_of(error) + " at byte " + std::to_string(offset) + " of " + translated};
  }
  // Without a JIT for this processor the interpreter is used: the same result, slower.
  (void)pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
  Regex regex;
  regex.code_ = std::make_shared<const Code>(compiled);
  return regex;
}

Result<bool> Regex::find(std::string_view text, std::size_t from, RegexScratch& scratch, Match& match) const {
  RegexScratch::State& state = *scratch.state_;
  const std::size_t limit = std::min<std::size_t>(kMatchLimitBase + kMatchLimitPerByte * text.size(), 0xFFFFFFFFU);
  pcre2_set_match_limit(state.context, static_cast<std::uint32_t>(limit));
  // An empty view may have a null pointer, which this version refuses.
  const char* data = text.data() == nullptr ? "" : text.data();
  const int rc = pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(data), text.size(), from, PCRE2_NO_UTF_CHECK, state.data,
                             state.context);
  if (rc == PCRE2_ERROR_NOMATCH) return false;
  if (rc < 0) {
    return Error{ErrorCode::kInvalidArgument, "the pre-tokenizer stopped at byte " + std::to_string(from) + " of a text of " +
                                                  std::to_string(text.size()) + " bytes: " + message_of(rc)};
  }
  const PCRE2_SIZE* pair = pcre2_get_ovector_pointer(state.data);
  match = {pair[0], pair[1]};
  if (match.begin < from || match.end < match.begin || match.end > text.size()) {
    return Error{ErrorCode::kUnsupported, "the pre-tokenizer's pattern moves the start of its match outside the text searched"};
  }
  return true;
}

}  // namespace tandem::engine
