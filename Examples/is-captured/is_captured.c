/*
 * A player that pauses while the display is being captured, as an iOS app does when `UIScreen.isCaptured` becomes true.
 *
 *     cc is_captured.c -lX11 -lXfixes -o is-captured && ./is-captured
 *
 * The program that captures the display owns the selection _BROADCAST_CAPTURE_S<screen>. When that program ends, the X
 * server releases the selection and sends an event, so polling is not necessary. The video of this example is a moving
 * bar; the program also prints "playing" and "paused".
 */
#include <X11/Xlib.h>
#include <X11/extensions/Xfixes.h>
#include <poll.h>
#include <stdio.h>

static Atom selection;

/* The code that an application needs starts here... */
static int watch_capture(Display *display, int *first_event) {
    char name[40];
    int first_error;
    if (!XFixesQueryExtension(display, first_event, &first_error)) return 0;
    snprintf(name, sizeof name, "_BROADCAST_CAPTURE_S%d", DefaultScreen(display));
    selection = XInternAtom(display, name, False);
    XFixesSelectSelectionInput(
        display, DefaultRootWindow(display), selection,
        XFixesSetSelectionOwnerNotifyMask | XFixesSelectionWindowDestroyNotifyMask | XFixesSelectionClientCloseNotifyMask);
    return 1;
}

static int is_captured(Display *display) { return XGetSelectionOwner(display, selection) != None; }
/* ...and ends here. */

int main(void) {
    Display *display = XOpenDisplay(NULL);
    int first_event, captured, position = 0;
    if (!display || !watch_capture(display, &first_event)) {
        fputs("is-captured: there is no display with XFIXES.\n", stderr);
        return 1;
    }
    int screen = DefaultScreen(display);
    Window window =
        XCreateSimpleWindow(display, RootWindow(display, screen), 0, 0, 320, 180, 0, 0, BlackPixel(display, screen));
    XStoreName(display, window, "is-captured");
    XMapWindow(display, window);
    GC pen = XCreateGC(display, window, 0, NULL);
    XSetForeground(display, pen, WhitePixel(display, screen));
    captured = is_captured(display);
    puts(captured ? "paused" : "playing");
    fflush(stdout);
    for (;;) {
        while (XPending(display)) {
            XEvent event;
            XNextEvent(display, &event);
            if (event.type != first_event + XFixesSelectionNotify) continue;
            int now = ((XFixesSelectionNotifyEvent *)&event)->owner != None;
            if (now == captured) continue;
            captured = now;
            puts(captured ? "paused" : "playing");
            fflush(stdout);
        }
        if (!captured) {
            position = (position + 4) % 320;
            XClearWindow(display, window);
            XFillRectangle(display, window, pen, position, 0, 16, 180);
            XFlush(display);
        }
        /* While the video is paused, nothing is drawn: sleep until the server sends an event. */
        struct pollfd server = {ConnectionNumber(display), POLLIN, 0};
        if (poll(&server, 1, captured ? -1 : 33) > 0 && server.revents & (POLLHUP | POLLERR)) return 0;
    }
}
