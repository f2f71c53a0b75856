/* libpulse's asynchronous API. */
#ifndef CPULSEDEV_SHIM_H
#define CPULSEDEV_SHIM_H

#include <pulse/pulseaudio.h>

#endif
