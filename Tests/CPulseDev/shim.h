/* libpulse's asynchronous API. */
#ifndef CPULSE_SHIM_H
#define CPULSE_SHIM_H

#include <pulse/pulseaudio.h>

#endif
