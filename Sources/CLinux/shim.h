/* Calls of Linux that Swift does not import: variadic ones, and GNU extensions behind _GNU_SOURCE. */
#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

#include <sys/prctl.h>

/* Names the calling thread, in 15 bytes at most. */
static inline void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* No core file and no reading of our memory by other processes of the same user: there are keys in it. */
static inline void clinux_protect_memory(void) { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/* Huge pages would round x264's buffers up to 2 MiB each: some 5 MB more for a percent of speed. */
static inline void clinux_avoid_huge_pages(void) { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

#endif
