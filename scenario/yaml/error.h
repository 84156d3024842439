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

/* All mistakes of a file. */
#define ERROR_LIST_MAX 200u
struct error_list {
    struct weir_error *at; /* [ERROR_LIST_MAX] once there is one */
    uint32_t count;
    bool no_memory; /* reading ended early */
};

/* Adds a copy, unless the same is there already: a file is read in several ways. */
void error_list_add(struct error_list *list, const struct weir_error *error);
void error_list_sort(struct error_list *list); /* by place */
void error_list_free(struct error_list *list);

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
