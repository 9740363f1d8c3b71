// Bounds calls that block and take no deadline of their own, such as connect(2) inside a library.
#ifndef CLINUX_INTERRUPTION_H
#define CLINUX_INTERRUPTION_H

#include <pthread.h>

/// Makes the calling thread interruptible: from now on SIGURG ends its blocking system calls with EINTR, and does
/// nothing else. SIGURG, because its default is to be ignored: one that comes late or astray harms nobody.
void judder_interruptible_thread(void);

/// Interrupts the calling thread once `after_ms` have passed and every 50 ms from then on, until it is ended.
/// Gives a handle for `judder_interruption_end`, or NULL with errno when the kernel has no timer left.
void *judder_interruption_begin(int after_ms);

/// Ends an interruption; NULL is nothing to end.
void judder_interruption_end(void *interruption);

/// Interrupts another thread that called `judder_interruptible_thread` and has not been joined.
void judder_interrupt(pthread_t thread);

#endif
