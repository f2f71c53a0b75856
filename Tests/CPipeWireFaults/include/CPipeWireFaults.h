/* Makes a busy machine for the reader of a screen cast: the moments at which it loses the processor are chosen. */
#ifndef CPIPEWIREFAULTS_H
#define CPIPEWIREFAULTS_H

#include <stdbool.h>

/* From now on, a thread that ends a stream of PipeWire waits first, while it holds the lock of the loop, and memory
   that is freed has other content at once. False ends both. Returns false if libpipewire is not installed. */
bool cpwf_delay_ends(bool is_on);

#endif
