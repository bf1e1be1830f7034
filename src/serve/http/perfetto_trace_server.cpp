#include "serve/http/perfetto_trace_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.h"
#include "serve/http/guard.h"

namespace cgpu {

namespace {

constexpr const char* kAddress = "127.0.0.1";
constexpr const char* kPage = "https://ui.perfetto.dev";
constexpr const char* kPath = "/trace.pftrace";

}  // namespace

class PerfettoTraceServer::Server {
 public:
  Server(std::string trace, int port) : trace_(std::move(trace)), port_(port) {
    server_.set_default_headers({{"Access-Control-Allow-Origin", kPage}, {"Cache-Control", "no-store"}});
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (request.get_header_value_count("Host") == 1 && guard_->allows_host(request.get_header_value("Host")))
        return httplib::Server::HandlerResponse::Unhandled;
      response.status = 403;
      return httplib::Server::HandlerResponse::Handled;
    });
    server_.Options(kPath, [](const httplib::Request&, httplib::Response& response) {
      response.set_header("Access-Control-Allow-Methods", "GET");
      response.set_header("Access-Control-Allow-Private-Network", "true");
      response.status = 204;
    });
    server_.Get(kPath, [this](const httplib::Request& request, httplib::Response& response) {
      if (request.has_header("Origin") && request.get_header_value("Origin") != kPage) {
        response.status = 403;
        return;
      }
      response.set_content_provider(
          trace_.size(), "application/octet-stream",
          [this](size_t offset, size_t length, httplib::DataSink& sink) {
            constexpr size_t kBlock = size_t{1} << 20;
            return sink.write(trace_.data() + offset, std::min(length, kBlock));
          },
          [this](bool complete) {
            if (complete) finished();
          });
    });
    // Only this: with SO_REUSEPORT, the library's choice, two servers would share the port without noticing.
    server_.set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    if (port_ == 0)
      port_ = server_.bind_to_any_port(kAddress);
    else if (!server_.bind_to_port(kAddress, port_))
      port_ = -1;
    if (port_ <= 0) {
      throw Error(fmt::format("{}:{}", kAddress, port),
                  "is taken, and Perfetto's page fetches from no other port: end what listens there");
    }
    guard_.emplace(kAddress, port_, "");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }

  ~Server() {
    server_.stop();
    thread_.join();
  }

  int port() const { return port_; }

  void finished() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
  }

 private:
  std::string trace_;
  int port_;
  std::optional<Guard> guard_;  // once the port is known
  httplib::Server server_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

PerfettoTraceServer::PerfettoTraceServer(std::string trace, int port)
    : server_(std::make_unique<Server>(std::move(trace), port)) {}
PerfettoTraceServer::~PerfettoTraceServer() = default;

std::string PerfettoTraceServer::url() const {
  return fmt::format("{}/#!/?url=http://{}:{}{}", kPage, kAddress, server_->port(), kPath);
}
int PerfettoTraceServer::port() const {
  return server_->port();
}
void PerfettoTraceServer::wait_until_fetched() {
  server_->wait();
}
void PerfettoTraceServer::stop() {
  server_->finished();
}

}  // namespace cgpu
