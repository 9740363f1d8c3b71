#define _GNU_SOURCE
#include "Terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios settings;
static volatile sig_atomic_t taken = -1;
static int writer = -1;
static char farewell[128];
static size_t farewell_length;

static const int deadly[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU, SIGXFSZ};
enum { deadly_count = sizeof deadly / sizeof deadly[0] };
static struct sigaction before[deadly_count];

// Only calls that are safe in a signal handler: signal-safety(7).
static void restore(void) {
  if (taken < 0) return;
  // From the background, tcsetattr would stop the process.
  sigset_t block, old;
  sigemptyset(&block);
  sigaddset(&block, SIGTTOU);
  sigprocmask(SIG_BLOCK, &block, &old);
  tcsetattr(taken, TCSANOW, &settings);
  sigprocmask(SIG_SETMASK, &old, NULL);
  taken = -1;
}

static void give_up(void) {
  if (taken < 0 || !judder_terminal_is_ours(taken)) return;
  restore();
  ssize_t count = write(writer, farewell, farewell_length);
  (void)count;
}

static void die(int signal) {
  give_up();
  for (size_t i = 0; i < deadly_count; i++) {
    if (deadly[i] == signal) sigaction(signal, &before[i], NULL);
  }
  raise(signal);
}

int judder_terminal_take(int input, int output, const char *leave, size_t length) {
  if (length > sizeof farewell) {
    errno = EINVAL;
    return -1;
  }
  // Taken before, and changed by somebody else since: what was kept then still holds.
  if (taken < 0 && tcgetattr(input, &settings) < 0) return -1;
  memcpy(farewell, leave, length);
  farewell_length = length;
  writer = output;
  static int is_guarded = 0;
  if (!is_guarded) {
    is_guarded = 1;
    atexit(give_up);
    struct sigaction action = {.sa_handler = die};
    for (size_t i = 0; i < deadly_count; i++) sigaction(deadly[i], &action, &before[i]);
  }
  struct termios raw = settings;
  raw.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON | ISTRIP | PARMRK);
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | IEXTEN);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(input, TCSANOW, &raw) < 0) return -1;
  taken = input;
  return 0;
}

void judder_terminal_give_back(void) { restore(); }

int judder_terminal_is_ours(int descriptor) {
  pid_t group = tcgetpgrp(descriptor);
  return group < 0 || group == getpgrp();
}

int judder_terminal_writer(int descriptor) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}
