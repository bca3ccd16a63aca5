#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/chat/jinja/functions.h"
#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

class JsonWriter {
 public:
  JsonWriter(Evaluator& evaluator, const JsonStyle& style) : evaluator_(evaluator), style_(style) {
    item_separator_ = style.item_separator.value_or(style.indent ? "," : ", ");
    key_separator_ = style.key_separator.value_or(": ");
  }

  std::string write(const Value& value) {
    append(value, 0);
    evaluator_.charge_text(out_.size());
    return std::move(out_);
  }

 private:
  void append(const Value& value, std::size_t level) {
    if (out_.size() > kMaxStringBytes) fail_limit("a text grows beyond " + std::to_string(kMaxStringBytes) + " bytes");
    if (value.is_none()) {
      out_ += "null";
    } else if (value.is_bool()) {
      out_ += value.as_bool() ? "true" : "false";
    } else if (value.is_int()) {
      out_ += int_text(value.as_int());
    } else if (value.is_float()) {
      append_float(value.as_double());
    } else if (value.is_text()) {
      append_string(value.as_string());
    } else if (value.is_sequence()) {
      append_list(value, level);
    } else if (value.is_dict()) {
      append_dict(value.as_dict(), level);
    } else {
      fail("Object of type " + value.type_name() + " is not JSON serializable");
    }
  }

  void append_float(double value) {
    out_ += std::isnan(value) ? "NaN" : std::isinf(value) ? (value < 0 ? "-Infinity" : "Infinity") : float_text(value);
  }

  void append_list(const Value& value, std::size_t level) {
    const Sequence& list = value.as_sequence();
    if (list.kind() != Sequence::Kind::kList && list.kind() != Sequence::Kind::kTuple) {
      fail("Object of type " + value.type_name() + " is not JSON serializable");
    }
    out_ += '[';
    for (std::size_t i = 0; i < list.items().size(); ++i) {
      if (i > 0) out_ += item_separator_;
      new_line(level + 1);
      append(list.items()[i], level + 1);
    }
    if (!list.items().empty()) new_line(level);
    out_ += ']';
  }

  void append_dict(const Dict& dict, std::size_t level) {
    std::vector<const Dict::Entry*> entries;
    for (const Dict::Entry& entry : dict.entries()) entries.push_back(&entry);
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return less(a->first, b->first); });
    }
    out_ += '{';
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out_ += item_separator_;
      new_line(level + 1);
      append_key(entries[i]->first);
      out_ += key_separator_;
      append(entries[i]->second, level + 1);
    }
    if (!entries.empty()) new_line(level);
    out_ += '}';
  }

  void append_key(const Value& key) {
    if (key.is_text()) return append_string(key.as_string());
    if (!key.is_none() && !key.is_number()) {
      fail("keys must be str, int, float, bool or None, not " + key.type_name());
    }
    out_ += '"';
    append(key, 0);
    out_ += '"';
  }

  void new_line(std::size_t level) {
    if (!style_.indent) return;
    out_ += '\n';
    for (std::size_t i = 0; i < level; ++i) out_ += *style_.indent;
  }

  void append_string(const std::string& text) {
    out_ += '"';
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t start = i;
      const char32_t c = next_code_point(text, i);
      switch (c) {
        case U'"': out_ += "\\\""; break;
        case U'\\': out_ += "\\\\"; break;
        case U'\n': out_ += "\\n"; break;
        case U'\r': out_ += "\\r"; break;
        case U'\t': out_ += "\\t"; break;
        case U'\b': out_ += "\\b"; break;
        case U'\f': out_ += "\\f"; break;
        default:
          if (c < 0x20 || (style_.ensure_ascii && c >= 0x7F + 1)) {
            append_escape(c);
          } else {
            out_ += text.substr(start, i - start);
          }
      }
    }
    out_ += '"';
  }

  void append_escape(char32_t c) {
    char buffer[16];
    if (c >= 0x10000) {
      std::snprintf(buffer, sizeof buffer, "\\u%04x\\u%04x", 0xD800U + ((static_cast<unsigned>(c) - 0x10000U) >> 10),
                    0xDC00U + ((static_cast<unsigned>(c) - 0x10000U) & 0x3FFU));
    } else {
      std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(c));
    }
    out_ += buffer;
  }

  Evaluator& evaluator_;
  const JsonStyle& style_;
  std::string item_separator_, key_separator_;
  std::string out_;
};

}  // namespace

std::string to_json(Evaluator& evaluator, const Value& value, const JsonStyle& style) {
  evaluator.charge(value.weight());
  return JsonWriter(evaluator, style).write(value);
}

}  // namespace tandem::engine::jinja
