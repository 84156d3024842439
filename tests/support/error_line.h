/*
 * error_line.h - an error as the line that users see, for comparing.
 */
#ifndef TESTS_SUPPORT_ERROR_LINE_H
#define TESTS_SUPPORT_ERROR_LINE_H

#include "weir/error.h"

#define ERROR_LINE(error) weir_error_line((error), (char[WEIR_ERROR_LINE_MAX]){""})

#endif
