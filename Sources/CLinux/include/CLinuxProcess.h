// Waiting, signals, clocks, environment and terminal: what the life of a process needs.
#ifndef CLINUX_PROCESS_H
#define CLINUX_PROCESS_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

/// ppoll(2) without a signal mask. Waits at most `timeout_ns`, forever when it is negative; answers as ppoll does.
int judder_poll(struct pollfd *descriptors, size_t count, int64_t timeout_ns);

/// Blocks the `count` signals in the calling thread and those it starts later, and answers a non-blocking signalfd(2)
/// that reads them; -1 with errno on failure.
int judder_signal_descriptor(const int *signals, size_t count);

/// The number of the next signal that waits in a signalfd; 0 when none does; -1 with errno on failure.
int judder_next_signal(int descriptor);

/// Ignores a signal: sigaction(2) with SIG_IGN.
int judder_ignore_signal(int signal);

/// The kernel's state of CLOCK_REALTIME: adjtimex(2) that changes nothing. 1 when something disciplines the clock
/// (no STA_UNSYNC, and the state is not TIME_ERROR), 0 when nothing does, -1 with errno when the kernel does not say.
int judder_clock_is_synchronised(void);

/// `NAME=value` of every environment variable, ended by NULL: environ(7).
char *const *judder_environment(void);

/// The words for an errno value: strerrordesc_np(3); NULL for an unknown one.
const char *judder_error_text(int code);

/// The size of the terminal behind a descriptor: ioctl(2) TIOCGWINSZ. 0, or -1 with errno when it is none.
int judder_terminal_size(int descriptor, int *columns, int *rows);

/// Sends one datagram to a Unix socket: a path, or an abstract name with a leading '@'. 0, or -1 with errno. Does not
/// wait: a full socket is EAGAIN.
int judder_send_datagram(const char *address, const char *bytes, size_t length);

/// Fills `bytes` from getrandom(2), waiting for the kernel's pool where it must. 0, or -1 with errno.
int judder_random(void *bytes, size_t length);

/// The resident set's peak [kB] and the CPU time used so far [s]: getrusage(2) for the whole process. 0, or -1.
int judder_usage(int64_t *peak_kb, double *cpu_s);

#endif
