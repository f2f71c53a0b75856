/* Xlib and the extensions that capture needs. The inline functions stand in for macros, which Swift does not import. */
#ifndef CX11_SHIM_H
#define CX11_SHIM_H

#include <sys/ipc.h>
#include <sys/shm.h>
#include <X11/Xlib.h>
#include <X11/Xlib-xcb.h>
#include <X11/Xutil.h>
#include <X11/Xatom.h>
#include <X11/extensions/XShm.h>
#include <X11/extensions/Xcomposite.h>
#include <X11/extensions/Xdamage.h>
#include <X11/extensions/Xfixes.h>
#include <X11/extensions/XInput2.h>
#include <X11/extensions/Xrandr.h>
#include <X11/extensions/scrnsaver.h>

/* XDestroyImage is a macro around a member function. */
static inline int cx11_destroy_image(XImage *image) { return XDestroyImage(image); }

/* resource_mask of the connection setup. Xlib.h hides the names of these members, but macros of its own reach into them
   likewise:
   private3 is resource_base, private4 resource_mask (Xlibint.h, struct _XDisplay). */
static inline XID cx11_resource_mask(Display *display) { return ((_XPrivDisplay)display)->private4; }

/* IPC_CREAT, IPC_RMID and the null key of shmget(2), with an owner-only mode. */
static inline int cx11_shm_create(size_t bytes) { return shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600); }
static inline void *cx11_shm_attach(int identifier) {
    void *address = shmat(identifier, 0, 0);
    return address == (void *)-1 ? 0 : address;
}
/* The segment is freed when the last process lets go of it, however that process ends. */
static inline int cx11_shm_mark_for_removal(int identifier) { return shmctl(identifier, IPC_RMID, 0); }

#endif
