// See unistd.h.
#pragma once
#include_next <signal.h>

#include <errno.h>

#ifndef SA_RESETHAND
#define SA_RESETHAND 0x80000000
#define SA_NODEFER 0x40000000
struct sigaction {
  void (*sa_handler)(int);
  int sa_flags;
};
static inline int sigaction(int signal, const struct sigaction* action, struct sigaction* former) {
  (void)signal, (void)action, (void)former;
  errno = ENOSYS;
  return -1;
}
#endif
