// Serves one trace to Perfetto's page in a browser on this machine, until the page has fetched it.
//
// The page ui.perfetto.dev fetches a trace from http://127.0.0.1:9001 and from no other port (its own content policy);
// the server has to say that this page may. Nothing else is served, no other page may read it, and a request that names
// another host is refused (guard.h). Source: Perfetto's documentation of deep links, and its script open_trace_in_ui.
#pragma once

#include <memory>
#include <string>

namespace cgpu {

class PerfettoTraceServer {
 public:
  static constexpr int kPort = 9001;

  /// Binds and serves `trace` in threads of its own. Throws Error where the port is taken. `port`: for tests.
  explicit PerfettoTraceServer(std::string trace, int port = kPort);
  ~PerfettoTraceServer();
  PerfettoTraceServer(const PerfettoTraceServer&) = delete;
  PerfettoTraceServer& operator=(const PerfettoTraceServer&) = delete;

  /// What to open in the browser.
  std::string url() const;
  int port() const;
  /// Returns when the page has fetched the trace, or after `stop`, which may be called from another thread.
  void wait_until_fetched();
  void stop();

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace cgpu
