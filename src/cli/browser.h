// The browser of the user who started the program, and how the user ends it.
#pragma once

#include <signal.h>

#include <string>

namespace cgpu {

/// Whether this machine has a screen to show a browser on.
bool has_display();
/// Opens the address in the user's browser and does not wait. Where there is no program for it nothing happens: the
/// printed address has to do.
void open_browser(const std::string& url);

/// Ctrl-C and a polite kill, taken by the function that waits for them instead of ending the program. To be made before
/// any thread is.
class EndSignals {
 public:
  EndSignals() {
    ::sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void wait() const {
    int signal = 0;
    ::sigwait(&signals_, &signal);
  }

 private:
  sigset_t signals_;
};

}  // namespace cgpu
