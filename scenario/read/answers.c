/*
 * answers.c - see answers.h.
 */
#include "scenario/read/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 64u
#define INDEX_MAX (UINT64_C(1) << 36) /* 8 GiB of bits */

enum { COLUMN_SWITCH, COLUMN_INDEX, COLUMN_LOST, COLUMNS };

static const char *const column_names[COLUMNS] = {"switch", "index", "lost"};

struct field {
    const char *text;
    size_t length;
};

struct table {
    struct scenario *scenario;
    uint32_t column[COLUMNS]; /* its place among the fields */
    bool headed;
    struct weir_error *error;
};

static bool field_is(const struct field *field, const char *text)
{
    return field->length == strlen(text) && memcmp(field->text, text, field->length) == 0;
}

/* The fields of a line; more than there may be count as one too many. */
static uint32_t split(const char *line, size_t length, struct field fields[FIELDS_MAX])
{
    uint32_t count = 0;
    for (const char *at = line, *end = line + length; count < FIELDS_MAX; count++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        fields[count] = (struct field){at, (size_t)((comma != NULL ? comma : end) - at)};
        if (comma == NULL)
            return count + 1;
        at = comma + 1;
    }
    return count + 1;
}

static bool read_head(struct table *table, const struct field *fields, uint32_t count)
{
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t i = 0;
        while (i < count && !field_is(&fields[i], column_names[c]))
            i++;
        if (i == count)
            return weir_fail(table->error, WEIR_ERROR_MALFORMED, "no column '%s' (expected switch, index and lost)",
                             column_names[c]);
        table->column[c] = i;
    }
    table->headed = true;
    return true;
}

static bool read_number(const struct field *field, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < field->length; i++) {
        if (field->text[i] < '0' || field->text[i] > '9' || *number > INDEX_MAX)
            return false;
        *number = 10 * *number + (uint64_t)(field->text[i] - '0');
    }
    return field->length > 0;
}

/* The oracle of the MMU "s0" or "s0.1"; null: it has none. */
static struct scenario_oracle *find_oracle(const struct table *table, const struct field *name)
{
    struct scenario *scenario = table->scenario;
    for (uint32_t i = 0; i < scenario->oracle_count; i++) {
        struct scenario_oracle *oracle = &scenario->oracles[i];
        char text[32];
        scenario_memory_name(oracle->sw, oracle->memory, text);
        if (field_is(name, text))
            return oracle;
    }
    return NULL;
}

static bool note_lost(struct scenario_oracle *oracle, uint64_t index)
{
    if (index >= oracle->room) {
        uint64_t room = oracle->room > 0 ? oracle->room : 8192;
        while (room <= index)
            room *= 2;
        uint8_t *lost = realloc(oracle->lost, room / 8);
        if (lost == NULL)
            return false;
        memset(lost + oracle->room / 8, 0, (room - oracle->room) / 8);
        oracle->lost = lost;
        oracle->room = room;
        oracle->table.lost = lost;
        oracle->table.count = room;
    }
    oracle->lost[index / 8] |= (uint8_t)(1u << index % 8);
    return true;
}

static bool read_row(struct table *table, const struct field *fields, uint32_t count)
{
    uint64_t index, lost;
    for (uint32_t c = 0; c < COLUMNS; c++)
        if (table->column[c] >= count)
            return weir_fail(table->error, WEIR_ERROR_MALFORMED, "column '%s' is missing", column_names[c]);
    if (!read_number(&fields[table->column[COLUMN_INDEX]], &index) || index >= INDEX_MAX)
        return weir_fail(table->error, WEIR_ERROR_MALFORMED, "index: no number of an arrival");
    if (!read_number(&fields[table->column[COLUMN_LOST]], &lost) || lost > 1)
        return weir_fail(table->error, WEIR_ERROR_MALFORMED, "lost: neither 0 nor 1");
    struct scenario_oracle *oracle = lost == 1 ? find_oracle(table, &fields[table->column[COLUMN_SWITCH]]) : NULL;
    return oracle == NULL || note_lost(oracle, index) || weir_fail_memory(table->error);
}

bool answers_read(struct scenario *scenario, const char *text, size_t size, struct weir_error *error)
{
    struct table table = {.scenario = scenario, .error = error};
    struct field fields[FIELDS_MAX];
    uint64_t number = 0;
    for (const char *line = text, *end = text + size; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop != NULL ? stop : end) - line);
        number++;
        length -= length > 0 && line[length - 1] == '\r';
        if (length > 0 && line[0] != '#') {
            uint32_t count = split(line, length, fields);
            bool good =
                count <= FIELDS_MAX || weir_fail(error, WEIR_ERROR_MALFORMED, "more than %u columns", FIELDS_MAX);
            if (!good || !(table.headed ? read_row(&table, fields, count) : read_head(&table, fields, count)))
                return weir_fail_in(error, "line", number);
        }
        line = stop != NULL ? stop + 1 : end;
    }
    return table.headed || weir_fail(error, WEIR_ERROR_MALFORMED, "no columns (expected switch, index and lost)");
}

bool scenario_is_foreseen(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->oracle_count; i++)
        if (scenario->oracles[i].perfect)
            return true;
    return false;
}
