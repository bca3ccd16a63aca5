// serve: the OpenAI-compatible server in the foreground, until SIGINT or SIGTERM.
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <mutex>
#include <poll.h>
#include <sys/signalfd.h>
#include <thread>
#include <unistd.h>

#include "cluster/tandem_node/commands.h"
#include "engine/engine.h"
#include "engine/model_catalog/model_catalog.h"
#include "engine/server/server.h"

namespace tandem::node {
namespace {

struct ServeOptions {
  std::string model, host = "127.0.0.1", api_key_file, served_name;
  int port = 8000;
  std::int64_t context = 0;
  std::int32_t max_num_seqs = 8;
  std::int32_t max_num_batched_tokens = 512;
  std::string kv_dtype = "f16";
  std::vector<std::string> allowed_origins, allowed_hosts;
};

// The engine once it is loaded, and before that how far the load is.
class LoadingEngine final : public engine::server::EngineSource {
 public:
  std::shared_ptr<engine::Engine> engine() const override {
    const std::scoped_lock lock(mutex_);
    return engine_;
  }
  std::string unavailable_reason() const override {
    const std::scoped_lock lock(mutex_);
    return reason_;
  }
  void set_engine(std::shared_ptr<engine::Engine> engine) {
    const std::scoped_lock lock(mutex_);
    engine_ = std::move(engine);
  }
  void set_reason(std::string reason) {
    const std::scoped_lock lock(mutex_);
    reason_ = std::move(reason);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<engine::Engine> engine_;                   // guarded by mutex_
  std::string reason_ = "The model is about to be loaded.";  // guarded by mutex_
};

std::string load_state(const engine::LoadProgress& progress) {
  if (progress.phase == engine::LoadProgress::Phase::kLoadingWeights && progress.bytes_total > 0) {
    const auto percent = static_cast<int>(100.0 * double(progress.bytes_done) / double(progress.bytes_total));
    return "The model is loading (" + std::to_string(percent) + " %).";
  }
  if (progress.phase == engine::LoadProgress::Phase::kWarmingUp) return "The model is warming up.";
  return "The model is being read.";
}

int run_serve(const ServeOptions& options, const CommonOptions& common) {
  if (const auto checked = check_common_options(common); !checked) return report_error(checked.error(), false);
  engine::server::ServerOptions server_options;
  server_options.access.host = options.host;
  server_options.access.port = options.port;
  server_options.access.allowed_origins = options.allowed_origins;
  server_options.access.allowed_hosts = options.allowed_hosts;
  server_options.served_model_name = options.served_name;
  if (!options.api_key_file.empty()) {
    auto key = engine::server::read_api_key_file(options.api_key_file);
    if (!key) return report_error(key.error(), false);
    server_options.access.api_key = std::move(*key);
  }
  const auto kv_dtype = engine::kv_dtype_from_name(options.kv_dtype);
  if (!kv_dtype) {
    return report_error({ErrorCode::kInvalidArgument, "--kv-dtype must be f16, f32, fp8 or q8_0, not " + options.kv_dtype},
                        false);
  }
  const auto model_path = engine::resolve_model(options.model);
  if (!model_path) return report_error(model_path.error(), false);

  // Signals arrive as reads on a descriptor, in this thread only.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);

  // The port opens before the load, so that clients see 503 with the progress rather than a refused connection.
  const auto source = std::make_shared<LoadingEngine>();
  auto server = engine::server::ApiServer::start(server_options, source, nullptr);
  if (!server) return report_error(server.error(), false);
  std::cerr << "Loading " << options.model << "; " << (*server)->base_url() << " answers 503 until it is ready.\n";

  engine::LoadOptions load_options;
  load_options.device = common.device;
  load_options.num_threads = common.num_threads;
  if (options.context > 0) load_options.context_tokens = options.context;
  load_options.max_num_seqs = options.max_num_seqs;
  load_options.max_num_batched_tokens = options.max_num_batched_tokens;
  load_options.kv_dtype = *kv_dtype;
  pollfd stop{signal_fd, POLLIN, 0};
  auto loaded = engine::Engine::load(*model_path, load_options, [&](const engine::LoadProgress& progress) {
    source->set_reason(load_state(progress));
    return poll(&stop, 1, 0) == 0;  // a signal cancels the load
  });
  if (!loaded) {
    close(signal_fd);
    return report_error(loaded.error(), false);
  }
  const engine::ModelInfo& info = (*loaded)->info();
  std::cerr << "Ready: " << info.name << ", " << info.context_tokens << " tokens of context per request, " << info.max_num_seqs
            << " at once, at " << (*server)->base_url() << "\n";
  for (const std::string& warning : info.warnings) std::cerr << "Note: " << warning << "\n";
  source->set_engine(std::shared_ptr<engine::Engine>(std::move(*loaded)));

  while (poll(&stop, 1, -1) < 0 && errno == EINTR) {
  }
  std::cerr << "Stopping.\n";
  server->reset();
  source->set_engine(nullptr);
  close(signal_fd);
  return kExitOk;
}

}  // namespace

void add_serve_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command = add_command(app, context, "serve", "Serve an OpenAI-compatible API");
  command->add_option("MODEL", options->model, "Model file, folder or catalogue id")->required();
  command->add_option("--host", options->host, "Address to listen on; any but loopback needs a key")->capture_default_str();
  command->add_option("--port", options->port, "Port; 0 takes a free one")->check(CLI::Range(0, 65535))->capture_default_str();
  command->add_option("--api-key-file", options->api_key_file, "File whose first line is the key clients must send");
  command->add_option("--served-model-name", options->served_name, "Name clients see instead of the model's own");
  command->add_option("--context", options->context, "Tokens per request; default: what fits")->check(number_from(1));
  command->add_option("--max-num-seqs", options->max_num_seqs, "Requests that run at once")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--max-num-batched-tokens", options->max_num_batched_tokens, "Token budget of one step")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--kv-dtype", options->kv_dtype, "f16, f32, fp8 or q8_0")->capture_default_str();
  command->add_option("--allowed-origin", options->allowed_origins, "Web origin whose pages may use the API; repeatable");
  command->add_option("--allowed-host", options->allowed_hosts, "Further host name this machine is reached by; repeatable");
  command->callback([options, &context] { context.exit_status = run_serve(*options, context.common); });
}

}  // namespace tandem::node
