#include "mpi/death_notice.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

namespace cgpu {

namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
/// Of the processes of other machines no more are named.
constexpr int kMostNamed = 16;

const OpenFiles* open_files = nullptr;

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

Line& operator<<(Line& line, const FileSlot& file) {
  return line << (file.name()[0] != '\0' ? "while it opened " : "while it opened no file") << file.name();
}

bool is_alive(const ProcessSlot& slot) {
  return kill(slot.id, 0) == 0 || errno != ESRCH;
}

void say_who_crashed(int signal) {
  Line line;
  line << "cgpu-mpi: process " << open_files->process() << " crashed (signal " << signal << ") "
       << open_files->own().file;
  line.write();
}

/// Whether one of this machine has died.
bool say_who_died() {
  bool somebody = false;
  const ProcessSlot* first_alive = nullptr;
  for (const ProcessSlot* slot : open_files->of_machine()) {
    if (is_alive(*slot)) {
      if (first_alive == nullptr) first_alive = slot;
    } else {
      somebody = true;
    }
  }
  if (first_alive != &open_files->own()) return somebody;
  for (const ProcessSlot* slot : open_files->of_machine()) {
    if (is_alive(*slot)) continue;
    Line line;
    line << "cgpu-mpi: process " << slot->process << " died " << slot->file << "; the job ends without a result";
    line.write();
  }
  return somebody;
}

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
  if (signal != SIGTERM) {
    say_who_crashed(signal);
  } else if (!say_who_died() && open_files->process() == 0) {
    say_what_was_opened(signal);
  }
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

DeathNotice::DeathNotice(const OpenFiles& files) {
  open_files = &files;
  for (const int signal : kCrashes) handle_with(signal, handle);
  handle_with(SIGTERM, handle);
}

DeathNotice::~DeathNotice() {
  for (const int signal : kCrashes) handle_with(signal, SIG_DFL);
  handle_with(SIGTERM, SIG_DFL);
  open_files = nullptr;
}

}  // namespace cgpu
