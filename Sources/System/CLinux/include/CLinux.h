/* Linux calls that Swift cannot import: variadic functions, GNU extensions, and what must run between fork and exec. */
#ifndef CLINUX_H
#define CLINUX_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/xattr.h>

/* Sets the name of the calling thread. The kernel keeps 15 bytes of it (prctl(2), PR_SET_NAME). */
void clinux_set_thread_name(const char *_Nonnull name);

/* Forbids core files of this process, and reading its memory by other processes of the same user: it holds stream
   keys. */
void clinux_protect_memory(void);

/* Disables transparent huge pages, which round each of x264's buffers up to 2 MiB: about 5 MB more for about 1 % of
   speed. */
void clinux_avoid_huge_pages(void);

/* The number of processors on which the calling thread may run (sched_getaffinity(2)); at least 1. */
int clinux_affinity_count(void);

/* Makes a pipe whose ends are close-on-exec from the start (pipe2(2)): ends[0] reads, ends[1] writes. Returns 0, or -1
   with errno. */
int clinux_pipe(int *_Nonnull ends);

/* Starts to write this part of a file to its disk, and does not wait for it (sync_file_range(2)). No effect on a
   pipe. */
void clinux_start_writeback(int descriptor, off_t start, off_t count);

/* The process group and terminal session of a new process. */
enum clinux_group {
  /* A new process group. */
  CLINUX_GROUP_OWN,
  /* A new process group that becomes the foreground group of the terminal on standard input, if the caller's group is
     that now. */
  CLINUX_GROUP_FOREGROUND,
  /* A new session without a terminal (setsid(2)). */
  CLINUX_GROUP_SESSION,
};

/* A program to start. Strings end in 0, lists in NULL. Nothing of it is kept. */
struct clinux_program {
  /* If it contains no slash, PATH is searched. */
  const char *_Nonnull path;
  char *_Nullable const *_Nonnull arguments;
  /* NULL: the environment of the caller. */
  char *_Nullable const *_Nullable environment;
  /* NULL: the working folder of the caller. */
  const char *_Nullable folder;
  /* These become descriptors 0, 1, 2 and 3; -1 opens /dev/null, for 3 it means none. All other descriptors are
     closed. */
  int descriptors[4];
  enum clinux_group group;
  /* The kernel kills the program when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG). */
  bool dies_with_thread;
  /* The program writes no core file. */
  bool has_no_core;
};

/* Starts a program, with all signals unblocked and at their default action. Returns its process identifier, or -1 with
   errno, also if the program cannot be executed. All signals are blocked around the fork, so no handler of the caller
   runs in the child.

   This uses fork(2) and not posix_spawn(3), which has no parent-death signal and no resource limits
   (docs/decisions.md). */
pid_t clinux_spawn(const struct clinux_program *_Nonnull program);

/* Waits until a child of the calling process ends, then kills the rest of its process group while the number cannot be
   reused. Returns the child's status in the format of wait(2). */
int clinux_wait_for_group(pid_t pid);

/* The same without waiting: true and the status once the child has ended, else false. */
bool clinux_poll_group(pid_t pid, int *_Nonnull status);

/* Makes an event counter that is close-on-exec and never blocks (eventfd(2)). Returns -1 on failure. */
int clinux_event_descriptor(void);

/* ppoll(2) for input of one descriptor, for at most `nanoseconds` or until `wake` has input; -1 for no `wake`. Returns
   the events of `descriptor`; 0 if there are none. */
short clinux_poll_input(int descriptor, int wake, int64_t nanoseconds);

/* Makes the caller's process group the foreground group of the terminal on standard input again, if `group` is that
   now. */
void clinux_take_foreground(pid_t group);

/* From now on, buffers of 128 KiB and more go back to the system when they are freed. glibc raises that limit with the
   first one that is freed (mallopt(3)), and then keeps holes between small pieces of memory. */
void clinux_return_large_buffers(void);

/* Sends one message over a connected socket, with a copy of `descriptor` unless that is -1 (unix(7), SCM_RIGHTS).
   Raises no SIGPIPE. Returns the bytes sent, or -1 with errno. */
ssize_t clinux_send_message(int socket, const void *_Nonnull bytes, size_t count, int descriptor);

/* Receives one message. `descriptor` becomes the one that came with it, close-on-exec, or -1. Returns its size, 0 at
   the end, or -1 with errno; EMSGSIZE if the message is larger than `capacity`. */
ssize_t clinux_receive_message(int socket, void *_Nonnull bytes, size_t capacity, int *_Nonnull descriptor);

#endif
