// Calls the program many times without starting it anew: each call is a process that is forked from one that has
// already started and has read a profile, so that what a start costs (libraries, rules that are compiled) is paid once.
// For fuzz/whole_program.py, which starts one for each processor.
//
//   call_server SECONDS MEGABYTES WARM-UP
//
// calls `report WARM-UP`, then answers lines on standard input, of parts that each end with a zero byte: a folder to
// run in, a path for what the call writes (PATH.out, PATH.err), and its words. For each call it writes a line: the exit
// status, or minus the number of the signal that ended it; SIGALRM (14) after SECONDS. MEGABYTES of address space, 0:
// no limit.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "base/allocator.h"
#include "base/open_files.h"
#include "cli/cli.h"

namespace {

void open_as(int descriptor, const std::string& path, int flags) {
  const int opened = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) std::abort();
}

int call(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return cgpu::run_command_line(static_cast<int>(words.size()), arguments.data());
}

/// Runs `work` in a process of its own; returns how that ended.
template <typename Work>
int in_fork(const Work& work) {
  std::cout.flush();
  const pid_t child = ::fork();
  if (child == 0) std::exit(work());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) std::abort();
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  cgpu::set_up_allocator();
  cgpu::allow_many_open_files();
  const auto seconds = static_cast<unsigned>(std::atoi(argv[1]));
  const rlim_t bytes = std::strtoull(argv[2], nullptr, 10) << 20;
  ::setenv("NO_COLOR", "1", 1);
  const int answers = ::dup(STDOUT_FILENO);
  open_as(STDOUT_FILENO, "/dev/null", O_WRONLY);
  if (call({"cgpu", "report", argv[3]}) != 0) return 2;

  std::string line;
  while (std::getline(std::cin, line)) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < line.size(); at += parts.back().size() + 1) parts.emplace_back(line.c_str() + at);
    if (parts.size() < 3) return 2;
    const int status = in_fork([&] {
      const rlimit none{0, 0};
      ::setrlimit(RLIMIT_CORE, &none);
      const rlimit limit{bytes, bytes};
      if (bytes > 0) ::setrlimit(RLIMIT_AS, &limit);
      ::setenv("TMPDIR", parts[0].c_str(), 1);
      if (::chdir(parts[0].c_str()) != 0) std::abort();
      open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
      open_as(STDOUT_FILENO, parts[1] + ".out", O_WRONLY | O_CREAT | O_TRUNC);
      open_as(STDERR_FILENO, parts[1] + ".err", O_WRONLY | O_CREAT | O_TRUNC);
      ::alarm(seconds);
      std::vector<std::string> words(parts.begin() + 2, parts.end());
      words.insert(words.begin(), "cgpu");
      return call(std::move(words));
    });
    const std::string answer = fmt::format("{}\n", status);
    if (::write(answers, answer.data(), answer.size()) < 0) return 2;
  }
  return 0;
}
