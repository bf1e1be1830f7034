// measure COMMAND...: runs it and says on the last line of standard output how long it took and what it needed:
//
//   measured SECONDS PEAK_RESIDENT_BYTES
//
// Wall clock from start to reaped; peak of the kernel's accounting. A program of its own because a child begins
// with the peak of the process that forked it: this one is small, a script's interpreter is not.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: measure COMMAND...\n");
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[1], argv + 1);
    std::perror(argv[1]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) {
    std::perror("measure");
    return 1;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("measured %.6f %ld\n", seconds.count(), usage.ru_maxrss * 1024);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
