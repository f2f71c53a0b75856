#include "CCurl.h"

/* The ABI of libcurl has not changed since 2006. */
const char *const ccurl_name = "libcurl.so.4";

struct ccurl_functions ccurl;
CLATELIBRARY_DEFINE(ccurl_open, ccurl_name, ccurl, CCURL_FUNCTIONS)
