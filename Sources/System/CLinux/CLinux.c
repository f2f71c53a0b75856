#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

void clinux_return_large_buffers(void) { mallopt(M_MMAP_THRESHOLD, 128 * 1024); }

void clinux_protect_memory(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void clinux_avoid_huge_pages(void) { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

int clinux_affinity_count(void) {
  /* The mask of a large machine does not fit into cpu_set_t, and the call fails then. */
  for (size_t count = CPU_SETSIZE; count <= 64 * CPU_SETSIZE; count *= 2) {
    cpu_set_t *set = CPU_ALLOC(count);
    size_t size = CPU_ALLOC_SIZE(count);
    int result = set && sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (result > 0) return result;
  }
  return 1;
}

int clinux_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

short clinux_poll_input(int descriptor, int wake, int64_t nanoseconds) {
    struct pollfd pollers[] = {{.fd = descriptor, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return ppoll(pollers, 2, &limit, NULL) > 0 ? pollers[0].revents : 0;
}

int clinux_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

void clinux_start_writeback(int descriptor, off_t start, off_t count) {
  sync_file_range(descriptor, start, count, SYNC_FILE_RANGE_WRITE);
}

static void make_foreground(pid_t group) {
  /* A process of a background group gets SIGTTOU for this, unless it blocks the signal. */
  sigset_t terminal_output, before;
  sigemptyset(&terminal_output);
  sigaddset(&terminal_output, SIGTTOU);
  sigprocmask(SIG_BLOCK, &terminal_output, &before);
  tcsetpgrp(STDIN_FILENO, group);
  sigprocmask(SIG_SETMASK, &before, 0);
}

void clinux_take_foreground(pid_t group) {
  if (tcgetpgrp(STDIN_FILENO) == group) make_foreground(getpgrp());
}

static int join_group(enum clinux_group group, bool was_foreground) {
  switch (group) {
  case CLINUX_GROUP_SESSION: return setsid() < 0 ? -1 : 0;
  case CLINUX_GROUP_FOREGROUND:
    if (setpgid(0, 0) != 0) return -1;
    if (was_foreground) make_foreground(getpid());
    return 0;
  case CLINUX_GROUP_OWN: break;
  }
  return setpgid(0, 0);
}

/* Moves the program's descriptors to 0 to 3. They may be any descriptors of the caller, so they are first moved out of
   the way. */
static int place_descriptors(const int *wanted) {
  int moved[4], number;
  for (number = 0; number < 4; number++) {
    int source = wanted[number];
    if (source < 0) source = number < 3 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    moved[number] = source < 0 ? -1 : fcntl(source, F_DUPFD_CLOEXEC, 4);
    if (moved[number] < 0 && number < 3) return -1;
  }
  for (number = 0; number < 4; number++) {
    if (moved[number] >= 0 && dup2(moved[number], number) < 0) return -1;
  }
  return 0;
}

/* Everything from `first` on is closed by exec, except that the error pipe stays open until exec has succeeded. */
static void close_others(unsigned first) {
  /* 4 is CLOSE_RANGE_CLOEXEC (close_range(2), Linux 5.11). */
  if (syscall(SYS_close_range, first, ~0U, 4U) == 0) return;
  long limit = sysconf(_SC_OPEN_MAX);
  if (limit <= 0 || limit > 65536) limit = 65536;
  for (int number = (int)first; number < limit; number++) fcntl(number, F_SETFD, FD_CLOEXEC);
}

/* In the child, after fork in a process with threads: only async-signal-safe calls (signal-safety(7)). Returns only if
   a step failed, with errno. */
static void become(const struct clinux_program *program, pid_t parent, bool was_foreground) {
  const struct rlimit no_core = {0, 0};
  sigset_t none;
  if (join_group(program->group, was_foreground) != 0) return;
  if (program->dies_with_thread) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return;
    /* The parent may have died before that call. */
    if (getppid() != parent) _exit(127);
  }
  if (program->has_no_core && setrlimit(RLIMIT_CORE, &no_core) != 0) return;
  if (program->folder && chdir(program->folder) != 0) return;
  if (place_descriptors(program->descriptors) != 0) return;
  close_others(program->descriptors[3] >= 0 ? 4 : 3);
  for (int number = 1; number < 65; number++) signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
  execvpe(program->path, program->arguments, program->environment ? program->environment : environ);
}

pid_t clinux_spawn(const struct clinux_program *program) {
  int ends[2], code = 0;
  sigset_t all, before;
  pid_t parent = getpid(), pid;
  bool was_foreground = tcgetpgrp(STDIN_FILENO) == getpgrp();
  if (clinux_pipe(ends) != 0) return -1;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid = fork();
  if (pid == 0) {
    int error = fcntl(ends[1], F_DUPFD_CLOEXEC, 8);
    become(program, parent, was_foreground);
    code = errno;
    ssize_t count = write(error, &code, sizeof code);
    _exit(127 + (count < 0));
  }
  code = pid < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, 0);
  close(ends[1]);
  if (pid > 0) {
    ssize_t count;
    do count = read(ends[0], &code, sizeof code);
    while (count < 0 && errno == EINTR);
    if (count == (ssize_t)sizeof code) {
      while (waitpid(pid, 0, 0) < 0 && errno == EINTR) {}
      pid = -1;
    } else {
      code = 0;
    }
  }
  close(ends[0]);
  errno = code;
  return pid;
}

int clinux_wait_for_group(pid_t pid) {
  siginfo_t information;
  int status = 0;
  while (waitid(P_PID, (id_t)pid, &information, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
  kill(-pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

bool clinux_poll_group(pid_t pid, int *status) {
  siginfo_t information;
  information.si_pid = 0;
  if (waitid(P_PID, (id_t)pid, &information, WEXITED | WNOWAIT | WNOHANG) != 0 || information.si_pid == 0) return false;
  *status = clinux_wait_for_group(pid);
  return true;
}

ssize_t clinux_send_message(int socket, const void *bytes, size_t count, int descriptor) {
  union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  ssize_t sent;
  if (descriptor >= 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    control.header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof(int));
  }
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent;
}

ssize_t clinux_receive_message(int socket, void *bytes, size_t capacity, int *descriptor) {
  union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
  struct iovec part = {bytes, capacity};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t received;
  *descriptor = -1;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  if (received <= 0) return received;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof(int))) {
    memcpy(descriptor, CMSG_DATA(header), sizeof(int));
  }
  if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
    errno = EMSGSIZE;
    return -1;
  }
  return received;
}
