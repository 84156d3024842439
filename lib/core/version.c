/*
 * version.c - see version.h.
 */
#include "weir/version.h"

const char *weir_version(void)
{
    return WEIR_VERSION;
}
