#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "cli/output.h"

namespace cgpu {

namespace {

size_t columns_of(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

TextOptions text_options(const std::string& output) {
  constexpr size_t kDefaultWidth = 100;
  TextOptions options;
  const bool terminal = is_stdout(output) && ::isatty(STDOUT_FILENO) == 1;
  options.width = terminal ? columns_of(STDOUT_FILENO) : 0;
  if (const char* columns = std::getenv("COLUMNS"); options.width == 0 && columns) {
    options.width = std::min<size_t>(std::strtoul(columns, nullptr, 10), 10000);
  }
  if (options.width == 0) options.width = kDefaultWidth;
  const char* no_color = std::getenv("NO_COLOR");
  options.terminal = terminal;
  options.color = terminal && !(no_color && *no_color);
  return options;
}

void say(const std::string& line) {
  fmt::print(stderr, "cgpu: {}\n", one_line(line));
}

ProgressBar::ProgressBar(const std::string& title)
    : title_(one_line(title)), on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressBar::update(double share) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!on_terminal_ || now - started_ < 500ms || (drawn_ && now - last_ < 100ms)) return;
  last_ = now;
  drawn_ = true;
  constexpr size_t kBar = 30;
  const auto done = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * kBar);
  const size_t width = std::max<size_t>(columns_of(STDERR_FILENO), 60);
  const std::string title = title_.substr(0, width - kBar - 12);
  fmt::print(stderr, "\r\x1b[K{} [{}{}] {:3.0f} %", title, std::string(done, '#'), std::string(kBar - done, '.'),
             100 * std::clamp(share, 0.0, 1.0));
  std::fflush(stderr);
}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

WaitingLine::WaitingLine() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void WaitingLine::update(const std::string& what) {
  if (!on_terminal_) return;
  const auto now = Clock::now();
  if (what != what_) {
    what_ = what;
    started_ = now;
  }
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now - started_).count();
  if (seconds < 2 || seconds == shown_) return;
  shown_ = seconds;
  const size_t width = std::max<size_t>(columns_of(STDERR_FILENO), 60);
  fmt::print(stderr, "\r\x1b[K{}, {} s", one_line(what).substr(0, width - 16), seconds);
  std::fflush(stderr);
}

WaitingLine::~WaitingLine() {
  if (shown_ > 0) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace cgpu
