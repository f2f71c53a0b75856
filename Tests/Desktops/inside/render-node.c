/*
 * A stand-in for a GPU's render node, for compositors that refuse to run without one: LD_PRELOAD it, and
 * /dev/dri/renderD128, /dev/dri/card0 and /dev/udmabuf seem to exist. Mesa then draws with the processor (kms_swrast,
 * llvmpipe).
 *
 * A buffer is a memfd, and so is its PRIME descriptor. An open node is an O_PATH descriptor of a character device, so
 * fstat, dup and SCM_RIGHTS work without a driver; ioctl and mmap on it are answered here. Handles of buffers belong to
 * one open file, which its inode names, so each open takes another device node of the folder RENDER_NODES: root has
 * filled it with MINOR-NUMBER, because an ordinary user may not make any. There is no mode setting.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <drm.h>
#include <drm_mode.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>

enum { DRM_MAJOR = 226, CARD = 0, RENDER = 128, MEMORY = 1000, NONE = -1, NODES = 400 };
/* mmap offsets of buffers: the handle in the upper half. */
#define HANDLE_SHIFT 32

/* MARK: Nodes */

static int minor_of_path(const char *path) {
    if (!path) return NONE;
    if (strcmp(path, "/dev/dri/renderD128") == 0) return RENDER;
    if (strcmp(path, "/dev/dri/card0") == 0) return CARD;
    return strcmp(path, "/dev/udmabuf") == 0 ? MEMORY : NONE;
}

/* The minor number of a descriptor's node, and its inode; NONE for other descriptors. */
static int minor_of_descriptor(int descriptor, ino_t *inode) {
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0 || !S_ISCHR(status.st_mode)) return NONE;
    if (major(status.st_rdev) != DRM_MAJOR) return NONE;
    if (inode) *inode = status.st_ino;
    return (int)minor(status.st_rdev);
}

/* Takes a node that no other open has. */
static int open_node(int minor_number, int flags) {
    char path[256];
    const char *folder = getenv("RENDER_NODES");
    for (int number = 0; folder && number < NODES; number++) {
        snprintf(path, sizeof path, "%s/%d-%d", folder, minor_number == MEMORY ? RENDER : minor_number, number);
        int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_PATH | (flags & O_CLOEXEC), 0);
        if (descriptor < 0) continue;
        if (unlink(path) == 0) return descriptor;
        close(descriptor);
    }
    errno = ENODEV;
    return -1;
}

static int open_any(int folder, const char *path, int flags, mode_t mode) {
    int minor_number = minor_of_path(path);
    return minor_number == NONE ? (int)syscall(SYS_openat, folder, path, flags, mode) : open_node(minor_number, flags);
}

#define READ_MODE \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list list; \
        va_start(list, flags); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    }

int open(const char *path, int flags, ...) { READ_MODE return open_any(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { READ_MODE return open_any(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { READ_MODE return open_any(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { READ_MODE return open_any(folder, path, flags, mode); }
int __open_2(const char *path, int flags) { return open_any(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_any(AT_FDCWD, path, flags, 0); }

int access(const char *path, int mode) {
    return minor_of_path(path) == NONE ? (int)syscall(SYS_faccessat, AT_FDCWD, path, mode) : 0;
}

static bool describe(const char *path, struct stat *status) {
    int number = minor_of_path(path);
    if (number == NONE || number == MEMORY) return false;
    memset(status, 0, sizeof *status);
    status->st_mode = S_IFCHR | 0666;
    status->st_rdev = makedev(DRM_MAJOR, (unsigned)number);
    status->st_nlink = 1;
    return true;
}

int stat(const char *path, struct stat *status) {
    static int (*real)(const char *, struct stat *);
    if (!real) real = (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat");
    return describe(path, status) ? 0 : real(path, status);
}

int stat64(const char *path, struct stat64 *status) {
    static int (*real)(const char *, struct stat64 *);
    if (!real) real = (int (*)(const char *, struct stat64 *))dlsym(RTLD_NEXT, "stat64");
    return describe(path, (struct stat *)status) ? 0 : real(path, status);
}

/* MARK: Buffers */

static struct buffer {
    ino_t owner, memory;
    uint32_t handle;
    int descriptor;
    struct buffer *next;
} *buffers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct buffer *find(ino_t owner, uint32_t handle) {
    struct buffer *found = buffers;
    while (found && (found->owner != owner || found->handle != handle)) found = found->next;
    return found;
}

/* Takes over the descriptor. */
static uint32_t add_buffer(ino_t owner, int descriptor) {
    static uint32_t last;
    struct stat status;
    struct buffer *added = calloc(1, sizeof *added);
    if (!added || fstat(descriptor, &status) != 0) abort();
    *added = (struct buffer){owner, status.st_ino, ++last, descriptor, buffers};
    buffers = added;
    return added->handle;
}

static int remove_buffer(ino_t owner, uint32_t handle) {
    for (struct buffer **place = &buffers; *place; place = &(*place)->next) {
        struct buffer *found = *place;
        if (found->owner != owner || found->handle != handle) continue;
        *place = found->next;
        close(found->descriptor);
        free(found);
        return 0;
    }
    errno = ENOENT;
    return -1;
}

static int refuse(int code) {
    errno = code;
    return -1;
}

static int create(ino_t owner, struct drm_mode_create_dumb *wanted) {
    wanted->pitch = (wanted->width * ((wanted->bpp + 7) / 8) + 63) & ~63u;
    wanted->size = ((uint64_t)wanted->pitch * wanted->height + 4095) & ~4095ull;
    int descriptor = memfd_create("buffer", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, (off_t)wanted->size) != 0) return -1;
    wanted->handle = add_buffer(owner, descriptor);
    return 0;
}

static int export(ino_t owner, struct drm_prime_handle *prime) {
    struct buffer *found = find(owner, prime->handle);
    if (!found) return refuse(ENOENT);
    prime->fd = fcntl(found->descriptor, F_DUPFD_CLOEXEC, 0);
    return prime->fd < 0 ? -1 : 0;
}

static int import(ino_t owner, struct drm_prime_handle *prime) {
    struct stat status;
    if (fstat(prime->fd, &status) != 0 || !S_ISREG(status.st_mode)) return refuse(EINVAL);
    for (struct buffer *known = buffers; known; known = known->next) {
        if (known->owner == owner && known->memory == status.st_ino) {
            prime->handle = known->handle;
            return 0;
        }
    }
    int descriptor = fcntl(prime->fd, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    prime->handle = add_buffer(owner, descriptor);
    return 0;
}

/* MARK: Calls to the device */

static void give_text(char *place, __kernel_size_t *size, const char *text) {
    size_t length = strlen(text);
    if (place) memcpy(place, text, *size < length ? *size : length);
    *size = length;
}

static int capability(struct drm_get_cap *wanted) {
    switch (wanted->capability) {
    case DRM_CAP_DUMB_BUFFER: case DRM_CAP_ADDFB2_MODIFIERS: case DRM_CAP_TIMESTAMP_MONOTONIC: wanted->value = 1; break;
    case DRM_CAP_PRIME: wanted->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT; break;
    case DRM_CAP_DUMB_PREFERRED_DEPTH: wanted->value = 24; break;
    default: wanted->value = 0;
    }
    return 0;
}

static int call_device(ino_t owner, unsigned long request, void *argument) {
    switch (request) {
    case DRM_IOCTL_VERSION: {
        struct drm_version *version = argument;
        version->version_major = 1;
        version->version_minor = version->version_patchlevel = 0;
        give_text(version->name, &version->name_len, "vgem");
        give_text(version->date, &version->date_len, "20260101");
        give_text(version->desc, &version->desc_len, "buffers in memfds");
        return 0;
    }
    case DRM_IOCTL_GET_CAP: return capability(argument);
    case DRM_IOCTL_SET_CLIENT_CAP: return refuse(EOPNOTSUPP);
    case DRM_IOCTL_GET_MAGIC: ((struct drm_auth *)argument)->magic = 1; return 0;
    case DRM_IOCTL_AUTH_MAGIC: case DRM_IOCTL_SET_MASTER: case DRM_IOCTL_DROP_MASTER: return 0;
    case DRM_IOCTL_MODE_CREATE_DUMB: return create(owner, argument);
    case DRM_IOCTL_MODE_MAP_DUMB: {
        struct drm_mode_map_dumb *map = argument;
        if (!find(owner, map->handle)) return refuse(ENOENT);
        map->offset = (uint64_t)map->handle << HANDLE_SHIFT;
        return 0;
    }
    case DRM_IOCTL_MODE_DESTROY_DUMB: return remove_buffer(owner, ((struct drm_mode_destroy_dumb *)argument)->handle);
    case DRM_IOCTL_GEM_CLOSE: return remove_buffer(owner, ((struct drm_gem_close *)argument)->handle);
    case DRM_IOCTL_PRIME_HANDLE_TO_FD: return export(owner, argument);
    case DRM_IOCTL_PRIME_FD_TO_HANDLE: return import(owner, argument);
    default: return refuse(EINVAL);
    }
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    ino_t owner;
    struct stat status;
    bool is_device = _IOC_TYPE(request) == DRM_IOCTL_BASE || _IOC_TYPE(request) == 'u';
    if (is_device && minor_of_descriptor(descriptor, &owner) != NONE) {
        /* The "DMA buffer" of a memfd is the memfd. */
        if (request == UDMABUF_CREATE)
            return fcntl((int)((struct udmabuf_create *)argument)->memfd, F_DUPFD_CLOEXEC, 0);
        pthread_mutex_lock(&lock);
        int result = call_device(owner, request, argument), code = errno;
        pthread_mutex_unlock(&lock);
        errno = code;
        return result;
    }
    if (request == DMA_BUF_IOCTL_SYNC && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return 0;
    return (int)syscall(SYS_ioctl, descriptor, request, argument);
}

static void *map_any(void *place, size_t size, int protection, int flags, int descriptor, off_t offset) {
    ino_t owner;
    if (descriptor >= 0 && !(flags & MAP_ANONYMOUS) && offset >> HANDLE_SHIFT &&
        minor_of_descriptor(descriptor, &owner) != NONE) {
        pthread_mutex_lock(&lock);
        struct buffer *found = find(owner, (uint32_t)(offset >> HANDLE_SHIFT));
        descriptor = found ? found->descriptor : -1;
        pthread_mutex_unlock(&lock);
        offset = 0;
    }
    return (void *)syscall(SYS_mmap, place, size, protection, flags, descriptor, offset);
}

void *mmap(void *place, size_t size, int protection, int flags, int descriptor, off_t offset) {
    return map_any(place, size, protection, flags, descriptor, offset);
}

void *mmap64(void *place, size_t size, int protection, int flags, int descriptor, off_t offset) {
    return map_any(place, size, protection, flags, descriptor, offset);
}

/* MARK: libdrm's list of devices, which it reads from /sys */

static drmDevicePtr make_device(void) {
    struct device {
        drmDevice device;
        char *nodes[DRM_NODE_MAX];
        char names[DRM_NODE_MAX][32];
        drmPlatformBusInfo bus;
        drmPlatformDeviceInfo info;
    } *made = calloc(1, sizeof *made);
    if (!made) abort();
    strcpy(made->names[DRM_NODE_PRIMARY], "/dev/dri/card0");
    strcpy(made->names[DRM_NODE_RENDER], "/dev/dri/renderD128");
    for (int index = 0; index < DRM_NODE_MAX; index++) made->nodes[index] = made->names[index];
    strcpy(made->bus.fullname, "memfd");
    made->device.nodes = made->nodes;
    made->device.available_nodes = 1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER;
    made->device.bustype = DRM_BUS_PLATFORM;
    made->device.businfo.platform = &made->bus;
    made->device.deviceinfo.platform = &made->info;
    return &made->device;
}

static bool is_node(int descriptor) { return minor_of_descriptor(descriptor, NULL) != NONE; }

int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int count) {
    (void)flags;
    if (devices && count > 0) devices[0] = make_device();
    return 1;
}

int drmGetDevices(drmDevicePtr devices[], int count) { return drmGetDevices2(0, devices, count); }

int drmGetDevice2(int descriptor, uint32_t flags, drmDevicePtr *device) {
    (void)flags;
    if (!is_node(descriptor)) return -ENODEV;
    *device = make_device();
    return 0;
}

int drmGetDevice(int descriptor, drmDevicePtr *device) { return drmGetDevice2(descriptor, 0, device); }

int drmGetDeviceFromDevId(dev_t identifier, uint32_t flags, drmDevicePtr *device) {
    (void)flags;
    if (major(identifier) != DRM_MAJOR) return -ENODEV;
    *device = make_device();
    return 0;
}

void drmFreeDevice(drmDevicePtr *device) {
    if (!device) return;
    free(*device);
    *device = NULL;
}

void drmFreeDevices(drmDevicePtr devices[], int count) {
    for (int index = 0; devices && index < count; index++) drmFreeDevice(&devices[index]);
}

int drmDevicesEqual(drmDevicePtr one, drmDevicePtr other) { return one && other; }

int drmGetNodeTypeFromFd(int descriptor) {
    int number = minor_of_descriptor(descriptor, NULL);
    return number == NONE ? refuse(ENODEV) : number >= RENDER ? DRM_NODE_RENDER : DRM_NODE_PRIMARY;
}

int drmGetNodeTypeFromDevId(dev_t identifier) {
    if (major(identifier) != DRM_MAJOR) return refuse(ENODEV);
    return minor(identifier) >= RENDER ? DRM_NODE_RENDER : DRM_NODE_PRIMARY;
}

char *drmGetRenderDeviceNameFromFd(int descriptor) {
    return is_node(descriptor) ? strdup("/dev/dri/renderD128") : NULL;
}

char *drmGetPrimaryDeviceNameFromFd(int descriptor) { return is_node(descriptor) ? strdup("/dev/dri/card0") : NULL; }

char *drmGetDeviceNameFromFd2(int descriptor) {
    int number = minor_of_descriptor(descriptor, NULL);
    return number == NONE ? NULL : strdup(number >= RENDER ? "/dev/dri/renderD128" : "/dev/dri/card0");
}

char *drmGetDeviceNameFromFd(int descriptor) { return drmGetDeviceNameFromFd2(descriptor); }

/* MARK: Hyprland. Aquamarine's headless backend has no device, and so no buffers. These replace its methods. */

static int backend_node(void) {
    static int descriptor = -1;
    if (descriptor < 0) descriptor = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    return descriptor;
}

int _ZN10Aquamarine16CHeadlessBackend5drmFDEv(void *backend) {
    (void)backend;
    return backend_node();
}

int _ZN10Aquamarine16CHeadlessBackend15drmRenderNodeFDEv(void *backend) {
    (void)backend;
    return backend_node();
}
