/*
 * error.h - what went wrong, as one line: "FILE:LINE:COLUMN: WHAT (expected ...)", or "--set KEY=VALUE: WHAT (...)".
 */
#ifndef SCENARIO_YAML_ERROR_H
#define SCENARIO_YAML_ERROR_H

#include "scenario/yaml/node.h"

#define SCENARIO_MESSAGE_MAX 512u

struct scenario_error {
    bool memory; /* out of memory: there is no message */
    char message[SCENARIO_MESSAGE_MAX];
};

/* Both return false, for the caller to return. */
bool error_at(struct scenario_error *error, struct mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool error_memory(struct scenario_error *error);

/* A text of the user as messages show it: no longer than a few words. */
struct error_text {
    char text[64];
};
struct error_text error_text(const char *text);

/* " (did you mean 'x'?)", or " (expected a, b, c)" when no name is near; a null name ends `names`. */
struct error_hint {
    char text[256];
};
struct error_hint error_hint(const char *typed, const char *const *names);

#endif
