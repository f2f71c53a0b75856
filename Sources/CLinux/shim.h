/* Calls of Linux that Swift does not import: variadic ones, and GNU extensions behind _GNU_SOURCE. */
#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Names the calling thread, in 15 bytes at most. */
static inline void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* No core file and no reading of our memory by other processes of the same user: there are keys in it. */
static inline void clinux_protect_memory(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/* Huge pages would round x264's buffers up to 2 MiB each: some 5 MB more for a percent of speed. */
static inline void clinux_avoid_huge_pages(void) { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

/* glibc 2.29 and later; a GNU extension. */
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

/* The child is to run in that folder. */
static inline void clinux_spawn_in_folder(posix_spawn_file_actions_t *_Nonnull actions, const char *_Nonnull folder) {
  posix_spawn_file_actions_addchdir_np(actions, folder);
}

/* A GNU extension. */
int pipe2(int *_Nonnull ends, int flags);

/* A pipe that no program which is started meanwhile inherits. Gives 0, or -1 with errno. */
static inline int clinux_pipe(int *_Nonnull ends) { return pipe2(ends, O_CLOEXEC); }

/* What clinux_spawn starts. Strings end in 0, lists in NULL; nothing of it is kept. */
struct clinux_program {
  const char *_Nonnull path;
  const char *_Nonnull folder;
  char *_Nullable const *_Nonnull arguments;
  char *_Nullable const *_Nonnull environment;
  /* Become 0, 1 and 2; every other descriptor is closed. All must be above 2. */
  int descriptors[3];
};

/* In the child: nothing but calls that are safe after a fork in a program with threads. Returns only where a step failed, with errno. */
static inline void clinux_become(const struct clinux_program *_Nonnull program, pid_t parent) {
  const struct rlimit no_core = {0, 0};
  sigset_t none;
  int number;
  long limit;
  if (setpgid(0, 0) != 0) return;
  /* It dies with the thread that started it, which waits for it; the host may have died before this line. */
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return;
  if (getppid() != parent) _exit(127);
  /* It is given keys, which are not to be in a core file; exec makes it dumpable again. */
  if (setrlimit(RLIMIT_CORE, &no_core) != 0) return;
  if (chdir(program->folder) != 0) return;
  for (number = 0; number < 3; number++)
    if (dup2(program->descriptors[number], number) < 0) return;
  /* 4 is CLOSE_RANGE_CLOEXEC: the pipe that tells of a failed exec is to stay open until it has succeeded. */
  if (syscall(SYS_close_range, 3U, ~0U, 4U) != 0) {
    limit = sysconf(_SC_OPEN_MAX);
    for (number = 3; number < (limit > 0 && limit < 65536 ? limit : 65536); number++) fcntl(number, F_SETFD, FD_CLOEXEC);
  }
  for (number = 1; number < 65; number++) signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
  execve(program->path, program->arguments, program->environment);
}

/* Starts a program in a process group of its own, which is killed when the calling thread ends. Gives its pid, or -1 with errno, also where
   the program itself cannot be run. Fork and not posix_spawn: that has neither a parent-death signal nor a way to close what it does not name. */
static inline pid_t clinux_spawn(const struct clinux_program *_Nonnull program) {
  int ends[2], code = 0;
  ssize_t count;
  pid_t parent = getpid(), pid;
  if (clinux_pipe(ends) != 0) return -1;
  pid = fork();
  if (pid == 0) {
    clinux_become(program, parent);
    code = errno;
    count = write(ends[1], &code, sizeof code);
    _exit(127 + (count < 0));
  }
  code = pid < 0 ? errno : 0;
  close(ends[1]);
  if (pid > 0) {
    do count = read(ends[0], &code, sizeof code);
    while (count < 0 && errno == EINTR);
    if (count == (ssize_t)sizeof code) {
      waitpid(pid, 0, 0);
      pid = -1;
    } else {
      code = 0;
    }
  }
  close(ends[0]);
  errno = code;
  return pid;
}

/* Waits until a child has ended, kills what is left of its process group while its number cannot belong to anyone else, and gives the
   child's status as of wait(2). */
static inline int clinux_wait_for_group(pid_t pid) {
  siginfo_t information;
  int status = 0;
  while (waitid(P_PID, (id_t)pid, &information, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
  kill(-pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return status;
}

/* The start of what dl_iterate_phdr(3) tells of a loaded object; its own structure is a GNU extension. */
struct clinux_object {
  uintptr_t address;
  const char *_Nullable name;
  const ElfW(Phdr) *_Nullable headers;
  uint16_t count;
};
struct dl_phdr_info;
int dl_iterate_phdr(int (*_Nonnull)(struct dl_phdr_info *, size_t, void *), void *_Nullable);

/* Unmaps the code and the constants of one object. What was written, by relocation too, stays. */
static inline int clinux_release_object(struct dl_phdr_info *_Nullable information, size_t size, void *_Nullable page) {
  const struct clinux_object *object = (const struct clinux_object *)information;
  const ElfW(Dyn) *entry;
  uintptr_t mask = ~((uintptr_t)page - 1), start, end;
  int index;
  for (index = 0; index < object->count; index++) {
    if (object->headers[index].p_type != PT_DYNAMIC) continue;
    for (entry = (const ElfW(Dyn) *)(object->address + object->headers[index].p_vaddr); entry->d_tag != DT_NULL; entry++)
      if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL))) return 0;
  }
  for (index = 0; index < object->count; index++) {
    if (object->headers[index].p_type != PT_LOAD || (object->headers[index].p_flags & PF_W)) continue;
    start = (object->address + object->headers[index].p_vaddr + (uintptr_t)page - 1) & mask;
    end = (object->address + object->headers[index].p_vaddr + object->headers[index].p_filesz) & mask;
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

/* Lets go of the pages of code and constants, which are read again from the page cache where they are needed: what only the start needed
   is no longer ours. */
static inline void clinux_release_code(void) { dl_iterate_phdr(clinux_release_object, (void *)(uintptr_t)sysconf(_SC_PAGESIZE)); }

#endif
