// The viewer over HTTP (cpp-httplib): one address, GET and HEAD, with the headers and refusals of
// docs/viewer-protocol.md, "Rules for all requests".
#pragma once

#include <memory>
#include <string>

#include "serve/viewer.h"

namespace cgpu {

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;       // 0: any that is free
  std::string token;  // empty: none is asked for
};

class HttpServer {
 public:
  /// Binds. Throws Error where the address cannot be had. The viewer must outlive the server.
  HttpServer(const Viewer& viewer, const ServerOptions& options);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  /// "http://127.0.0.1:7788/", with the token where there is one. `host`: as this machine is called, where that is not
  /// the address that the server is bound to.
  std::string url(const std::string& host = "") const;

  /// Serves, in threads of its own, until `stop`.
  void start();
  /// Ends every connection and waits for the threads.
  void stop();

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace cgpu
