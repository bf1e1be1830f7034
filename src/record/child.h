// Runs the recorded program as a child: its input and output are its own, signals pass through, and its exit status is
// given back as it is.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cgpu {

/// Descriptors that stand for standard output and standard error of the program where a profiler's own output goes
/// elsewhere. One digit each, for the redirections of sh.
inline constexpr int kProgramOutput = 8;
inline constexpr int kProgramErrors = 9;

struct Launch {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  // variables besides those of this process
  std::string output_file;   // takes what the command itself writes; the program has kProgramOutput; "" for one output
  std::string process_file;  // that the program writes its process number to; "" where it is the command
  std::vector<std::string> beside;  // a command that runs meanwhile; "{pid}" in it is the program's process number
  bool waits_for_beside = false;    // the program begins when that sends it SIGCONT, at the latest when that has ended
  std::string beside_output;        // file that takes what it writes
  bool is_interrupted = false;  // signals that this process gets reach the command as SIGINT, on which profilers write
  std::function<void()> while_it_runs;  // called several times a second; may be null
};

/// Waits for the program, and then for the command beside it. Signals that end programs and that other processes send
/// to this one are sent on to the program; those of the terminal reach it anyway. Returns its status as waitpid() has
/// it. Throws Error where the command cannot be started.
int run_program(const Launch& launch);

/// Ends this process as a program with such a status ended: by the same signal, or with its exit status.
[[noreturn]] void end_with_status(int status);
/// "exit 3", "signal SIGTERM".
std::string status_text(int status);

}  // namespace cgpu
