#include "engine/model_file/json_reader.h"

#include <exception>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/model_file/quoted_name.h"

namespace tandem::engine {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaxDepth = 64;

// Builds the document from parser events. nlohmann's own builder keeps the last of two equal keys, and its ordered object
// searches all keys on every insertion.
class DocumentBuilder {
 public:
  using number_integer_t = ordered_json::number_integer_t;
  using number_unsigned_t = ordered_json::number_unsigned_t;
  using number_float_t = ordered_json::number_float_t;
  using string_t = ordered_json::string_t;
  using binary_t = ordered_json::binary_t;

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t& token) {
    // The lexer turns integers it cannot hold into doubles; a size must never become "about right".
    if (token.find_first_of(".eE") == string_t::npos)
      return refuse("the integer " + token.substr(0, 40) + " needs over 64 bits");
    return add(value);
  }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { return refuse("binary values are not JSON"); }
  bool start_object(std::size_t) { return open(ordered_json::object()); }
  bool start_array(std::size_t) { return open(ordered_json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& value) {
    Level& level = levels_.back();
    if (!level.keys.insert(value).second) return refuse("the key " + quoted_name(value) + " appears twice in one object");
    level.key = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    return refuse("not valid JSON at byte " + std::to_string(position) + " (" + error.what() + ")");
  }

  ordered_json take_root() { return std::move(root_); }
  const std::string& problem() const { return problem_; }

 private:
  struct Level {
    ordered_json container;
    std::string key;                       // of the value that comes next
    std::unordered_set<std::string> keys;  // of an object
  };

  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool open(ordered_json container) {
    if (levels_.size() == kMaxDepth) return refuse("nested deeper than " + std::to_string(kMaxDepth));
    levels_.push_back({std::move(container), {}, {}});
    return true;
  }
  bool close() {
    ordered_json done = std::move(levels_.back().container);
    levels_.pop_back();
    return add(std::move(done));
  }
  bool add(ordered_json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Level& level = levels_.back();
    if (level.container.is_array()) {
      level.container.get_ref<ordered_json::array_t&>().push_back(std::move(value));
    } else {
      // The vector under the ordered object: its own emplace would search for the key again.
      static_cast<ordered_json::object_t::Container&>(level.container.get_ref<ordered_json::object_t&>())
          .emplace_back(std::move(level.key), std::move(value));
    }
    return true;
  }

  std::vector<Level> levels_;
  ordered_json root_;
  std::string problem_;
};

}  // namespace

Result<ordered_json> parse_json(std::string_view text, std::string_view file_name) {
  // JSON has no zero byte outside of escapes, but nlohmann's lexer takes one for the end of the text.
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    return Error{ErrorCode::kCorrupt,
                 std::string(file_name) + ": not valid JSON at byte " + std::to_string(at) + " (zero byte)"};
  }
  DocumentBuilder builder;
  try {
    if (ordered_json::sax_parse(text, &builder)) return builder.take_root();
  } catch (const std::exception& error) {
    return Error{ErrorCode::kCorrupt, std::string(file_name) + ": " + error.what()};
  }
  return Error{ErrorCode::kCorrupt, std::string(file_name) + ": " + builder.problem()};
}

}  // namespace tandem::engine
