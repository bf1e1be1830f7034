// What py-spy writes of processes and threads as if they were functions, below the functions of a stack: with
// --subprocesses `process 12:"python train.py"`, with --threads `thread (0x7F12): MainThread`.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// Takes `beginning` off a text that begins with it.
bool take(std::string_view& text, std::string_view beginning);
/// Takes the digits off that a text begins with, and gives them.
std::string_view take_digits(std::string_view& text);

/// The thread that a stack is of; what it does not say is "".
struct PySpyThread {
  std::string process;  // its number
  std::string command;
  std::string thread;  // its number, decimal or "0x7F12"
  std::string thread_name;

  /// Takes the next frame of a stack, the outermost one first; false where it is a function, with which these end. A
  /// process that another started has the frames of both, the inner one of which is its own.
  bool take_frame(std::string_view frame);
  /// "process 12 (python train.py) thread (0x7F12): MainThread", without what is not known.
  std::string name() const;
};

}  // namespace cgpu
