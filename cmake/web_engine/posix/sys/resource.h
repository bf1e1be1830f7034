// See ../unistd.h.
#pragma once
#include_next <sys/resource.h>

#include <errno.h>

#define RLIMIT_NOFILE 7
#define RLIM_INFINITY (~0ULL)
typedef unsigned long long rlim_t;
struct rlimit {
  rlim_t rlim_cur;
  rlim_t rlim_max;
};
static inline int getrlimit(int resource, struct rlimit* limit) {
  (void)resource, (void)limit;
  errno = ENOSYS;
  return -1;
}
static inline int setrlimit(int resource, const struct rlimit* limit) {
  (void)resource, (void)limit;
  errno = ENOSYS;
  return -1;
}
