/*
 * row.h - the table of measures: what measures.def says, as data. Whoever needs a fact about measures walks it.
 */
#ifndef MEASURES_ROW_H
#define MEASURES_ROW_H

#include "measures/names.h"
#include "measures/run_result.h"

#define MEASURE_ALL_SIZES UINT32_MAX

/* Words in capitals in the name of a row. One of the first five says what the row is read of, thing by thing. */
enum measure_word {
    MEASURE_RUN, /* no word: one value per run */
    MEASURE_T,
    MEASURE_REASON,
    MEASURE_CAUSE,
    MEASURE_PLACE,
    MEASURE_BIN,
    MEASURE_STAT,
    MEASURE_WORDS
};

/* What a row is read of. */
struct measure_at {
    const struct run_result *run;
    uint32_t number;           /* of the tag, reason, cause or probe that the word of the row stands for */
    const struct run_tag *tag; /* null: the row has no T */
    uint32_t bin;              /* of flow sizes; MEASURE_ALL_SIZES: all of the tag */
    /* Of that tag and bin. */
    const struct summary_flows *flows;
    const struct summary_groups *groups;
};

struct measure_sample {
    struct statistics statistics;
    const struct run_cdf *cdf; /* null: none */
    double scale;              /* brings both to the unit */
    struct run_cdf made;       /* what cdf points to, where it has to be made */
};

enum measure_kind { MEASURE_SECTION, MEASURE_VALUE, MEASURE_SAMPLE, MEASURE_SERIES };

struct measure_row {
    enum measure_kind kind;
    const char *name;  /* of a section: its title */
    const char *unit;  /* of values; of a series: of y, x is in seconds */
    const char *words; /* in titles; null: the name */
    const char *help;  /* one line */
    /* One of them, by kind. */
    bool (*exists)(const struct measure_at *at);
    double (*value)(const struct measure_at *at); /* NaN: there is none */
    void (*sample)(const struct measure_at *at, struct measure_sample *out);
    /* How many points a series has; one of them. */
    uint32_t (*count)(const struct measure_at *at);
    void (*point)(const struct measure_at *at, uint32_t i, double xy[2]);
};

extern const struct measure_row measure_rows[];
extern const uint32_t measure_row_count;

/* The word that a row is read by: never BIN or STAT. */
enum measure_word measure_row_word(const struct measure_row *row);

/* The pattern of its measures or of its curves, "T.fct.STAT" and "T.fct.cdf"; `by_size`: "T.BIN.fct.STAT". False: it
 * has none. */
struct measure_pattern_choice {
    bool curves, by_size;
};
bool measure_row_pattern(const struct measure_row *row, struct measure_pattern_choice choice,
                         char pattern[RUN_MEASURE_NAME_MAX]);

/* The word in capitals that a pattern begins with, and its length; MEASURE_RUN: it begins with none. */
enum measure_word measure_word_at(const char *pattern, size_t *length);

/* What REASON, CAUSE, BIN or STAT may stand for, from i = 0 on; null: there is no more. */
const char *measure_word_text(enum measure_word word, uint32_t i);

/* Reason and cause of a loss by the number of their text. */
uint32_t measure_word_number(enum measure_word word, uint32_t i);

/* "short", "middle", "long" or "bin1" ...: one of `bins` ranges of flow sizes. */
const char *measure_bin_name(uint32_t bins, uint32_t bin);

#endif
