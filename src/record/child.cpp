#include "record/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "base/replace_all.h"
#include "readers/common/outside_program.h"

namespace cgpu {

namespace {

constexpr std::array kPassedOn{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

sigset_t waited_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : kPassedOn) ::sigaddset(&signals, signal);
  ::sigaddset(&signals, SIGCHLD);
  return signals;
}

/// Blocks the signals that are waited for, as long as it lasts.
class BlockedSignals {
 public:
  BlockedSignals() {
    const sigset_t signals = waited_signals();
    ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~BlockedSignals() { restore(); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  void restore() const { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

/// In a child: standard output and standard error go to a file, and where `keeps_program_output` is set those of before
/// stay open for the program.
void redirect_output(const std::string& file, bool keeps_program_output) {
  if (file.empty()) return;
  if (keeps_program_output) {
    ::dup2(STDOUT_FILENO, kProgramOutput);
    ::dup2(STDERR_FILENO, kProgramErrors);
  }
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (descriptor < 0) return;
  ::dup2(descriptor, STDOUT_FILENO);
  ::dup2(descriptor, STDERR_FILENO);
  if (descriptor > STDERR_FILENO) ::close(descriptor);
}

/// A pipe that an exec closes, by which the child says why it could not start the program.
struct StartPipe {
  int from = -1;
  int to = -1;
  StartPipe() {
    int ends[2];
    if (::pipe(ends) != 0) throw Error("record: no pipe could be made");
    constexpr int kAboveProgramOutput = 20;
    from = ::fcntl(ends[0], F_DUPFD_CLOEXEC, kAboveProgramOutput);
    to = ::fcntl(ends[1], F_DUPFD_CLOEXEC, kAboveProgramOutput);
    ::close(ends[0]);
    ::close(ends[1]);
  }
};

/// Throws Error where the child has said by the pipe that it could not start the program. Waits until it has started.
void expect_started(const Launch& launch, const StartPipe& pipe, pid_t child) {
  int why = 0;
  const bool failed = ::read(pipe.from, &why, sizeof why) == sizeof why;
  ::close(pipe.from);
  if (!failed) return;
  ::waitpid(child, nullptr, 0);
  throw Error(launch.command[0], fmt::format("cannot be started: {}", std::strerror(why)));
}

pid_t start(const Launch& launch, const StartPipe& pipe, const BlockedSignals& signals) {
  const std::vector<char*> arguments = exec_arguments(launch.command);
  const pid_t child = ::fork();
  if (child < 0) throw Error(launch.command[0], "no process could be started for it");
  if (child == 0) {
    redirect_output(launch.output_file, true);
    for (const auto& [name, value] : launch.environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (!launch.beside.empty()) ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    signals.restore();
    if (launch.waits_for_beside) ::raise(SIGSTOP);
    ::execvp(arguments[0], arguments.data());
    const int why = errno;
    if (::write(pipe.to, &why, sizeof why) != sizeof why) ::_exit(126);
    ::_exit(127);
  }
  ::close(pipe.to);
  if (launch.waits_for_beside) {
    siginfo_t about{};
    ::waitid(P_PID, static_cast<id_t>(child), &about, WSTOPPED | WEXITED | WNOWAIT);  // until it has stopped
  } else {
    expect_started(launch, pipe, child);
  }
  return child;
}

pid_t start_beside(const Launch& launch, pid_t program, const BlockedSignals& signals) {
  std::vector<std::string> words = launch.beside;
  for (std::string& word : words) replace_all(word, "{pid}", std::to_string(program));
  const std::vector<char*> arguments = exec_arguments(words);
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setpgid(0, 0);  // an interrupt from the terminal is for the program; this ends when that has ended
  redirect_output(launch.beside_output, false);
  signals.restore();
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

/// The process that signals are sent on to.
pid_t program_of(const Launch& launch, pid_t child) {
  if (launch.process_file.empty()) return child;
  std::ifstream file(launch.process_file);
  pid_t process = 0;
  return file >> process && process > 0 ? process : child;
}

}  // namespace

int run_program(const Launch& launch) {
  const BlockedSignals blocked;
  const StartPipe pipe;
  const pid_t child = start(launch, pipe, blocked);
  const pid_t beside = launch.beside.empty() ? 0 : start_beside(launch, child, blocked);
  const sigset_t signals = waited_signals();
  std::optional<int> status;
  bool beside_runs = beside > 0;
  while (!status || beside_runs) {
    siginfo_t about{};
    constexpr timespec kBetween{.tv_sec = 0, .tv_nsec = 200'000'000};
    const int signal =
        launch.while_it_runs ? ::sigtimedwait(&signals, &about, &kBetween) : ::sigwaitinfo(&signals, &about);
    if (launch.while_it_runs) launch.while_it_runs();
    if (signal < 0) continue;
    if (signal != SIGCHLD) {
      // A signal of the terminal (si_code above 0) has reached all processes in the foreground.
      if (about.si_code <= 0 && !status) ::kill(program_of(launch, child), launch.is_interrupted ? SIGINT : signal);
      if (status && beside_runs) ::kill(beside, SIGINT);  // do not wait longer for what looks at an ended program
      continue;
    }
    int ended = 0;
    for (pid_t process = ::waitpid(-1, &ended, WNOHANG); process > 0; process = ::waitpid(-1, &ended, WNOHANG)) {
      if (process == child) status = ended;
      if (process != beside) continue;
      beside_runs = false;
      if (launch.waits_for_beside && !status) ::kill(child, SIGCONT);  // it may have failed before it did
    }
  }
  if (launch.waits_for_beside) expect_started(launch, pipe, child);
  return *status;
}

void end_with_status(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

std::string status_text(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    return fmt::format("signal SIG{}", name == nullptr ? std::to_string(WTERMSIG(status)) : name);
  }
  return fmt::format("exit {}", WEXITSTATUS(status));
}

}  // namespace cgpu
