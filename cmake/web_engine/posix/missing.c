// What the C library declares, or leaves out, and has not for WASI. Temporary files work: the page's file system has /tmp.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// Puts letters in the place of the six X at the end, other ones each time.
static void fill_name(char* name) {
  static unsigned number = 0;
  unsigned left = ++number;
  for (char* at = name + strlen(name) - 6; *at; ++at, left /= 26) *at = (char)('a' + left % 26);
}

int mkostemp(char* name, int flags) {
  fill_name(name);
  return open(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
}

char* mkdtemp(char* name) {
  fill_name(name);
  return mkdir(name, 0700) == 0 ? name : NULL;
}

int madvise(void* begin, size_t size, int advice) {
  (void)begin, (void)size, (void)advice;
  return 0;
}

/// Nothing forks.
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
  (void)prepare, (void)parent, (void)child;
  return 0;
}

/// Of the thread that there is: it does not end.
int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library) {
  (void)destroy, (void)object, (void)library;
  return 0;
}
