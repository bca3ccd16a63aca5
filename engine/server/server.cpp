#include "engine/server/server.h"

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <httplib.h>
#include <netinet/in.h>
#include <spdlog/spdlog.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "base/version.h"
#include "engine/server/answer.h"
#include "engine/server/connection_watch.h"
#include "engine/server/generation.h"
#include "engine/server/metrics.h"
#include "engine/tokenizer/tokenizer.h"

namespace tandem::engine::server {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kPoll{50};  // how fast a vanished client is noticed

std::string random_hex(std::size_t num_bytes) {
  std::vector<unsigned char> bytes(num_bytes);
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    // Ids must be unlike each other, not secret.
    static std::atomic<std::uint64_t> counter{0};
    const std::uint64_t value = ++counter ^ static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
    std::memcpy(bytes.data(), &value, std::min(sizeof(value), bytes.size()));
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

std::int64_t unix_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::string sse(const Json& json) {
  return "data: " + dump(json) + "\n\n";
}

void send_error(httplib::Response& response, const ApiError& error) {
  response.status = error.status;
  response.set_content(dump(to_json(error)), "application/json");
}

// The first free port after `port` on this host, for the message; 0 when none of the next 50 is.
int next_free_port(const std::string& host, int port) {
  for (int candidate = port + 1; candidate <= std::min(port + 50, 65535); ++candidate) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(candidate));
    if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool is_free = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    close(fd);
    if (is_free) return candidate;
  }
  return 0;
}

class HttpApiServer final : public ApiServer {
 public:
  HttpApiServer(ServerOptions options, std::shared_ptr<const EngineSource> source,
                std::function<void(const RequestRecord&)> on_request)
      : options_(std::move(options)), source_(std::move(source)), on_request_(std::move(on_request)) {}

  ~HttpApiServer() override {
    stopping_ = true;
    http_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> bind_and_listen() {
    const auto num_threads = static_cast<std::size_t>(options_.max_connections);
    http_.new_task_queue = [num_threads] { return new httplib::ThreadPool(num_threads); };
    http_.set_payload_max_length(options_.max_body_bytes);
    http_.set_keep_alive_max_count(1000000);
    http_.set_read_timeout(std::chrono::seconds(30));
    http_.set_write_timeout(std::chrono::seconds(30));  // a client that does not read for so long is given up
    // The library's default sets SO_REUSEPORT, with which a second server on the same port silently "works".
    http_.set_socket_options([](auto fd) {
      const int yes = 1;
      setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    install_routes();
    const std::string& host = options_.access.host;
    if (options_.access.port == 0) {
      port_ = http_.bind_to_any_port(host);
      if (port_ <= 0)
        return Error{ErrorCode::kUnavailable,
                     "No port of " + host + " can be listened on: is the address one of this machine?"};
    } else {
      port_ = options_.access.port;
      if (!http_.bind_to_port(host, port_)) return port_error();
    }
    thread_ = std::thread([this] { http_.listen_after_bind(); });
    return {};
  }

  int port() const override { return port_; }
  std::string base_url() const override {
    const bool is_v6 = options_.access.host.find(':') != std::string::npos;
    return "http://" + (is_v6 ? "[" + options_.access.host + "]" : options_.access.host) + ":" + std::to_string(port_) + "/v1";
  }

 private:
  Error port_error() const {
    const std::string where = options_.access.host + ":" + std::to_string(port_);
    std::string text = where + " cannot be listened on";
    if (const auto holder = port_holder(port_)) {
      text += ": it is in use by " + *holder;
    } else {
      text += ": it is in use, not an address of this machine, or not allowed for this user";
    }
    if (const int free_port = next_free_port(options_.access.host, port_)) {
      text += ". Port " + std::to_string(free_port) + " is free";
    }
    return Error{ErrorCode::kUnavailable, text + "."};
  }

  std::string served_name(const Engine& engine) const {
    return options_.served_model_name.empty() ? engine.info().name : options_.served_model_name;
  }

  void install_routes() {
    http_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return guard(request, response) ? httplib::Server::HandlerResponse::Unhandled : httplib::Server::HandlerResponse::Handled;
    });
    http_.set_exception_handler([](const httplib::Request& request, httplib::Response& response, std::exception_ptr exception) {
      std::string what = "unknown exception";
      try {
        std::rethrow_exception(exception);
      } catch (const std::exception& e) {
        what = e.what();
      } catch (...) {
      }
      spdlog::error("{} {}: {}", request.method, request.path, what);
      send_error(response, {500, "Internal error: " + what, "InternalServerError"});
    });
    http_.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
      if (!response.body.empty()) return;
      switch (response.status) {
        case 404:
          send_error(response, {404, "There is no " + request.method + " " + request.path + " here.", "NotFoundError"});
          break;
        case 413: send_error(response, {413, "The body is larger than this server accepts.", "BadRequestError"}); break;
        default: send_error(response, {response.status, "The request could not be read.", "BadRequestError"});
      }
    });
    http_.set_logger([this](const httplib::Request& request, const httplib::Response& response) {
      metrics_.observe_http(request.path.substr(0, 64), request.method, response.status);
    });

    const auto health = [this](const httplib::Request&, httplib::Response& response) {
      if (source_->engine() == nullptr) {
        send_error(response, {503, source_->unavailable_reason(), "unavailable_error"});
      } else {
        response.set_content(R"({"status":"ok"})", "application/json");
      }
    };
    http_.Get("/health", health);
    http_.Get("/v1/health", health);
    http_.Get("/ping",
              [](const httplib::Request&, httplib::Response& response) { response.set_content("pong", "text/plain"); });
    http_.Get("/version", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(dump({{"version", kVersion}}), "application/json");
    });
    http_.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
      const auto engine = source_->engine();
      response.set_content(metrics_.text(engine.get(), engine ? served_name(*engine) : ""), "text/plain; version=0.0.4");
    });
    http_.Get("/v1/models", [this](const httplib::Request&, httplib::Response& response) { list_models(response); });
    http_.Post("/tokenize",
               [this](const httplib::Request& request, httplib::Response& response) { tokenize(request, response); });
    http_.Post("/detokenize",
               [this](const httplib::Request& request, httplib::Response& response) { detokenize(request, response); });
    http_.Post("/v1/chat/completions",
               [this](const httplib::Request& request, httplib::Response& response) { generate(request, response, true); });
    http_.Post("/v1/completions",
               [this](const httplib::Request& request, httplib::Response& response) { generate(request, response, false); });
    http_.Options(R"(.*)", [](const httplib::Request&, httplib::Response& response) { response.status = 204; });
  }

  // Access rules and CORS. False: the response is final.
  bool guard(const httplib::Request& request, httplib::Response& response) {
    const std::string origin = request.get_header_value("Origin");
    const bool is_preflight = request.method == "OPTIONS";
    AccessRules rules = options_.access;
    // Browsers send pre-flights, and monitors health checks, without the key.
    if (is_preflight || request.path == "/health" || request.path == "/v1/health" || request.path == "/ping")
      rules.api_key.clear();
    switch (check_access(rules, request.get_header_value("Authorization"), request.get_header_value("Host"), origin)) {
      case Verdict::kAllow: break;
      case Verdict::kBadKey:
        response.set_header("WWW-Authenticate", "Bearer");
        send_error(response,
                   {401, "The API key is missing or wrong. Send it as: Authorization: Bearer KEY.", "AuthenticationError"});
        return false;
      case Verdict::kBadHost:
        send_error(
            response,
            {403, "This server is not known by the name in the Host header. Use its address, localhost, or add the name.",
             "PermissionDeniedError"});
        return false;
      case Verdict::kBadOrigin:
        send_error(response, {403, "Pages of the origin " + origin.substr(0, 100) + " are not allowed to use this server.",
                              "PermissionDeniedError"});
        return false;
    }
    if (!origin.empty()) {
      response.set_header("Access-Control-Allow-Origin", origin);
      response.set_header("Vary", "Origin");
      if (is_preflight) {
        response.set_header("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
        response.set_header("Access-Control-Allow-Headers", "Authorization, Content-Type");
        response.set_header("Access-Control-Max-Age", "600");
      }
    }
    return true;
  }

  std::shared_ptr<Engine> ready_engine(httplib::Response& response) const {
    auto engine = source_->engine();
    if (engine == nullptr) {
      response.set_header("Retry-After", "5");
      send_error(response, {503, source_->unavailable_reason(), "ServiceUnavailableError"});
    }
    return engine;
  }

  void list_models(httplib::Response& response) const {
    Json data = Json::array();
    if (const auto engine = source_->engine()) {
      const ModelInfo& info = engine->info();
      data.push_back({{"id", served_name(*engine)},
                      {"object", "model"},
                      {"created", unix_ms() / 1000},
                      {"owned_by", "tandem"},
                      {"root", info.name},
                      {"parent", nullptr},
                      {"max_model_len", info.context_tokens},
                      {"permission", Json::array()},
                      {"meta",
                       {{"n_vocab", info.config.vocab_size},
                        {"n_ctx_train", info.config.max_context},
                        {"n_embd", info.config.hidden_size},
                        {"n_params", info.num_parameters},
                        {"size", info.weight_bytes}}}});
    }
    response.set_content(dump({{"object", "list"}, {"data", std::move(data)}}), "application/json");
  }

  void tokenize(const httplib::Request& request, httplib::Response& response) const {
    const auto engine = ready_engine(response);
    if (engine == nullptr) return;
    auto body = parse_body(request.body);
    if (const auto* error = std::get_if<ApiError>(&body)) return send_error(response, *error);
    JsonFields fields(std::get<Json>(body));
    const auto prompt = fields.string("prompt");
    const bool add_special_tokens = fields.boolean("add_special_tokens").value_or(true);
    if (!prompt) fields.fail("prompt", "is missing.");
    if (fields.error()) return send_error(response, *fields.error());
    const auto ids = engine->tokenizer().encode(*prompt, SpecialTokens::kParse, add_special_tokens);
    if (!ids) return send_error(response, to_api_error(ids.error()));
    response.set_content(dump({{"count", ids->size()}, {"max_model_len", engine->info().context_tokens}, {"tokens", *ids}}),
                         "application/json");
  }

  void detokenize(const httplib::Request& request, httplib::Response& response) const {
    const auto engine = ready_engine(response);
    if (engine == nullptr) return;
    auto body = parse_body(request.body);
    if (const auto* error = std::get_if<ApiError>(&body)) return send_error(response, *error);
    const Json& object = std::get<Json>(body);
    JsonFields fields(object);
    std::vector<std::int32_t> ids;
    const Json* tokens = fields.raw("tokens");
    if (tokens == nullptr || !tokens->is_array()) {
      fields.fail("tokens", "must be a list of token ids.");
    } else {
      for (const Json& id : *tokens) {
        const bool valid =
            id.is_number_integer() && id.get<std::int64_t>() >= 0 && id.get<std::int64_t>() < engine->tokenizer().vocab_size();
        if (!valid) {
          fields.fail("tokens", "holds " + id.dump().substr(0, 32) + "; ids go from 0 to " +
                                    std::to_string(engine->tokenizer().vocab_size() - 1) + ".");
          break;
        }
        ids.push_back(id.get<std::int32_t>());
      }
    }
    if (fields.error()) return send_error(response, *fields.error());
    response.set_content(dump({{"prompt", engine->tokenizer().decode(ids, false)}}), "application/json");
  }

  void record(RequestRecord entry, const ApiError* error) const {
    if (error != nullptr) {
      entry.status = error->status;
      entry.error = error->message;
    }
    if (on_request_) on_request_(entry);
  }

  void generate(const httplib::Request& http_request, httplib::Response& response, bool is_chat) {
    RequestRecord entry;
    entry.unix_ms = unix_ms();
    entry.client = http_request.remote_addr;
    entry.method = http_request.method;
    entry.path = http_request.path;
    entry.status = 200;
    const auto refuse = [&](const ApiError& error) {
      send_error(response, error);
      record(entry, &error);
    };

    auto engine = source_->engine();
    if (engine == nullptr) {
      response.set_header("Retry-After", "5");
      return refuse({503, source_->unavailable_reason(), "ServiceUnavailableError"});
    }
    auto body = parse_body(http_request.body);
    if (const auto* error = std::get_if<ApiError>(&body)) return refuse(*error);
    RequestDefaults defaults{options_.default_sampling};
    auto parsed =
        is_chat ? parse_chat_request(std::get<Json>(body), defaults) : parse_completion_request(std::get<Json>(body), defaults);
    if (const auto* error = std::get_if<ApiError>(&parsed)) return refuse(*error);
    auto& request = std::get<GenerationRequest>(parsed);
    entry.streamed = request.stream;
    const std::string name = served_name(*engine);
    entry.model = name;
    if (!request.model.empty() && request.model != name) {
      return refuse({404, "The model \"" + request.model.substr(0, 200) + "\" is not served here; \"" + name + "\" is.",
                     "NotFoundError", "model"});
    }
    if (!request.unknown_fields.empty()) {
      std::string fields;
      for (const std::string& field : request.unknown_fields) fields += (fields.empty() ? "" : ", ") + field.substr(0, 64);
      for (char& c : fields) {
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
      }
      spdlog::warn("{}: unknown fields have no effect: {}", http_request.path, fields);
      response.set_header("X-Tandem-Unknown-Fields", fields.substr(0, 500));
    }

    auto started = Generation::start(engine, request);
    if (const auto* error = std::get_if<ApiError>(&started)) return refuse(*error);
    auto exchange = std::make_shared<Exchange>();
    exchange->generation = std::move(std::get<std::unique_ptr<Generation>>(started));
    exchange->answer.emplace(request, exchange->generation->num_choices(), (is_chat ? "chatcmpl-" : "cmpl-") + random_hex(12),
                             unix_ms() / 1000, name);
    exchange->entry = std::move(entry);
    exchange->n = request.n;
    exchange->max_tokens = request.prompts.front().sampling.max_tokens.value_or(0);
    exchange->last_token.resize(exchange->generation->num_choices());
    if (request.stream) {
      stream_answer(std::move(exchange), response);
    } else {
      whole_answer(*exchange, http_request, response);
    }
  }

  // State of one request while it is answered.
  struct Exchange {
    std::unique_ptr<Generation> generation;
    std::optional<Answer> answer;
    RequestRecord entry;
    std::int32_t n = 1;
    std::int64_t max_tokens = 0;
    std::vector<std::optional<Clock::time_point>> last_token;
    bool recorded = false;
    Clock::time_point last_write = Clock::now();
  };

  void observe(Exchange& exchange, const EventQueue::Item& item) {
    if (item.event.kind == TokenEvent::Kind::kText) {
      auto& last = exchange.last_token[item.choice_idx];
      const auto now = Clock::now();
      if (last) metrics_.observe_token_gap(std::chrono::duration<double>(now - *last).count());
      last = now;
    } else if (item.event.kind == TokenEvent::Kind::kFinished) {
      exchange.entry.stats = item.event.stats;
      exchange.entry.finish = finish_reason_name(item.event.finish_reason);
      metrics_.observe_finished(item.event.stats, item.event.finish_reason, exchange.n, exchange.max_tokens);
    }
  }

  void finish(Exchange& exchange, std::string_view finish, const ApiError* error) const {
    if (exchange.recorded) return;
    exchange.recorded = true;
    if (!finish.empty()) exchange.entry.finish = finish;
    record(exchange.entry, error);
  }

  void whole_answer(Exchange& exchange, const httplib::Request& http_request, httplib::Response& response) {
    const ConnectionWatch client(http_request.remote_addr, http_request.remote_port);
    while (!exchange.generation->finished()) {
      if (client.peer_gone()) {
        finish(exchange, "client_gone", nullptr);
        response.status = 499;  // nobody reads it
        return;
      }
      if (stopping_) return stop_whole(exchange, response);
      const auto item = exchange.generation->next(kPoll);
      if (!item) continue;
      observe(exchange, *item);
      exchange.answer->take(item->choice_idx, item->event);
      if (exchange.answer->error()) {
        const ApiError error = to_api_error(*exchange.answer->error());
        finish(exchange, "error", &error);
        return send_error(response, error);
      }
    }
    response.set_content(dump(exchange.answer->whole()), "application/json");
    finish(exchange, "", nullptr);
  }

  void stop_whole(Exchange& exchange, httplib::Response& response) const {
    const ApiError error{503, "The server is being stopped.", "ServiceUnavailableError"};
    finish(exchange, "error", &error);
    send_error(response, error);
  }

  void stream_answer(std::shared_ptr<Exchange> exchange, httplib::Response& response) {
    response.set_header("Cache-Control", "no-cache");
    response.set_header("X-Accel-Buffering", "no");
    response.set_chunked_content_provider(
        "text/event-stream", [this, exchange](std::size_t, httplib::DataSink& sink) { return stream_some(*exchange, sink); },
        [this, exchange](bool) {
          finish(*exchange, exchange->generation->finished() ? "" : "client_gone", nullptr);
          exchange->generation.reset();  // cancels what still runs
        });
  }

  // One turn of the stream; false: the client is gone.
  bool stream_some(Exchange& exchange, httplib::DataSink& sink) {
    const auto write = [&](const std::string& text) {
      exchange.last_write = Clock::now();
      return sink.write(text.data(), text.size());
    };
    const auto fail = [&](const ApiError& error) {
      finish(exchange, "error", &error);
      write(sse(to_json(error)) + "data: [DONE]\n\n");
      sink.done();
      return true;
    };
    if (!sink.is_writable()) return false;
    if (stopping_) return fail({503, "The server is being stopped.", "ServiceUnavailableError"});

    const auto item = exchange.generation->next(kPoll);
    if (!item) {
      const bool is_quiet = Clock::now() - exchange.last_write >= milliseconds(options_.keep_alive_ms);
      return is_quiet ? write(": keep-alive\n\n") : true;
    }
    observe(exchange, *item);
    if (item->event.kind == TokenEvent::Kind::kPrefill) {
      return write(": prefill " + std::to_string(item->event.prefill_done) + "/" + std::to_string(item->event.prefill_total) +
                   "\n\n");
    }
    if (item->event.kind == TokenEvent::Kind::kQueued) {
      return write(": queued behind " + std::to_string(item->event.queue_place) + "\n\n");
    }
    std::string text;
    for (const Json& chunk : exchange.answer->take(item->choice_idx, item->event)) text += sse(chunk);
    if (exchange.answer->error()) return fail(to_api_error(*exchange.answer->error()));
    if (exchange.generation->finished()) {
      if (const auto usage = exchange.answer->usage_chunk()) text += sse(*usage);
      text += "data: [DONE]\n\n";
      if (!write(text)) return false;
      sink.done();
      finish(exchange, "", nullptr);
      return true;
    }
    return text.empty() || write(text);
  }

  ServerOptions options_;
  std::shared_ptr<const EngineSource> source_;
  std::function<void(const RequestRecord&)> on_request_;
  ServerMetrics metrics_;
  httplib::Server http_;
  std::atomic<bool> stopping_{false};
  int port_ = 0;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<ApiServer>> ApiServer::start(ServerOptions options, std::shared_ptr<const EngineSource> source,
                                                    std::function<void(const RequestRecord&)> on_request) {
  TANDEM_TRY(check_listen_address(options.access));
  TANDEM_TRY(check_sampling_params(options.default_sampling));
  auto server = std::make_unique<HttpApiServer>(std::move(options), std::move(source), std::move(on_request));
  TANDEM_TRY(server->bind_and_listen());
  return std::unique_ptr<ApiServer>(std::move(server));
}

Result<std::string> read_api_key_file(const std::filesystem::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    return Error{ErrorCode::kIo, path.string() + ": " + std::strerror(errno)};
  }
  if ((info.st_mode & (S_IRGRP | S_IROTH)) != 0) {
    return Error{ErrorCode::kInvalidArgument, path.string() + " can be read by other users; run: chmod 600 " + path.string()};
  }
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto first = line.find_first_not_of(" \t\r");
  if (first == std::string::npos) return Error{ErrorCode::kInvalidArgument, path.string() + ": the first line holds no key"};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace tandem::engine::server
