/*
 * catalogue.h - the figures of papers that can be reproduced: every scenario in a folder of its paper that has a
 * section `paper`. scenarios/tdt/fig7.yaml is the figure tdt/fig7.
 */
#ifndef PAPERS_CATALOGUE_H
#define PAPERS_CATALOGUE_H

#include "scenario/experiment/experiment.h"

struct catalogue_figure {
    char *id, *path;
    struct experiment full, quick;
};

struct catalogue {
    char *folder;
    struct catalogue_figure *figures; /* by paper and figure, fig9 before fig10 */
    uint32_t count, room;
};

/* Which figures are loaded: those that a pattern means; no pattern: all. */
struct catalogue_filter {
    char *const *patterns;
    uint32_t count;
};

/* `folder` null: WEIR_SCENARIOS of the environment, else what was installed or built with the program. An exit code;
 * release with catalogue_free either way. A mistake in a file that is not asked for does no harm. */
int catalogue_load(struct catalogue *catalogue, const char *folder, const struct catalogue_filter *filter);
void catalogue_free(struct catalogue *catalogue);

/* True when `pattern` means this figure: "tdt/fig7", "tdt" (all of that paper) or "all". Of an id with
 * several figures, "dsh/fig17-19" or "credence/fig6+12", each: "dsh/fig18". */
bool catalogue_matches(const char *id, const char *pattern);

#endif
