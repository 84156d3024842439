/*
 * scenario_text.h - a scenario from a text, or the test fails.
 */
#ifndef TESTS_SUPPORT_SCENARIO_TEXT_H
#define TESTS_SUPPORT_SCENARIO_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "scenario/read/scenario.h"
#include "tests/support/error_line.h"

static inline void scenario_from_text(struct scenario *scenario, const char *text)
{
    struct document document;
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    bool good =
        document_read(&document, "f", text, strlen(text), &error) && scenario_build(scenario, &document, NULL, &error);
    document_free(&document);
    if (!good)
        fail_msg("%s", ERROR_LINE(&error));
}

#endif
