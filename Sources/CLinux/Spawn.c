#define _GNU_SOURCE
#include "Spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int set_up(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions, const int descriptors[3]) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (error == 0)
    error = posix_spawnattr_setflags(attributes,
                                     POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  for (int target = 0; target < 3 && error == 0; target++)
    error = posix_spawn_file_actions_adddup2(actions, descriptors[target], target);
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  if (error == 0) error = posix_spawn_file_actions_addchdir_np(actions, "/");
  return error;
}

int judder_spawn(const char *program, char *const arguments[], char *const environment[], int input, int output,
                 int errors, int *process, int *handle) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  int error = posix_spawnattr_init(&attributes);
  if (error != 0) return error;
  error = posix_spawn_file_actions_init(&actions);
  if (error == 0) {
    const int descriptors[3] = {input, output, errors};
    error = set_up(&attributes, &actions, descriptors);
    pid_t child = -1;
    if (error == 0) error = posix_spawn(&child, program, &actions, &attributes, arguments, environment);
    *process = child;
    posix_spawn_file_actions_destroy(&actions);
  }
  posix_spawnattr_destroy(&attributes);
  if (error == 0) *handle = (int)syscall(SYS_pidfd_open, *process, 0);
  return error;
}

int judder_child_end(int process, int *code, int *status) {
  siginfo_t info = {.si_pid = 0};
  if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return -1;
  *code = info.si_code;
  *status = info.si_status;
  return info.si_pid != 0;
}

int judder_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
