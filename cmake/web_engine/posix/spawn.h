// See unistd.h.
#pragma once

#include <errno.h>
#include <sys/types.h>

typedef struct {
  int nothing;
} posix_spawn_file_actions_t;

static inline int posix_spawn_file_actions_init(posix_spawn_file_actions_t* actions) {
  (void)actions;
  return 0;
}
static inline int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t* actions) {
  (void)actions;
  return 0;
}
static inline int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t* actions, int descriptor, const char* path,
                                                   int flags, mode_t mode) {
  (void)actions, (void)descriptor, (void)path, (void)flags, (void)mode;
  return 0;
}
static inline int posix_spawnp(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
                               const void* attributes, char* const arguments[], char* const environment[]) {
  (void)child, (void)program, (void)actions, (void)attributes, (void)arguments, (void)environment;
  return ENOSYS;
}
