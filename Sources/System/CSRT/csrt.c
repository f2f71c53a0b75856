#include "CSRT.h"

#define CSRT_TEXT(number) #number
#define CSRT_NAME(major, minor) "libsrt.so." CSRT_TEXT(major) "." CSRT_TEXT(minor)
const char *const csrt_name = CSRT_NAME(SRT_VERSION_MAJOR, SRT_VERSION_MINOR);

struct csrt_functions csrt;
CLATELIBRARY_DEFINE(csrt_open, csrt_name, csrt, CSRT_FUNCTIONS)
