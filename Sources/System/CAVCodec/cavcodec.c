#include "CAVCodec.h"

const char *const cavcodec_name = "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR);

static struct cavcodec_functions functions;
static CLATELIBRARY_DEFINE(open_library, cavcodec_name, functions, CAVCODEC_FUNCTIONS)

const struct cavcodec_functions *cavcodec_open(void) { return open_library() ? &functions : NULL; }
