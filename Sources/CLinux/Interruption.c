#define _GNU_SOURCE
#include "Interruption.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void nothing(int signal) { (void)signal; }

void judder_interruptible_thread(void) {
  struct sigaction action = {.sa_handler = nothing}; // without SA_RESTART
  sigemptyset(&action.sa_mask);
  sigaction(SIGURG, &action, NULL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGURG);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

void *judder_interruption_begin(int after_ms) {
  timer_t *timer = malloc(sizeof *timer);
  if (timer == NULL) return NULL;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG};
  event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
  if (timer_create(CLOCK_MONOTONIC, &event, timer) != 0) {
    int error = errno;
    free(timer);
    errno = error;
    return NULL;
  }
  if (after_ms < 1) after_ms = 1;
  struct itimerspec when = {
      .it_value = {.tv_sec = after_ms / 1000, .tv_nsec = (after_ms % 1000) * 1000000L},
      .it_interval = {.tv_sec = 0, .tv_nsec = 50000000L},
  };
  timer_settime(*timer, 0, &when, NULL);
  return timer;
}

void judder_interruption_end(void *interruption) {
  timer_t *timer = interruption;
  if (timer == NULL) return;
  int error = errno;
  timer_delete(*timer);
  free(timer);
  errno = error;
}

void judder_interrupt(pthread_t thread) { pthread_kill(thread, SIGURG); }
