/*
 * error.h - what went wrong, from core to apps: a code that programs act on, a place, and one line for people.
 *
 * The function that finds a mistake fills one in with weir_fail and returns false (or null); callers pass it up, and
 * may add the place that only they know. No code reads `text`: what code has to know is the code or the place. The
 * program turns it into a line (weir_error_line) and an exit code.
 */
#ifndef WEIR_ERROR_H
#define WEIR_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_MESSAGE_MAX 512u    /* bytes of a text, with its end */
#define WEIR_ORIGIN_MAX 200u     /* of the name of a file */
#define WEIR_ERROR_LINE_MAX 800u /* of a whole line */

enum weir_error_code {
    WEIR_ERROR_NONE,
    WEIR_ERROR_MEMORY,    /* out of memory */
    WEIR_ERROR_MALFORMED, /* cannot be read as what it should be */
    WEIR_ERROR_RANGE,     /* can be read, but is out of range */
    WEIR_ERROR_UNKNOWN,   /* a name that nothing has; it is in `name` */
    WEIR_ERROR_INPUT,     /* settings that do not fit together, or any other mistake of what was given */
    WEIR_ERROR_READ,      /* cannot read */
    WEIR_ERROR_WRITE,     /* cannot write: disk full, no permission */
    WEIR_ERROR_SYSTEM,    /* the system refuses: no permission, no device, a program that is missing or fails */
    WEIR_ERROR_BUSY,      /* another process uses it */
    WEIR_ERROR_VIOLATION, /* something happened that must not */
    WEIR_ERROR_MISSING    /* something that has to be there is not; it is in `name` */
};

/* Where: "FILE:LINE:COLUMN", "FILE", "traffic 3", "byte 17". */
struct weir_error_place {
    char origin[WEIR_ORIGIN_MAX]; /* a file as it was named, or an option; empty: none */
    uint32_t line, column;        /* from 1; 0: none */
    const char *part;             /* a constant text, "traffic", "byte"; null: none */
    uint64_t number;              /* of that part */
};

struct weir_error {
    enum weir_error_code code;
    struct weir_error_place place;
    char name[64];               /* WEIR_ERROR_UNKNOWN and _MISSING: the name, cut if it is longer */
    char text[WEIR_MESSAGE_MAX]; /* what is wrong, and what was expected; one line without the place */
};

/* Each returns false, for the caller to return. The place starts empty. `error` may be null. */
bool weir_fail(struct weir_error *error, enum weir_error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool weir_fail_list(struct weir_error *error, enum weir_error_code code, const char *format, va_list arguments);
bool weir_fail_memory(struct weir_error *error);
bool weir_fail_unknown(struct weir_error *error, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What follows adds to an error, but not to one of memory, whose place does not matter. */

/* Adds the part where it is, if none is known yet: "traffic 3". False, likewise. */
bool weir_fail_in(struct weir_error *error, const char *part, uint64_t number);

/* Adds the file, if none is known yet; line 0: of the whole file. False, likewise. */
bool weir_fail_at(struct weir_error *error, const char *origin, uint32_t line, uint32_t column);

/* Puts a few words before the text: "switch tier 2: ". False, likewise. */
bool weir_fail_within(struct weir_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "FILE:LINE:COLUMN: part N: what"; cut where it does not fit. Returns `line`. */
const char *weir_error_line(const struct weir_error *error, char line[WEIR_ERROR_LINE_MAX]);

#ifdef __cplusplus
}
#endif

#endif
