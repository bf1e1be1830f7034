#include "mpi/death_notice.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>

extern "C" {  // which the header of glibc 2.36 does not say
#include <sys/pidfd.h>
}

#include "base/signal_cleanup.h"

namespace cgpu {

namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
/// Of the processes that were opening files no more are named.
constexpr int kMostNamed = 16;

OpenFiles* open_files = nullptr;

/// A line put together without allocating, for signal handlers.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const size_t count = std::min(text.size(), text_.size() - size_);
    std::memcpy(text_.data() + size_, text.data(), count);
    size_ += count;
    return *this;
  }
  Line& operator<<(int number) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), static_cast<size_t>(end - digits.data()));
  }
  Line& operator<<(const FileSlot& file) {
    return *this << (file.name()[0] != '\0' ? "while it opened " : "when it had no rank open") << file.name();
  }
  /// In one piece, so that it is not mixed with lines of others.
  void write() {
    if (size_ == text_.size()) --size_;
    text_[size_++] = '\n';
    [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text_.data(), size_);
  }

 private:
  std::array<char, 4096> text_{};
  size_t size_ = 0;
};

void say_what_was_opened(int signal) {
  Line line;
  line << "cgpu-mpi: ended by signal " << signal << ", without a result; process 0 " << open_files->own().file;
  int named = 0;
  int others = 0;
  for (size_t process = 1; process < open_files->dealt().size(); ++process) {
    const FileSlot& file = open_files->dealt()[process];
    if (file.name()[0] == '\0') continue;
    if (named == kMostNamed) {
      ++others;
      continue;
    }
    ++named;
    line << ", process " << static_cast<int>(process) << " " << file;
  }
  if (others > 0) line << ", and " << others << " more";
  line.write();
}

void handle(int signal) {
  const int kept_errno = errno;
  ProcessSlot& own = open_files->own();
  own.is_reported = true;
  if (signal != SIGTERM) {
    Line line;
    line << "cgpu-mpi: process " << own.process << " crashed (signal " << signal << ") " << own.file;
    line.write();
  } else if (own.process == 0 && !open_files->of_machine().front()->has_seen_death) {
    say_what_was_opened(signal);
  }
  remove_registered_paths();
  errno = kept_errno;
  raise(signal);  // as the handler is gone, this ends the process
}

void handle_with(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESETHAND;
  sigaction(signal, &action, nullptr);
}

}  // namespace

DeathNotice::DeathNotice(OpenFiles& files) : files_(files) {
  open_files = &files;
  for (const int signal : kCrashes) handle_with(signal, handle);
  handle_with(SIGTERM, handle);

  // The first process of a machine watches the others, and the second one the first.
  std::vector<ProcessSlot*> others = files.of_machine();
  if (&files.own() == others.front()) {
    others.erase(others.begin());
  } else {
    others.resize(&files.own() == others[1] ? 1 : 0);
  }
  end_of_watch_ = others.empty() ? -1 : eventfd(0, EFD_CLOEXEC);
  if (end_of_watch_ < 0) return;
  try {
    watcher_ = std::thread([this, others] { watch(others); });
  } catch (const std::system_error&) {  // no more threads: deaths are not watched
  }
}

DeathNotice::~DeathNotice() {
  files_.own().is_reported = true;
  if (watcher_.joinable()) {
    eventfd_write(end_of_watch_, 1);
    watcher_.join();
  }
  if (end_of_watch_ >= 0) close(end_of_watch_);
  for (const int signal : kCrashes) handle_with(signal, SIG_DFL);
  handle_with(SIGTERM, SIG_DFL);
  open_files = nullptr;
}

void DeathNotice::watch(const std::vector<ProcessSlot*>& others) const {
  std::vector<pollfd> ends = {{end_of_watch_, POLLIN, 0}};
  for (const ProcessSlot* slot : others) ends.push_back({pidfd_open(slot->id, 0), POLLIN, 0});  // below 0: passed over
  bool is_over = false;
  while (!is_over && (poll(ends.data(), ends.size(), -1) >= 0 || errno == EINTR)) {
    is_over = ends[0].revents != 0;
    for (size_t i = 0; i < others.size(); ++i) {
      pollfd& end = ends[1 + i];
      if (end.fd < 0 || end.revents == 0) continue;
      close(end.fd);
      end = {-1, POLLIN, 0};
      // Those that come after the first one are ended by the launcher.
      if (others[i]->is_reported || files_.of_machine().front()->has_seen_death.exchange(true)) continue;
      Line line;
      line << "cgpu-mpi: process " << others[i]->process << " died " << others[i]->file
           << "; the job ends without a result";
      line.write();
    }
  }
  for (size_t i = 1; i < ends.size(); ++i) {
    if (ends[i].fd >= 0) close(ends[i].fd);
  }
}

}  // namespace cgpu
