// ApiServer: the OpenAI-compatible HTTP face of an engine. Loopback by default; any other address needs a key.
//
//   GET  /health            200 when a model is ready, 503 with the reason while it is not
//   GET  /v1/models         what is served, with max_model_len
//   POST /v1/chat/completions, /v1/completions, /tokenize, /detokenize
//   GET  /metrics           Prometheus text; GET /version, /ping
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/server/access.h"

namespace tandem::engine::server {

struct ServerOptions {
  AccessRules access;
  std::string served_model_name;       // empty: the model's own name
  SamplingParams default_sampling;     // used where a request says nothing
  std::int32_t max_connections = 128;  // open streams; further ones wait in the listen queue
  std::uint64_t max_body_bytes = std::uint64_t{16} << 20;
  std::int32_t keep_alive_ms = 5000;  // SSE comment while nothing else is sent
};

// One answered request, for the request log.
struct RequestRecord {
  std::int64_t unix_ms = 0;
  std::string client, method, path, model;
  int status = 0;
  bool streamed = false;
  std::string finish;  // "stop", "length", "client_gone", "error", empty when nothing was generated
  std::string error;   // message of a refusal
  RequestStats stats;
};

// Where the server finds the engine: swapped under it while a model is loaded or unloaded.
class EngineSource {
 public:
  virtual ~EngineSource() = default;
  // The engine, ready for requests; null while there is none.
  virtual std::shared_ptr<Engine> engine() const = 0;
  // One sentence for clients when engine() is null: "The model is loading (42 %)."
  virtual std::string unavailable_reason() const = 0;
};

class ApiServer {
 public:
  // Binds and serves on threads of its own. Errors: kInvalidArgument (address needs a key), kUnavailable (port in use; names
  // the holder where it can and a free port).
  static Result<std::unique_ptr<ApiServer>> start(ServerOptions options, std::shared_ptr<const EngineSource> source,
                                                  std::function<void(const RequestRecord&)> on_request);
  // Ends running answers with an error event, then closes every connection.
  virtual ~ApiServer() = default;
  virtual int port() const = 0;  // the real one, also when 0 was asked for
  virtual std::string base_url() const = 0;
};

// First line of a key file, without white space at its ends. Refuses an empty key and files other users may read.
Result<std::string> read_api_key_file(const std::filesystem::path& path);

// "process NAME (pid N)" that listens on the TCP port, where /proc tells; nullopt otherwise.
std::optional<std::string> port_holder(int port);

}  // namespace tandem::engine::server
