// What Swift's Glibc module leaves out: see the comment at each function.
#ifndef CLINUX_H
#define CLINUX_H

#include "CLinuxProcess.h"
#include "Devices.h"
#include "Interruption.h"
#include "Spawn.h"
#include "Terminal.h"

/// eventfd(2), non-blocking and closed on exec; -1 with errno on failure.
int judder_eventfd(void);

/// Names the calling thread (15 bytes at most), as `ps -L` and gdb show it.
void judder_name_thread(const char *name);

#endif
