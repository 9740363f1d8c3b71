// Starts another program: posix_spawn(3) as a daemon wants it.
#ifndef CLINUX_SPAWN_H
#define CLINUX_SPAWN_H

/// Starts `program` in a session and process group of its own, in the folder /, with no signal blocked or ignored, and
/// with no descriptor but these three as its standard input, output and error. No shell, and no look-up in PATH.
/// Answers 0 and sets `process` and `handle`, a pidfd(2) that is readable once it has ended, or -1; or an errno.
int judder_spawn(const char *program, char *const arguments[], char *const environment[], int input, int output,
                 int errors, int *process, int *handle);

/// 1 when the child has ended, with si_code and si_status of waitid(2), and leaves it to be waited for, so that its
/// number stays taken; 0 while it runs, -1 with errno.
int judder_child_end(int process, int *code, int *status);

/// A pipe(2) that is closed on exec. 0, or -1 with errno.
int judder_pipe(int ends[2]);

#endif
