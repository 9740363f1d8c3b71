#define _GNU_SOURCE
#include "CLinuxProcess.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <unistd.h>

int judder_poll(struct pollfd *descriptors, size_t count, int64_t timeout_ns) {
  if (timeout_ns < 0) return ppoll(descriptors, count, NULL, NULL);
  struct timespec timeout = {timeout_ns / 1000000000, timeout_ns % 1000000000};
  return ppoll(descriptors, count, &timeout, NULL);
}

int judder_signal_descriptor(const int *signals, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
  int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (error != 0) {
    errno = error;
    return -1;
  }
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int judder_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  for (;;) {
    ssize_t count = read(descriptor, &info, sizeof info);
    if (count == sizeof info) return (int)info.ssi_signo;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return 0;
    if (count >= 0) errno = EIO;
    return -1;
  }
}

int judder_ignore_signal(int signal) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  return sigaction(signal, &action, NULL);
}

int judder_clock_is_synchronised(void) {
  struct timex state = {.modes = 0};
  int answer = adjtimex(&state);
  if (answer < 0) return -1;
  return answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

char *const *judder_environment(void) { return environ; }

const char *judder_error_text(int code) { return strerrordesc_np(code); }

int judder_terminal_size(int descriptor, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) < 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

int judder_send_datagram(const char *address, const char *bytes, size_t length) {
  struct sockaddr_un target = {.sun_family = AF_UNIX};
  size_t size = strlen(address);
  if (size == 0 || size >= sizeof target.sun_path) {
    errno = EINVAL;
    return -1;
  }
  memcpy(target.sun_path, address, size);
  socklen_t target_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
  if (address[0] == '@') target.sun_path[0] = '\0';
  else target_size++;

  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  ssize_t sent = sendto(descriptor, bytes, length, MSG_NOSIGNAL, (struct sockaddr *)&target, target_size);
  int error = errno;
  close(descriptor);
  errno = error;
  return sent < 0 ? -1 : 0;
}

int judder_random(void *bytes, size_t length) {
  unsigned char *next = bytes;
  while (length > 0) {
    ssize_t count = getrandom(next, length, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    next += count;
    length -= (size_t)count;
  }
  return 0;
}

int judder_usage(int64_t *peak_kb, double *cpu_s) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) < 0) return -1;
  *peak_kb = usage.ru_maxrss;
  *cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  return 0;
}
