#include "guard.h"

#include "CPipeWire.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The memory that this thread reads, and whether a part of it was gone. */
static _Thread_local struct {
    uintptr_t start, end;
    volatile sig_atomic_t is_broken;
} reading;

static struct sigaction earlier;
static uintptr_t page_size;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Gives a fault that is not of a picture to whoever handled it before. A fault happens again when the instruction is repeated. A
 * signal that somebody sent does not, and must not end the guard if it is survived. */
static void pass_on(int number, siginfo_t *info, void *context) {
    bool is_sent = info->si_code <= 0;
    if (is_sent && earlier.sa_handler == SIG_IGN) return;
    if (is_sent && (earlier.sa_flags & SA_SIGINFO)) return earlier.sa_sigaction(number, info, context);
    if (is_sent && earlier.sa_handler != SIG_DFL) return earlier.sa_handler(number);
    sigaction(SIGBUS, &earlier, NULL);
    if (is_sent) raise(SIGBUS);
}

/* Puts empty memory where the compositor's was, so that the read ends. mmap is a system call, and safe in a handler. */
static void on_bus_error(int number, siginfo_t *info, void *context) {
    int saved = errno;
    uintptr_t place = (uintptr_t)info->si_addr, first = place & ~(page_size - 1);
    bool is_picture = info->si_code > 0 && place >= reading.start && place < reading.end;
    size_t rest = is_picture ? ((reading.end + page_size - 1) & ~(page_size - 1)) - first : 0;
    if (is_picture &&
        mmap((void *)first, rest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
        reading.is_broken = 1;
    } else {
        pass_on(number, info, context);
    }
    errno = saved;
}

static void install(void) {
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &earlier);
}

void cpw_guard_process(void) {
    pthread_once(&once, install);
}

void guard_begin(const void *start, size_t size) {
    reading.is_broken = 0;
    reading.start = (uintptr_t)start;
    reading.end = reading.start + size;
    atomic_signal_fence(memory_order_seq_cst);
}

bool guard_end(void) {
    atomic_signal_fence(memory_order_seq_cst);
    reading.start = reading.end = 0;
    return !reading.is_broken;
}
