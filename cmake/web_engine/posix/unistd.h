// What src/ and the libraries use of POSIX and WASI has not, here and beside: it refuses, as it does on a machine without it.
#pragma once
#include_next <unistd.h>

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif
static inline ssize_t copy_file_range(int from, off_t* from_at, int to, off_t* to_at, size_t size, unsigned flags) {
  (void)from, (void)from_at, (void)to, (void)to_at, (void)size, (void)flags;
  errno = ENOSYS;
  return -1;
}
#ifdef __cplusplus
}
#endif
