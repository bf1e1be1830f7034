#include "serve/http/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <xxhash.h>

#include <array>
#include <set>
#include <thread>
#include <utility>

#include "base/error.h"
#include "export/sink.h"
#include "serve/http/connection.h"
#include "serve/http/guard.h"

namespace cgpu {

namespace {

constexpr size_t kThreads = 64;  // that serve; a connection has one as long as it lasts
constexpr int kBacklog = 256;    // connections that wait to be accepted
constexpr int kRequestsOfConnection = 1000;
constexpr size_t kWorthCompressing = 1024;  // bytes

enum Status : int { kSeeOther = 303, kNotModified = 304, kUnauthorized = 401, kForbidden = 403, kNoSuchMethod = 405 };

const httplib::Headers& headers_of_all() {
  static const httplib::Headers headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
       "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cache-Control", "no-cache"},  // kept, but asked for again: the server may be another by then
  };
  return headers;
}

std::string compress(const std::string& body) {
  std::string compressed;
  const auto sink = gzip_sink([&](std::string_view bytes) { compressed += bytes; });
  sink->write(body);
  sink->finish();
  return compressed;
}

/// Threads for connections; counts those that wait for one.
class Workers : public httplib::TaskQueue {
 public:
  explicit Workers(std::atomic<int>& waiting) : waiting_(waiting), pool_(kThreads) {}
  void enqueue(std::function<void()> work) override {
    ++waiting_;
    pool_.enqueue([this, work = std::move(work)] {
      --waiting_;
      work();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  std::atomic<int>& waiting_;
  httplib::ThreadPool pool_;
};

}  // namespace

class HttpServer::Listener : public httplib::Server {
 public:
  Listener(const Viewer& viewer, const ServerOptions& options) : viewer_(viewer), address_(options.address) {
    new_task_queue = [this] { return new Workers(waiting_); };
    set_default_headers(headers_of_all());
    // What answers state; process_and_close_socket keeps to both.
    set_keep_alive_max_count(kRequestsOfConnection);
    set_keep_alive_timeout(Connection::kIdle.count());
    // Only this: with SO_REUSEPORT, the library's choice, two servers would share a port without noticing.
    set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      handle(request, response);
      return HandlerResponse::Handled;
    });
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return;
      refused_ = true;  // by the library: it was no HTTP, and what follows on the connection is none either
      const Answer answer = error_answer(response.status, "malformed request");
      response.set_content(answer.body, answer.type);
    });
    port_ = options.port == 0 ? bind_to_any_port(address_) : options.port;
    const bool bound = options.port == 0 ? port_ > 0 : bind_to_port(address_, port_);
    if (!bound) throw Error(fmt::format("{}:{}", address_, options.port), "cannot be listened on");
    ::listen(svr_sock_, kBacklog);  // the library's own is 5
    guard_.emplace(address_, port_, options.token);
    token_ = options.token;
  }

  int port() const { return port_; }

  std::string url(const std::string& host) const {
    return fmt::format("http://{}:{}/{}", in_url(host.empty() ? address_ : host), port_,
                       token_.empty() ? "" : "?token=" + token_);
  }

  void start() {
    thread_ = std::thread([this] { listen_after_bind(); });
    while (!is_running()) std::this_thread::yield();
  }

  void finish() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    viewer_.end_work();
    stop();
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    }
    thread_.join();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    {
      const std::lock_guard lock(mutex_);
      open_.insert(socket);
    }
    Connection connection(socket, waiting_);
    bool closed = false;
    for (int left = kRequestsOfConnection; left > 0 && !closed && !stopping_; --left) {
      if (!connection.wait_for_request()) break;
      // What the library would do by itself with parts and compression is not wanted: it repeats a body for every part
      // that is asked for, and compresses at a speed made for files.
      const auto adapt = [](httplib::Request& request) {
        request.ranges.clear();
        const bool gzip = request.get_header_value("Accept-Encoding").find("gzip") != std::string::npos;
        request.headers.erase("Accept-Encoding");
        if (gzip) request.headers.emplace(kAcceptsGzip, "1");
      };
      refused_ = false;
      if (!process_request(connection, left == 1, closed, adapt) || refused_) break;
    }
    const std::lock_guard lock(mutex_);
    open_.erase(socket);
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return true;
  }

  void handle(const httplib::Request& request, httplib::Response& response) const {
    if (has_content(request)) refused_ = true;  // it is not read, and must not be taken for the next request
    const bool status = request.path == "/api/status";
    if (!status) response.set_header("X-Session", viewer_.identity().id);
    const std::string host = request.get_header_value("Host");
    const auto refuse = [&](int code, const char* message) {
      const Answer answer = error_answer(code, message);
      response.status = code;
      response.set_content(answer.body, answer.type);
    };
    if (request.get_header_value_count("Host") != 1 || !guard_->allows_host(host)) {
      return refuse(kForbidden, "this server is not called that");
    }
    if (!guard_->allows_origin(request.get_header_value("Origin"), host)) {
      return refuse(kForbidden, "requests of other sites are not answered");
    }
    if (!Guard::allows_site(request.get_header_value("Sec-Fetch-Site"), request.get_header_value("Sec-Fetch-Mode"),
                            request.get_header_value("Sec-Fetch-Dest"), request.path == "/")) {
      return refuse(kForbidden, "requests of other sites are not answered");
    }
    const bool changes = Viewer::changes(request.path);
    if (changes ? request.method != "POST" : request.method != "GET" && request.method != "HEAD") {
      response.set_header("Allow", changes ? "POST" : "GET, HEAD");
      return refuse(kNoSuchMethod, changes ? "only POST is answered here" : "only GET and HEAD are answered");
    }
    if (guard_->needs_token()) {
      if (request.path == "/" && request.has_param("token")) {
        if (!guard_->is_token(request.get_param_value("token"))) return refuse(kUnauthorized, "this is not the token");
        response.set_header("Set-Cookie", guard_->cookie());
        response.set_header("Location", "/");
        response.status = kSeeOther;
        return;
      }
      if (request.path.starts_with("/api/") &&
          !guard_->allows_token(request.get_header_value("Authorization"), request.get_header_value("Cookie"))) {
        return refuse(kUnauthorized, "the token is missing: open the address with ?token=... that cgpu printed");
      }
    }
    answer(request, response, status || changes);
  }

  /// `is_new`: every time, so that it cannot be known already.
  void answer(const httplib::Request& request, httplib::Response& response, bool is_new) const {
    const bool fixed = viewer_.is_fixed(request.path);  // then the request names the answer; the rest goes by content
    std::string tag;
    if (fixed) {
      tag = tag_of(request.target);
      if (is_known(request, response, tag)) return;
    }
    Answer answer = viewer_.answer({request.path, request.params});
    response.status = answer.status;
    if (answer.status == 200 && !is_new) {
      if (!fixed) tag = tag_of(answer.body);
      if (is_known(request, response, tag)) return;
      response.set_header("ETag", tag);
    }
    response.set_header("Vary", "Accept-Encoding");
    if (!answer.file_name.empty()) {
      response.set_header("Content-Disposition", fmt::format("attachment; filename=\"{}\"", answer.file_name));
    }
    if (answer.stream) return send_in_pieces(std::move(answer), response);
    if (answer.body.size() >= kWorthCompressing && request.has_header(kAcceptsGzip)) {
      answer.body = compress(answer.body);
      response.set_header("Content-Encoding", "gzip");
    }
    response.body = std::move(answer.body);
    response.set_header("Content-Type", answer.type);
  }

  static void send_in_pieces(Answer answer, httplib::Response& response) {
    response.set_chunked_content_provider(answer.type, [stream = std::move(answer.stream)](size_t, auto& sink) {
      try {
        stream([&](std::string_view bytes) {
          if (!bytes.empty() && !sink.write(bytes.data(), bytes.size())) throw Error("the client has gone");
        });
        sink.done();
        return true;
      } catch (const std::exception&) {
        return false;  // the answer stays without its end, so that the client sees that it is not whole
      }
    });
  }

  static bool has_content(const httplib::Request& request) {
    return request.has_header("Transfer-Encoding") ||
           (request.has_header("Content-Length") && request.get_header_value("Content-Length") != "0");
  }

  std::string tag_of(const std::string& text) const {
    return fmt::format("W/\"{}-{:016x}\"", viewer_.identity().id, XXH3_64bits(text.data(), text.size()));
  }

  /// Says 304 where the client has it already.
  static bool is_known(const httplib::Request& request, httplib::Response& response, const std::string& tag) {
    if (request.get_header_value("If-None-Match").find(tag) == std::string::npos) return false;
    response.status = kNotModified;
    response.set_header("ETag", tag);
    return true;
  }

  static constexpr const char* kAcceptsGzip = "X-Accepts-Gzip";
  static inline thread_local bool refused_ = false;  // the request that this thread serves

  const Viewer& viewer_;
  std::string address_;
  std::string token_;
  int port_ = 0;
  std::optional<Guard> guard_;
  std::atomic<int> waiting_ = 0;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;    // of open_
  std::set<int> open_;  // sockets
  std::thread thread_;
};

HttpServer::HttpServer(const Viewer& viewer, const ServerOptions& options)
    : listener_(std::make_unique<Listener>(viewer, options)) {}

HttpServer::~HttpServer() {
  stop();
}

int HttpServer::port() const {
  return listener_->port();
}

std::string HttpServer::url(const std::string& host) const {
  return listener_->url(host);
}

void HttpServer::start() {
  listener_->start();
}

void HttpServer::stop() {
  listener_->finish();
}

}  // namespace cgpu
