/* libpipewire for the test program that sends screen casts. The broadcaster does not link it. */
#ifndef CPIPEWIREDEV_SHIM_H
#define CPIPEWIREDEV_SHIM_H

#include <spa/utils/defs.h>

#endif
