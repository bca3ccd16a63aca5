#include "engine/model_catalog/model_catalog.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

namespace tandem::engine {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Error corrupt(const std::string& where, const std::string& what) {
  return {ErrorCode::kCorrupt, "model catalogue, " + where + ": " + what};
}

Result<std::string> text_field(const Json& object, const char* field, const std::string& where) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_string()) return corrupt(where, std::string("\"") + field + "\" must be a string");
  return found->get<std::string>();
}

Result<CatalogEntry> parse_entry(const Json& object, const Json& configs, const std::string& where) {
  if (!object.is_object()) return corrupt(where, "it is not an object");
  CatalogEntry entry;
  entry.id = TANDEM_TRY(text_field(object, "id", where));
  if (entry.id.empty() || entry.id.find_first_of("/\\ ") != std::string::npos) {
    return corrupt(where, "the id \"" + entry.id + "\" must not be empty or hold slashes or spaces");
  }
  const std::string named = where + " (" + entry.id + ")";
  entry.name = TANDEM_TRY(text_field(object, "name", named));
  const std::string type = TANDEM_TRY(text_field(object, "weight_type", named));
  const auto dtype = kernels::dtype_from_name(type);
  if (!dtype || !kernels::is_matrix_dtype(*dtype)) return corrupt(named, "\"" + type + "\" is no weight type");
  entry.weight_dtype = *dtype;
  if (object.contains("shipped")) {
    // A shipped entry needs no configuration: its file says everything.
    const std::string relative = TANDEM_TRY(text_field(object, "shipped", named));
    entry.shipped = find_resource(relative);
    return entry;
  }
  entry.repository = TANDEM_TRY(text_field(object, "repository", named));
  if (object.contains("file")) entry.file = TANDEM_TRY(text_field(object, "file", named));
  const std::string config = TANDEM_TRY(text_field(object, "config", named));
  if (!configs.contains(config)) return corrupt(named, "there is no configuration \"" + config + "\"");
  entry.config = configs[config];
  return entry;
}

std::vector<fs::path> resource_folders() {
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("TANDEM_RESOURCES"); chosen != nullptr && *chosen != '\0') folders.emplace_back(chosen);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    folders.push_back(program.parent_path() / "resources");
    folders.push_back(program.parent_path().parent_path() / "share/tandem");
  }
  folders.emplace_back(TANDEM_SOURCE_RESOURCES);
  return folders;
}

}  // namespace

std::optional<fs::path> find_resource(const fs::path& relative) {
  for (const fs::path& folder : resource_folders()) {
    std::error_code error;
    if (fs::exists(folder / relative, error)) return folder / relative;
  }
  return std::nullopt;
}

Result<std::vector<CatalogEntry>> parse_catalog(std::string_view json_text) {
  const Json document = Json::parse(json_text, nullptr, false);
  if (!document.is_object() || !document.contains("entries") || !document["entries"].is_array() ||
      !document.contains("configs") || !document["configs"].is_object()) {
    return corrupt("whole file", R"(it must be {"configs": {…}, "entries": […]})");
  }
  std::vector<CatalogEntry> entries;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < document["entries"].size(); ++i) {
    const std::string where = "entry " + std::to_string(i);
    CatalogEntry entry = TANDEM_TRY(parse_entry(document["entries"][i], document["configs"], where));
    if (!ids.insert(entry.id).second) return corrupt(where, "the id \"" + entry.id + "\" appears twice");
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<CatalogEntry>> load_catalog() {
  const auto path = find_resource("catalog.json");
  if (!path) return Error{ErrorCode::kNotFound, "catalog.json is missing: the installation is incomplete"};
  std::ifstream file(*path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Error{ErrorCode::kIo, path->string() + " cannot be read"};
  return parse_catalog(text.str());
}

Result<ModelDescription> describe_entry(const CatalogEntry& entry) {
  if (entry.shipped) return describe_model(*entry.shipped);
  if (entry.config.is_null()) {
    return Error{ErrorCode::kNotFound,
                 entry.name + " should have come with the program, but is not there: the installation is incomplete"};
  }
  return describe_model(entry.config, entry.name, entry.weight_dtype);
}

Result<fs::path> resolve_model(const std::string& argument) {
  if (argument.empty()) return Error{ErrorCode::kInvalidArgument, "MODEL is empty: give a path or a catalogue id"};
  std::error_code error;
  if (fs::exists(argument, error)) return fs::path(argument);
  const bool looks_like_path = argument.find('/') != std::string::npos || argument.find(".gguf") != std::string::npos;
  if (looks_like_path) return fs::path(argument);  // opening it says exactly what is wrong
  const auto entries = load_catalog();
  if (!entries) return entries.error();
  std::string ids;
  for (const CatalogEntry& entry : *entries) {
    if (entry.id == argument) {
      if (entry.shipped) return *entry.shipped;
      if (entry.config.is_null()) return describe_entry(entry).error();
      return Error{ErrorCode::kNotFound, entry.name + " is in the catalogue, but not on this machine. Get " +
                                             (entry.file.empty() ? "the repository " : entry.file + " from the repository ") +
                                             entry.repository + " and give its path."};
    }
    ids += (ids.empty() ? "" : ", ") + entry.id;
  }
  return Error{ErrorCode::kNotFound, "\"" + argument + "\" is neither a path nor a catalogue id. The catalogue has: " + ids};
}

}  // namespace tandem::engine
