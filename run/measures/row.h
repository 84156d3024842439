/*
 * row.h - the table of measures: what measures.def says, as data. Code that needs a fact about measures walks it.
 */
#ifndef MEASURES_ROW_H
#define MEASURES_ROW_H

#include <stdint.h>

#include "run/measures/names.h"
#include "run/measures/run_result.h"

#define MEASURE_ALL_SIZES UINT32_MAX

/* Placeholders in the name of a row, in capitals there. By the first five a row is read: once per run, or once per tag,
 * reason, cause or probe. */
enum measure_placeholder {
    MEASURE_RUN, /* none */
    MEASURE_T,
    MEASURE_REASON,
    MEASURE_CAUSE,
    MEASURE_PLACE,
    MEASURE_BIN,
    MEASURE_STAT,
    MEASURE_PLACEHOLDERS
};

/* What a row is read of. */
struct measure_at {
    const struct run_result *run;
    uint32_t number;           /* of the tag, reason, cause or probe */
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
    const char *title; /* in charts: "flow completion time"; null: the name */
    const char *help;  /* one line */
    /* One of them, by kind. */
    bool (*exists)(const struct measure_at *at);
    double (*value)(const struct measure_at *at); /* NaN: there is none */
    bool no_curve;                                /* of a sample */
    void (*sample)(const struct measure_at *at, struct measure_sample *out);
    /* How many points a series has; one of them. */
    uint32_t (*count)(const struct measure_at *at);
    void (*point)(const struct measure_at *at, uint32_t i, double xy[2]);
};

extern const struct measure_row measure_rows[];
extern const uint32_t measure_row_count;

/* By which a row is read: never BIN or STAT. */
enum measure_placeholder measure_row_placeholder(const struct measure_row *row);

struct measure_pattern_choice {
    bool curves;  /* of curves, "T.fct.cdf", else of measures, "T.fct.STAT" */
    bool by_size; /* of one range of sizes: "T.BIN.fct.STAT" */
};

/* The pattern that names of a row follow; false: it has none of this choice. */
bool measure_row_pattern(const struct measure_row *row, struct measure_pattern_choice choice,
                         char pattern[RUN_MEASURE_NAME_MAX]);

/* The placeholder that a pattern begins with, and its length; MEASURE_RUN and 0: it begins with none. */
enum measure_placeholder measure_placeholder_at(const char *pattern, size_t *length);

/* What REASON, CAUSE, BIN or STAT may stand for, from i = 0 on; null: there is no more. */
const char *measure_placeholder_text(enum measure_placeholder placeholder, uint32_t i);

/* Reason and cause of a loss by the number of their text. */
uint32_t measure_placeholder_number(enum measure_placeholder placeholder, uint32_t i);

/* "short", "middle", "long" or "bin1" ...: one of `bins` ranges of flow sizes. */
const char *measure_bin_name(uint32_t bins, uint32_t bin);

/* The units that measures come in. Everything is stored in base units; prefixes are for display. */
#define UNITS_COUNT 4u

/* A unit by its number; that of plain numbers when there is none of this number. */
const char *units_name(uint32_t unit);

/* UNITS_COUNT: it is none of them. */
uint32_t units_find(const char *name);

/* The same text from static memory; it must be one of them. */
const char *units_own(const char *name);

#endif
