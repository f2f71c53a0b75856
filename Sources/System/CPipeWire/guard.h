/*
 * Reads of memory that another process can take away. A memory file that becomes smaller while it is mapped raises SIGBUS at the
 * next read (mmap(2)). The same way as libwayland's wl_shm_buffer_begin_access.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* This thread reads `size` bytes from `start` on until `guard_end`. */
void guard_begin(const void *start, size_t size);

/* Returns false if a part of the memory was gone, and was read as zeros. Its address belongs to this process then. */
bool guard_end(void);

#endif
