#include "base/signal_cleanup.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>

namespace cgpu {

namespace {

/// As a signal handler can read them; null where a place is free. What finds no place is removed by its object alone.
std::array<std::atomic<char*>, 256>& kept_paths() {
  static std::array<std::atomic<char*>, 256> paths{};
  return paths;
}

void remove_and_end(int signal) {
  remove_registered_paths();
  ::raise(signal);  // whose handler is the default one again
}

/// Handles the signals that end a program, unless it does so itself.
void handle_signals() {
  kept_paths();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void register_for_removal(const std::string& path) {
  static std::once_flag handled;
  std::call_once(handled, handle_signals);
  char* const copy = ::strdup(path.c_str());
  for (std::atomic<char*>& place : kept_paths()) {
    char* free_place = nullptr;
    if (place.compare_exchange_strong(free_place, copy)) return;
  }
  ::free(copy);
}

void unregister_for_removal(const std::string& path) {
  for (std::atomic<char*>& place : kept_paths()) {
    char* kept = place.load();
    if (kept != nullptr && path == kept && place.compare_exchange_strong(kept, nullptr)) return ::free(kept);
  }
}

void remove_registered_paths() {
  for (const bool folders : {false, true}) {
    for (const std::atomic<char*>& place : kept_paths()) {
      if (const char* path = place.load()) folders ? ::rmdir(path) : ::unlink(path);
    }
  }
}

}  // namespace cgpu
