#include "cli/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include "base/environment.h"

extern char** environ;

namespace cgpu {

bool has_display() {
  return !environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty();
}

void open_browser(const std::string& url) {
  std::string program = "xdg-open";
  std::string address = url;
  char* arguments[] = {program.data(), address.data(), nullptr};
  posix_spawn_file_actions_t silent;
  ::posix_spawn_file_actions_init(&silent);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&silent, descriptor, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;  // a browser must not inherit that the signals are blocked here
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t process = 0;  // where there is no such program the printed address has to do
  ::posix_spawnp(&process, program.c_str(), &silent, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&silent);
}

}  // namespace cgpu
