/*
 * tuning.c - see tuning.h.
 */
#include "sim/jobs/tuning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FIELDS_MIN 4u
#define FIELDS_MAX 10u
#define FIELD_MAX 31u

enum {
    FIELD_OPERATION,
    FIELD_MIN,
    FIELD_LAST,
    FIELD_ALGORITHM,
    FIELD_PROTOCOL,
    FIELD_CHANNELS,
    FIELD_NODES,
    FIELD_RANKS
};

static const char *const field_names[FIELDS_MAX] = {"collective", "min_bytes", "max_bytes", "algorithm",  "protocol",
                                                    "channels",   "nodes",     "ranks",     "numPipeOps", "regBuff"};

/* The names of NCCL, where they differ from ours by more than hyphens. */
static const struct {
    const char *theirs;
    enum collective_algorithm is;
} nccl_names[] = {{"tree", COLLECTIVE_DOUBLE_TREE}};

struct line {
    char field[FIELDS_MAX][FIELD_MAX + 1];
    uint32_t fields, number;
    struct weir_error *error;
};

static bool line_fail(const struct line *line, uint32_t field, const char *expected)
{
    return weir_fail(line->error, WEIR_ERROR_MALFORMED, "line %" PRIu32 ": %s '%s' (expected %s)", line->number,
                     field_names[field], field < line->fields ? line->field[field] : "", expected);
}

/* Fields between commas, without blanks around them. */
static bool line_cut(struct line *line, const char *at, const char *end)
{
    for (line->fields = 0; at <= end; line->fields++) {
        const char *comma = at;
        while (comma < end && *comma != ',')
            comma++;
        const char *last = comma;
        while (at < last && (*at == ' ' || *at == '\t'))
            at++;
        while (last > at && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r'))
            last--;
        if (line->fields == FIELDS_MAX || last - at > (long)FIELD_MAX)
            return weir_fail(line->error, WEIR_ERROR_MALFORMED,
                             "line %" PRIu32 ": more than %u fields, or a field of more than %u letters (expected "
                             "such as 'allreduce,0,65536,tree,simple,-1,-1,-1')",
                             line->number, FIELDS_MAX, FIELD_MAX);
        memcpy(line->field[line->fields], at, (size_t)(last - at));
        line->field[line->fields][last - at] = '\0';
        at = comma + 1;
    }
    return line->fields >= FIELDS_MIN ||
           weir_fail(line->error, WEIR_ERROR_MALFORMED,
                     "line %" PRIu32 ": %" PRIu32
                     " fields (expected at least collective,min_bytes,max_bytes,algorithm)",
                     line->number, line->fields);
}

/* Equal but for hyphens, underscores and case. */
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == '-' || *a == '_')
            a++;
        while (*b == '-' || *b == '_')
            b++;
        char c = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
        if (c != *b || c == '\0')
            return c == *b;
    }
}

static bool read_names(const struct line *line, struct tuning_line *out)
{
    uint32_t operation = 0, algorithm = 0;
    while (operation < COLLECTIVE_OPERATIONS &&
           !same_name(line->field[FIELD_OPERATION], collective_operation_names[operation]))
        operation++;
    if (operation == COLLECTIVE_OPERATIONS)
        return line_fail(line, FIELD_OPERATION, "allreduce, reducescatter, allgather, alltoall, broadcast or barrier");
    out->operation = (enum collective_operation)operation;
    while (algorithm < COLLECTIVE_ALGORITHMS &&
           !same_name(line->field[FIELD_ALGORITHM], collective_algorithm_names[algorithm]))
        algorithm++;
    for (uint32_t i = 0; i < sizeof nccl_names / sizeof nccl_names[0]; i++)
        if (same_name(line->field[FIELD_ALGORITHM], nccl_names[i].theirs))
            algorithm = nccl_names[i].is;
    if (algorithm == COLLECTIVE_ALGORITHMS || !collective_has(out->operation, (enum collective_algorithm)algorithm)) {
        char known[160];
        collective_algorithms_of(out->operation, known, sizeof known);
        return line_fail(line, FIELD_ALGORITHM, known);
    }
    out->algorithm = (enum collective_algorithm)algorithm;
    return true;
}

/* A number, or `any` for -1 and for a field that is not there. */
static bool read_number(const struct line *line, uint32_t field, uint64_t any, uint64_t most, uint64_t *value)
{
    const char *text = field < line->fields ? line->field[field] : "-1";
    *value = any;
    if (strcmp(text, "-1") == 0)
        return true;
    uint64_t number = 0;
    bool good = *text != '\0';
    for (; good && *text != '\0'; text++) {
        good = *text >= '0' && *text <= '9' && number <= (most - (uint64_t)(*text - '0')) / 10;
        number = 10 * number + (uint64_t)(*text - '0');
    }
    *value = number;
    return good || line_fail(line, field, "a number, or -1 for any");
}

static bool read_line(struct line *line, const char *at, const char *end, struct tuning_line *out)
{
    uint64_t chunks, nodes, ranks;
    if (!line_cut(line, at, end) || !read_names(line, out) ||
        !read_number(line, FIELD_MIN, 0, INT64_MAX, &out->min_bytes) ||
        !read_number(line, FIELD_LAST, UINT64_MAX, INT64_MAX, &out->max_bytes) ||
        !read_number(line, FIELD_CHANNELS, 0, 10000, &chunks) ||
        !read_number(line, FIELD_NODES, 0, UINT32_MAX, &nodes) ||
        !read_number(line, FIELD_RANKS, 0, UINT32_MAX, &ranks))
        return false;
    if (out->max_bytes < out->min_bytes)
        return line_fail(line, FIELD_LAST, "at least min_bytes");
    out->chunks = (uint32_t)chunks;
    out->nodes = (uint32_t)nodes;
    out->ranks = (uint32_t)ranks;
    return true;
}

bool tuning_read(struct tuning *tuning, const char *text, size_t size, struct weir_error *error)
{
    struct line line = {.error = error};
    uint32_t room = 0;
    for (const char *at = text, *end = text + size, *next; at < end; at = next) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *last = newline ? newline : end;
        next = newline ? newline + 1 : end;
        line.number++;
        const char *comment = memchr(at, '#', (size_t)(last - at));
        last = comment ? comment : last;
        while (at < last && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++;
        if (at == last)
            continue;
        if (tuning->count == room) {
            room = room > 0 ? 2 * room : 16;
            struct tuning_line *lines = realloc(tuning->lines, room * sizeof *lines);
            if (!lines)
                return weir_fail_memory(error);
            tuning->lines = lines;
        }
        if (!read_line(&line, at, last, &tuning->lines[tuning->count]))
            return false;
        tuning->count++;
    }
    return true;
}

void tuning_free(struct tuning *tuning)
{
    free(tuning->lines);
    *tuning = (struct tuning){.lines = NULL};
}

/* Servers that have some of the members, whose ranks grow. */
static uint32_t nodes_of(const struct collective_members *members, uint32_t server)
{
    uint32_t nodes = 0, last = UINT32_MAX;
    for (uint32_t i = 0; i < members->count; i++) {
        uint32_t at = (members->ranks ? members->ranks[i] : i) / server;
        nodes += at != last;
        last = at;
    }
    return nodes;
}

bool collective_choose(struct collective *c, const struct collective_choice *choice,
                       const struct collective_members *members, struct weir_error *error)
{
    c->chunks = choice->usual.chunks > 0 ? choice->usual.chunks : 1;
    c->window = choice->usual.window;
    c->group = choice->usual.group;
    c->algorithm = c->operation == COLLECTIVE_ALL_REDUCE ? choice->usual.algorithm : COLLECTIVE_USUAL;
    for (uint32_t i = 0; choice->tuning && i < choice->tuning->count; i++) {
        const struct tuning_line *line = &choice->tuning->lines[i];
        if (line->operation != c->operation || c->bytes < line->min_bytes || c->bytes > line->max_bytes ||
            (line->ranks > 0 && line->ranks != members->count) ||
            (line->nodes > 0 && line->nodes != nodes_of(members, choice->server > 0 ? choice->server : 1)))
            continue;
        c->algorithm = line->algorithm;
        c->chunks = line->chunks > 0 ? line->chunks : c->chunks;
        break;
    }
    if (c->operation != COLLECTIVE_BARRIER) {
        uint64_t parts = 2 * (uint64_t)members->count * c->chunks;
        c->bytes = c->bytes < parts ? parts : c->bytes;
    }
    return collective_check(c, members->count, error);
}
