/*
 * record.h - the parts of `weir repro`: figures that are run (cmd_repro.c), what came out of them as a file that is
 * kept (record.c), and the pages made from it (page.c).
 *
 * The record holds numbers only: claims by id, with our value and its interval. What a claim says, and why one is
 * missed, is read from the scenarios each time the pages are made, and the verdict follows from both, so that each has
 * one home. The verdict in the record is for those who read it without weir.
 */
#ifndef PAPERS_RECORD_H
#define PAPERS_RECORD_H

#include <jansson.h>

#include "lab/papers/catalogue.h"
#include "lab/store/claims.h"

/* JSON: {"figures": {ID: {"runs", "seeds", "core_seconds", "version", "code", "claims": {ID: {...}}}}}
 * `code` is what made its runs (lab/store/code.h), `version` a commit that has that code. */
struct papers_record {
    char *path;
    json_t *root;
};

/* `name` in the folder of `file`, to be freed. An exit code. */
int papers_beside(char **path, const char *file, const char *name);

/* The record beside the page: docs/RESULTS.md has docs/results.json. One that is not there yet is empty. An exit code;
 * release with papers_record_free either way. */
int papers_record_load(struct papers_record *record, const char *page);
/* What tools/rtl-report left beside the record, to be released with json_decref; null: nothing. An exit code. */
int papers_hardware_load(json_t **hardware, const struct papers_record *record);
/* `version` is that of this program: the runs of the table are of its code, whichever build of it made them. */
int papers_record_put(struct papers_record *record, const char *figure, const struct table *table,
                      const struct judgement *judgements, const char *version);
/* Refuses a version that cannot be built again: an exit code. */
int papers_record_check(const char *version);
int papers_record_save(const struct papers_record *record);
void papers_record_free(struct papers_record *record);

/* What the record says of one claim; false: nothing. */
struct papers_claim {
    enum verdict verdict; /* by today's rule, from the numbers */
    const char *unit, *where;
    struct spread ours; /* mean and half; half NaN: no interval */
    uint32_t points, agreeing, open;
    struct spread margin; /* of an ordering: mean and half; count 0: none */
    const char *margin_unit;
    uint32_t censored;     /* points whose number unfinished flows or queries make a bound, or that leaves them out */
    const char *censoring; /* of our number: censoring_name */
};
bool papers_record_claim(const struct papers_record *record, const char *figure, const struct claim *claim,
                         struct papers_claim *out);

/* Of the figure as a whole. */
struct papers_figure {
    uint32_t runs, seeds;
    double core_seconds;
    const char *version;
};
bool papers_record_figure(const struct papers_record *record, const char *figure, struct papers_figure *out);

/* What is asked of every figure: seeds wherever something is drawn, more where an interval decides, and tested
 * explanations of a miss. */
#define REPRO_SEEDS_MIN 3u
#define REPRO_SEEDS_DECIDE 10u
#define REPRO_TRIALS_MIN 2u

/* Says on stderr what a figure lacks. CLI_VIOLATION: it draws with too few seeds; what the record (null: none) shows
 * besides is a warning. */
int papers_check(const struct catalogue_figure *figure, const struct papers_record *record);

/* What the whole figure will take of one core, from the record (null: none) or else from its file, for the runs that it
 * has today; 0: nothing is known. */
double papers_expected_seconds(const struct catalogue_figure *figure, const struct papers_record *record);

/* Writes the index of all figures and, into results/ beside it, a page per paper. An exit code. */
int papers_page_write(const char *page, const struct catalogue *catalogue, const struct papers_record *record);

/* "120 ms", "4.5 s", "3 min", "2.5 h", for people. */
void papers_time(double seconds, char text[32]);

#endif
