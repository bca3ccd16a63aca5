#include <chrono>
#include <httplib.h>
#include <random>

#include "base/version.h"
#include "engine/benchmark/benchmark.h"

namespace tandem::engine {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct Address {
  std::string origin;  // "http://host:port"
  std::string path;    // "/v1"
};

Result<Address> parse_url(const std::string& url) {
  const auto scheme_end = url.find("://");
  const std::string scheme = scheme_end == std::string::npos ? "" : url.substr(0, scheme_end);
  if (scheme != "http" && scheme != "https") {
    return Error{ErrorCode::kInvalidArgument, "\"" + url + "\" is not a base URL like http://127.0.0.1:8000/v1"};
  }
  const auto path_start = url.find('/', scheme_end + 3);
  Address address{url.substr(0, path_start), path_start == std::string::npos ? "" : url.substr(path_start)};
  while (!address.path.empty() && address.path.back() == '/') address.path.pop_back();
  if (address.path.empty()) address.path = "/v1";
  return address;
}

// Splits a byte stream of server-sent events into the payloads of its data lines.
class SseReader {
 public:
  template <class F>
  void push(const char* data, std::size_t size, F&& on_data) {
    buffer_.append(data, size);
    std::size_t start = 0;
    for (std::size_t end = 0; (end = buffer_.find('\n', start)) != std::string::npos; start = end + 1) {
      std::string_view line(buffer_.data() + start, end - start);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (line.substr(0, 5) != "data:") continue;
      line.remove_prefix(5);
      if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
      on_data(line);
    }
    buffer_.erase(0, start);
  }

 private:
  std::string buffer_;
};

class HttpTarget final : public BenchmarkTarget {
 public:
  HttpTarget(Address address, std::string api_key) : address_(std::move(address)), api_key_(std::move(api_key)) {}

  Result<void> choose_model(const std::string& wanted) {
    auto client = connect();
    const auto response = client->Get(address_.path + "/models", headers());
    if (!response)
      return Error{ErrorCode::kUnavailable, address_.origin + " does not answer: " + httplib::to_string(response.error())};
    if (response->status != 200) {
      return Error{ErrorCode::kUnavailable, address_.origin + address_.path + "/models answers " +
                                                std::to_string(response->status) + ": " + response->body.substr(0, 300)};
    }
    const Json body = Json::parse(response->body, nullptr, false);
    if (!body.is_object() || !body.contains("data") || !body["data"].is_array() || body["data"].empty()) {
      return Error{ErrorCode::kUnavailable, address_.origin + " serves no model: " + response->body.substr(0, 300)};
    }
    for (const Json& entry : body["data"]) {
      const std::string id = entry.is_object() ? entry.value("id", "") : "";
      if (!id.empty() && (wanted.empty() || wanted == id)) {
        model_ = id;
        return {};
      }
    }
    return Error{ErrorCode::kNotFound,
                 address_.origin + " does not serve \"" + wanted + "\"; it serves: " + response->body.substr(0, 300)};
  }

  Result<BenchmarkSample> run(const BenchmarkPrompt& prompt, const std::atomic<bool>& cancelled) override {
    const Json body{{"model", model_},
                    {"messages", Json::array({{{"role", "user"}, {"content", prompt.text}}})},
                    {"max_tokens", prompt.max_tokens},
                    {"temperature", 0},
                    {"ignore_eos", true},
                    {"stream", true},
                    {"stream_options", {{"include_usage", true}}}};
    BenchmarkSample sample;
    std::optional<Error> stream_error;
    std::optional<Clock::time_point> last;
    std::int64_t num_deliveries = 0;
    SseReader reader;
    std::string plain;  // of an answer that is no event stream
    const auto start = Clock::now();

    httplib::Request request;
    request.method = "POST";
    request.path = address_.path + "/chat/completions";
    request.headers = headers();
    request.set_header("Content-Type", "application/json");
    request.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
    request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
      if (cancelled) return false;
      if (plain.size() < 4096) plain.append(data, std::min<std::size_t>(size, 4096));
      reader.push(data, size, [&](std::string_view payload) {
        const Json chunk = Json::parse(payload, nullptr, false);
        if (!chunk.is_object()) return;  // [DONE]
        if (chunk.contains("error")) stream_error = Error{ErrorCode::kUnavailable, chunk["error"].dump().substr(0, 500)};
        if (chunk.contains("usage") && chunk["usage"].is_object()) {
          const Json& usage = chunk["usage"];
          sample.num_prompt_tokens = usage.value("prompt_tokens", std::int64_t{0});
          sample.num_output_tokens = usage.value("completion_tokens", std::int64_t{0});
          if (usage.contains("prompt_tokens_details") && usage["prompt_tokens_details"].is_object()) {
            sample.num_cached_tokens = usage["prompt_tokens_details"].value("cached_tokens", std::int64_t{0});
          }
        }
        if (!has_text(chunk)) return;
        const auto now = Clock::now();
        if (last) {
          sample.gaps_ms.push_back(std::chrono::duration<double, std::milli>(now - *last).count());
        } else {
          sample.ttft_ms = std::chrono::duration<double, std::milli>(now - start).count();
        }
        last = now;
        ++num_deliveries;
      });
      return true;
    };
    auto client = connect();
    const auto response = client->send(request);
    if (cancelled) return Error{ErrorCode::kCancelled, "The request was cancelled."};
    if (!response) return Error{ErrorCode::kUnavailable, address_.origin + ": " + httplib::to_string(response.error())};
    if (response->status != 200) {
      return Error{ErrorCode::kUnavailable,
                   address_.origin + " answers " + std::to_string(response->status) + ": " + plain.substr(0, 500)};
    }
    if (stream_error) return *stream_error;
    if (!last) return Error{ErrorCode::kUnavailable, address_.origin + " streamed no text: " + plain.substr(0, 300)};
    sample.total_ms = std::chrono::duration<double, std::milli>(*last - start).count();
    if (sample.num_output_tokens == 0) sample.num_output_tokens = num_deliveries;  // a server without usage: one token a chunk
    return sample;
  }

  std::string device() const override { return address_.origin; }
  std::string model() const override { return model_; }

  // Short common words: about one token each for usual tokenizers; the rows show what the server counted.
  BenchmarkPrompt random_prompt(std::int32_t num_tokens, std::uint64_t seed) const override {
    constexpr std::array kWords{"time",    "year",    "people",   "way",    "day",   "man",    "thing",   "woman",
                                "life",    "child",   "world",    "school", "state", "family", "student", "group",
                                "country", "problem", "hand",     "part",   "place", "case",   "week",    "company",
                                "system",  "program", "question", "work",   "night", "point",  "home",    "water"};
    std::mt19937_64 random(seed);
    BenchmarkPrompt prompt;
    for (std::int32_t i = 0; i < num_tokens; ++i) {
      if (i > 0) prompt.text += ' ';
      prompt.text += kWords[random() % kWords.size()];
    }
    return prompt;
  }

  std::uint64_t bytes_per_step() const override { return 0; }
  std::uint64_t kv_bytes_per_token() const override { return 0; }
  Json settings() const override { return {{"version", kVersion}, {"target", address_.origin + address_.path}}; }

 private:
  static bool has_text(const Json& chunk) {
    if (!chunk.contains("choices") || !chunk["choices"].is_array() || chunk["choices"].empty()) return false;
    const Json& choice = chunk["choices"][0];
    if (!choice.is_object() || !choice.contains("delta") || !choice["delta"].is_object()) return false;
    for (const char* field : {"content", "reasoning_content", "reasoning"}) {
      const auto it = choice["delta"].find(field);
      if (it != choice["delta"].end() && it->is_string() && !it->get_ref<const std::string&>().empty()) return true;
    }
    return false;
  }

  std::unique_ptr<httplib::Client> connect() const {
    auto client = std::make_unique<httplib::Client>(address_.origin);
    client->set_connection_timeout(10);
    client->set_read_timeout(3600);  // a long prefill sends nothing
    return client;
  }

  httplib::Headers headers() const {
    return api_key_.empty() ? httplib::Headers{} : httplib::Headers{{"Authorization", "Bearer " + api_key_}};
  }

  Address address_;
  std::string api_key_;
  std::string model_;
};

}  // namespace

Result<std::unique_ptr<BenchmarkTarget>> http_target(const std::string& url, const std::string& api_key,
                                                     const std::string& model) {
  auto target = std::make_unique<HttpTarget>(TANDEM_TRY(parse_url(url)), api_key);
  TANDEM_TRY(target->choose_model(model));
  return std::unique_ptr<BenchmarkTarget>(std::move(target));
}

}  // namespace tandem::engine
