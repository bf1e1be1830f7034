// See ../unistd.h.
#pragma once
#include_next <sys/socket.h>

#include <errno.h>

#ifndef AF_UNIX
#define AF_UNIX 1
#endif
#ifndef SOCK_CLOEXEC
#define SOCK_CLOEXEC 02000000
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static inline int socket(int domain, int type, int protocol) {
  (void)domain, (void)type, (void)protocol;
  errno = ENOSYS;
  return -1;
}
static inline int connect(int descriptor, const struct sockaddr* address, socklen_t size) {
  (void)descriptor, (void)address, (void)size;
  errno = ENOSYS;
  return -1;
}
