/*
 * names.h - which measures and curves a run can have, before it is made: a misspelled name in a claim or a
 * figure is found when a sweep is planned, not after it.
 */
#ifndef MEASURES_NAMES_H
#define MEASURES_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RUN_MEASURE_NAME_MAX 256u

struct run_measure_names {
    const char *const *tags; /* of the scenario: any texts */
    uint32_t tag_count;
    bool curves; /* names of curves are meant, else those of measures */
};

/* Some run with these tags has it. Whether this one does depends on what happens in it: a tag that loses nothing has no
 * first loss. */
bool run_measure_known(const struct run_measure_names *names, const char *name);

/* The nearest one to a name that is not known; false: none is near. */
bool run_measure_nearest(const struct run_measure_names *names, const char *name, char nearest[RUN_MEASURE_NAME_MAX]);

/* The table of measures as Markdown: headings and tables, to which docs/reference/measures.md adds prose. */
void measures_reference(FILE *out);

#endif
