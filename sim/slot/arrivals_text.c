/*
 * arrivals_text.c - arrival sequences as text, for sequences written by hand and for keeping a generated one.
 *
 * The reader goes character by character and keeps line and column, because a wrong number in line 80,000 of a
 * generated file cannot be found by eye.
 */
#include <inttypes.h>

#include "arrivals.h"

struct reader {
    FILE *in;
    const char *name;
    struct slot_arrivals *arrivals;
    struct weir_error *error;
    uint64_t line, column; /* of the character last read, from 1 */
    bool slot_seen;        /* the line has a port number or is empty: it is a slot */
};

static int next_character(struct reader *r)
{
    int c = getc(r->in);
    r->column++;
    return c;
}

static enum weir_error_code complain(struct reader *r, uint64_t column, const char *what)
{
    weir_fail(r->error, WEIR_ERROR_MALFORMED, "%s", what);
    weir_fail_at(r->error, r->name, (uint32_t)r->line, (uint32_t)column);
    return WEIR_ERROR_INPUT;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Reads the number that starts with `c` and adds its arrival; *after is the character behind it. */
static enum weir_error_code read_port(struct reader *r, int c, int *after)
{
    uint64_t start = r->column;
    uint64_t port = 0;
    char what[96];
    for (; is_digit(c); c = next_character(r))
        if (port < WEIR_PORTS_MAX)
            port = port * 10 + (uint64_t)(c - '0');
    if (port >= r->arrivals->ports) {
        snprintf(what, sizeof what, "no such port; ports are 0 to %" PRIu32, r->arrivals->ports - 1);
        return complain(r, start, what);
    }
    slot_arrivals_add(r->arrivals, (uint32_t)port);
    r->slot_seen = true;
    *after = c;
    return WEIR_ERROR_NONE;
}

/* Reads one line; *last tells that the file ended with it. */
static enum weir_error_code read_line(struct reader *r, bool *last)
{
    bool comment = false;
    int c = next_character(r);
    while (c != '\n' && c != EOF) {
        if (comment || c == ' ' || c == '\t' || c == '\r') {
            c = next_character(r);
        } else if (c == '#') {
            comment = true;
        } else if (is_digit(c)) {
            enum weir_error_code status = read_port(r, c, &c);
            if (status != WEIR_ERROR_NONE)
                return status;
        } else {
            return complain(r, r->column, "expected a port number, a blank or a comment (#)");
        }
    }
    *last = c == EOF;
    bool empty_line = !comment && !(*last && r->column == 1);
    if (r->slot_seen || empty_line)
        slot_arrivals_end_slot(r->arrivals);
    return WEIR_ERROR_NONE;
}

enum weir_error_code slot_arrivals_read(struct slot_arrivals *arrivals, FILE *in, const char *name,
                                        struct weir_error *error)
{
    struct reader r = {.in = in, .name = name, .arrivals = arrivals, .error = error};
    for (bool last = false; !last;) {
        r.line++;
        r.column = 0;
        r.slot_seen = false;
        enum weir_error_code status = read_line(&r, &last);
        if (status != WEIR_ERROR_NONE)
            return status;
    }
    if (ferror(in))
        return complain(&r, r.column, "the file could not be read further");
    if (arrivals->failed)
        return WEIR_ERROR_MEMORY;
    if (arrivals->slots == 0)
        return complain(&r, 1, "no slots in this file");
    return WEIR_ERROR_NONE;
}

enum weir_error_code slot_arrivals_write(const struct slot_arrivals *arrivals, FILE *out)
{
    fprintf(out, "# slot arrivals: %" PRIu32 " ports, %" PRIu64 " packets, %" PRIu64 " slots\n", arrivals->ports,
            arrivals->count, arrivals->slots);
    for (uint64_t slot = 0; slot < arrivals->slots; slot++) {
        uint64_t first = slot_arrivals_first(arrivals, slot);
        for (uint64_t i = first; i < arrivals->slot_end[slot]; i++)
            fprintf(out, i == first ? "%" PRIu32 : " %" PRIu32, arrivals->port[i]);
        fputc('\n', out);
    }
    return fflush(out) == 0 && !ferror(out) ? WEIR_ERROR_NONE : WEIR_ERROR_WRITE;
}
