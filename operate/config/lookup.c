/*
 * lookup.c - pg_profile_lookup.ini, from which the traditional model takes the profile of a lossless group: '#' opens
 * a comment, a row has speed, cable, size, xon, xoff, threshold and in most files xon_offset.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "operate/config/config_parts.h"

#define COLUMNS_MIN 6u
#define COLUMNS 7u
#define WORD_MAX 32u

static const char *const columns[COLUMNS] = {"speed", "cable", "size", "xon", "xoff", "threshold", "xon_offset"};

/* The next word of a line; false: there is none. Longer words are cut and are no numbers then. */
static bool next_word(const char **at, const char *end, char word[WORD_MAX])
{
    size_t used = 0;
    while (*at < end && isspace((unsigned char)**at))
        (*at)++;
    for (; *at < end && !isspace((unsigned char)**at); (*at)++)
        if (used < WORD_MAX - 1)
            word[used++] = **at;
    word[used] = '\0';
    return used > 0;
}

static bool fail_at(struct sonic_config *config, uint32_t line, const char *column, const char *word)
{
    struct sonic_problem problem = {.kind = SONIC_UNREADABLE,
                                    .place = {.file = config->lookup, .line = line, .column = 1},
                                    .table = "pg_profile_lookup.ini",
                                    .field = column};
    return word != NULL ? sonic_add_problem(config, &problem, "'%s' is not a value of this column", word)
                        : sonic_add_problem(config, &problem, "the row has no such column");
}

static bool read_row(struct sonic_config *config, const char *at, const char *end, uint32_t line)
{
    struct sonic_row row = {.file = config->lookup, .line = line, .xon_offset = SONIC_ABSENT};
    int64_t *const numbers[COLUMNS] = {&row.speed_mbps, NULL,           &row.size, &row.xon, &row.xoff,
                                       &row.dynamic_th, &row.xon_offset};
    char word[WORD_MAX];
    uint32_t count = 0;
    for (; next_word(&at, end, word) && word[0] != '#'; count++) {
        if (count == COLUMNS)
            return fail_at(config, line, "after xon_offset", word);
        bool good =
            numbers[count] != NULL ? sonic_read_number(word, numbers[count]) : sonic_read_metres(word, &row.cable_m);
        if (!good || (count == 0 && (row.speed_mbps <= 0 || row.speed_mbps > SONIC_SPEED_MAX)))
            return fail_at(config, line, columns[count], word);
    }
    if (count > 0 && count < COLUMNS_MIN)
        return fail_at(config, line, columns[count], NULL);
    struct sonic_row *added = count > 0 ? sonic_list_add(&config->rows, sizeof *added) : NULL;
    if (added != NULL)
        *added = row;
    return count == 0 || added != NULL;
}

bool sonic_config_add_lookup(struct sonic_config *config, const char *name, const char *text, size_t size,
                             struct weir_error *error)
{
    const char *at = text, *end = text + size;
    config->has_lookup = true;
    config->lookup = arena_text(&config->arena, name, strlen(name));
    if (config->lookup == NULL)
        return weir_fail_memory(error);
    for (uint32_t line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        if (!read_row(config, at, stop, line))
            return weir_fail_memory(error);
        at = stop + 1;
    }
    return true;
}
