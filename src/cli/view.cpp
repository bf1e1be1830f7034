// cgpu view INPUT... [--against INPUT...]: the viewer, a page served from this machine.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/signal_cleanup.h"
#include "cli/browser.h"
#include "cli/input_options.h"
#include "cli/saved_files.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/viewer_file.h"
#include "serve/http/guard.h"
#include "serve/http/http_server.h"
#include "serve/opening.h"
#include "session/summaries/summary.h"

namespace cgpu {

namespace {

constexpr int kUsualPort = 7788;
constexpr int kPortsTried = 20;

/// As others reach this machine: at the address by which its user came, else by its name.
std::string own_name() {
  std::string host = environment("SSH_CONNECTION");  // client address and port, server address and port
  for (int i = 0; i < 2 && !host.empty(); ++i) host.erase(0, std::min(host.find(' ') + 1, host.size()));
  host = host.substr(0, host.find(' '));
  char name[256] = {};
  if (host.empty() && ::gethostname(name, sizeof name - 1) == 0) host = name;
  return host;
}

/// What to type on the machine where the browser is, for a server at this address of this one.
std::string ssh_line(const std::string& address, int port) {
  const std::string user = environment("USER");
  return fmt::format("ssh -N -L {0}:{1}:{0} {2}{3}{4}", port, in_url(address), user, user.empty() ? "" : "@",
                     own_name());
}

struct ViewCommand {
  InputOptions input;
  std::vector<std::string> against;
  std::vector<std::string> traces;  // folders with the profiles of a summary
  std::optional<int> port;
  std::string address = "127.0.0.1";
  std::string token;
  bool no_browser = false;
  std::string output;        // a static copy
  unsigned size_limit = 50;  // MB
  bool without_arguments = false;

  void run() {
    if (!against.empty()) check_comparison();
    if (!traces.empty() && !are_summaries(input.inputs)) {
      throw Error("view: --traces is for the ranks of a summary: give one (cgpu summarize), or leave out --traces");
    }
    if (!output.empty()) return write_copy();
    if (without_arguments) throw Error("view: --no-args is for a copy: name the file to write with -o");
    check();
    const EndSignals end;
    Viewer viewer(CGPU_VERSION);
    std::vector<Shown> shown = {{input, viewer.add(input.inputs)}};
    if (!against.empty()) {
      InputOptions other = input;
      other.inputs = against;
      shown.push_back({other, viewer.add(against)});
      viewer.compare();
    }
    for (const Shown& one : shown) one.profile.offer(saved_files(one.input));
    if (are_summaries(input.inputs)) viewer.offer_ranks(input, traces, say);
    HttpServer server = listen(viewer);
    std::atomic<bool> opened = false;
    std::atomic<bool> failed = false;
    std::thread opening([&] {
      for (const Shown& one : shown) failed = !open(one) || failed;
      opened = true;
    });
    server.start();
    announce(server);
    end.wait();
    server.stop();
    // A reader cannot be interrupted, and nothing of what it has made is needed.
    if (!opened || viewer.is_opening_ranks()) {
      std::fflush(nullptr);
      remove_registered_paths();
      std::_Exit(0);
    }
    opening.join();
    if (failed) std::exit(2);  // the line is on stderr since it failed
  }

  /// A profile of the page, and what is opened for it.
  struct Shown {
    InputOptions input;
    ViewedProfile& profile;
  };

  /// Whether it could be opened.
  static bool open(const Shown& shown) {
    const InputOptions& input = shown.input;
    ViewedProfile& profile = shown.profile;
    try {
      open_profile(profile, input, with_progress(input));
      return true;
    } catch (const std::exception& error) {
      say(error.what());
      profile.fail(error.what());
      return false;
    }
  }

  void check_comparison() const {
    if (!output.empty()) throw Error("view: a copy has one profile: leave out --against, or -o");
    if (input.selection().has_window()) {
      throw Error("view: whole runs are compared: leave out --from, --to and --step, or --against");
    }
  }

  void write_copy() {
    check_viewer_file(output, input);
    write_viewer_file(output, input, {.size_limit = size_limit, .arguments = !without_arguments});
  }

  void check() const {
    if (token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~") !=
        std::string::npos) {
      throw Error("--token: letters, digits and - . _ ~ were expected");
    }
    constexpr size_t kLeastOfToken = 16;  // fewer can be tried out
    if (!token.empty() && token.size() < kLeastOfToken) {
      throw Error(
          fmt::format("--token: {} characters are too few, at least {} were expected: `openssl rand -hex 16` makes one",
                      token.size(), kLeastOfToken));
    }
    if (!is_loopback(address) && token.empty()) {
      throw Error("--bind " + address +
                  ": others can reach this address, so a secret is needed: add --token with a long random text");
    }
    for (const auto* inputs : {&input.inputs, &against}) {
      for (const std::string& path : *inputs) {  // what is plainly not there needs no server to say so
        if (!against.empty() && stands_for_summaries(path)) {
          throw Error(path,
                      "is a summary, without a timeline to lay beside another: give the profile, or have cgpu compare "
                      "say what changed");
        }
        std::error_code ignored;
        const bool pattern = path.find_first_of("*?[") != std::string::npos;
        if (path != "-" && !pattern && !std::filesystem::is_directory(path, ignored)) File{path};
      }
    }
  }

  HttpServer listen(const Viewer& viewer) const {
    ServerOptions options{address, port.value_or(kUsualPort), token};
    for (int tried = 1;; ++tried, ++options.port) {
      try {
        return HttpServer(viewer, options);
      } catch (const Error& error) {
        if (port) throw Error(fmt::format("{} (choose another --port, or 0 for any that is free)", error.what()));
        if (tried == kPortsTried) throw;
      }
    }
  }

  void announce(const HttpServer& server) const {
    if (!port && server.port() != kUsualPort) {
      say(fmt::format("port {} is taken; this is on {}", kUsualPort, server.port()));
    }
    const bool any = is_any_address(address);
    fmt::print("{}\n", server.url(any ? own_name() : ""));
    const bool remote = !environment("SSH_CONNECTION").empty();
    if (is_loopback(address) && (remote || !has_display())) {
      fmt::print("From another machine: {}\n", ssh_line(address, server.port()));
    }
    fmt::print("Ctrl-C ends it.\n");
    std::fflush(stdout);
    if (!no_browser && !remote && has_display()) open_browser(server.url(any ? "localhost" : ""));
  }
};

}  // namespace

void add_view_verb(CommandLine& line) {
  auto command = std::make_shared<ViewCommand>();
  Verb verb = line.add_verb("view", "The viewer: timeline, flame graphs and tables in the browser");
  verb.add_option("INPUT", command->input.inputs, "Profiles: files, directories of rank files, globs, or -").required();
  verb.add_option("--against", command->against,
                  "The run after INPUT, one or more files of it: both side by side, and what changed");
  verb.add_option("--traces", command->traces,
                  "Of a summary: folders with the profiles of its ranks, whose timelines the page opens (default: the "
                  "folder of the summary)");
  verb.add_option("--port", command->port, "Port to serve on (default: 7788 or the next that is free; 0: any)")
      .between(0, 65535);
  verb.add_flag("--no-browser", command->no_browser, "Open no browser, only print the address");
  verb.add_option("--bind", command->address,
                  "Address to serve on (default 127.0.0.1); one that others can reach needs --token");
  verb.add_option("--token", command->token, "Answer only those who know this secret, of at least 16 characters");
  verb.add_option("-o,--output", command->output,
                  "Serve nothing; write a copy of the viewer to this .html file, which works without the program");
  verb.add_option("--size-limit", command->size_limit, "Megabytes that the copy may have (default 50)");
  verb.add_flag("--no-args", command->without_arguments, "Leave the arguments of events out of the copy");
  add_input_options(verb, command->input, true);
  verb.set_action([command] { command->run(); });
}

}  // namespace cgpu
