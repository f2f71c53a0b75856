/* libwayland-client, and the interfaces of the core protocol. */
#ifndef CWAYLAND_SHIM_H
#define CWAYLAND_SHIM_H

#include <wayland-client.h>

#endif
