/*
 * error.h - mistakes in a scenario: at a mark of its document, with what was expected instead.
 */
#ifndef SCENARIO_YAML_ERROR_H
#define SCENARIO_YAML_ERROR_H

#include "scenario/yaml/node.h"
#include "weir/error.h"

/* False, for the caller to return. */
bool error_at(struct weir_error *error, struct mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A text of the user as messages show it: no longer than a few words. */
struct error_text {
    char text[64];
};
struct error_text error_text(const char *text);

/* " (did you mean 'x'?)", or " (expected a, b, c)" when no name is near; a null name ends `names`. */
struct error_hint {
    bool near; /* a name is near */
    char text[256];
};
struct error_hint error_hint(const char *typed, const char *const *names);

#endif
