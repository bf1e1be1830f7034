// What is at the other end of stdout and stderr.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "table/text.h"

namespace cgpu {

/// Rows of a table as text by default.
inline constexpr size_t kRowsOnScreen = 40;

/// Width and colour for text on stdout: of the terminal; else, and where `output` names a file (output.h), COLUMNS,
/// else 100 columns, without colour. Honours NO_COLOR.
TextOptions text_options(const std::string& output = {});

/// Says something on stderr, as one line that is harmless to a terminal whatever it quotes (base/error.h), behind the
/// program's name.
void say(const std::string& line);

/// A progress bar on stderr: shown only on a terminal, once the work has lasted over half a second; wiped at the end.
class ProgressBar {
 public:
  explicit ProgressBar(const std::string& title);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `share` of the work done, 0..1. Cheap; redraws ten times a second at most.
  void update(double share);

 private:
  using Clock = std::chrono::steady_clock;
  std::string title_;
  bool on_terminal_;
  bool drawn_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_ = started_;
};

/// A line on stderr that says what is waited for and how long already: shown only on a terminal, once a second, from
/// two seconds on; wiped at the end.
class WaitingLine {
 public:
  WaitingLine();
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

  /// Another `what` counts from 0 again. Cheap.
  void update(const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;
  bool on_terminal_;
  std::string what_;
  Clock::time_point started_;
  int64_t shown_ = 0;  // seconds
};

}  // namespace cgpu
