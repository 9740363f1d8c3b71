// A terminal whose keys are read one by one, and that is given back however the process ends.
#ifndef CLINUX_TERMINAL_H
#define CLINUX_TERMINAL_H

#include <stddef.h>

/// Keeps the settings of the terminal behind `input`, and turns echo, lines and flow control off (termios(3)); signals
/// from the keyboard stay. A deadly signal or exit(3) restores the settings and writes `leave` to `output` from then
/// on. Taken again, it only sets them once more. 0, or -1 with errno. For one terminal a process.
int judder_terminal_take(int input, int output, const char *leave, size_t length);

/// Restores the settings, unless they are already; writes nothing.
void judder_terminal_give_back(void);

/// Whether this process may speak to the terminal: it is in its foreground, or the terminal controls no jobs.
int judder_terminal_is_ours(int descriptor);

/// Another descriptor for the same terminal, whose writes do not wait whatever other processes do with theirs; -1 with
/// errno where the system refuses it.
int judder_terminal_writer(int descriptor);

#endif
