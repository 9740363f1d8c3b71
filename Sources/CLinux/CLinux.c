#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>
#include <sys/eventfd.h>

int judder_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void judder_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
