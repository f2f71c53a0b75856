#include "CPulse.h"

/* The ABI of libpulse has not changed since 2009. */
const char *const cpulse_name = "libpulse.so.0";

struct cpulse_functions cpulse;
CLATELIBRARY_DEFINE(cpulse_open, cpulse_name, cpulse, CPULSE_FUNCTIONS)
