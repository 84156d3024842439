/*
 * probe.h - threshold probes: what operators measure on a switch with its ports closed, made on the MMU as it is
 * configured. Packets of one cell come until a group pauses, until one is dropped, and leave until it resumes. Of one
 * pipe; counts are cells.
 */
#ifndef OPERATE_EVALUATE_PROBE_H
#define OPERATE_EVALUATE_PROBE_H

#include "operate/model/plan.h"

#define PROBE_NEVER (-1) /* it does not happen before the memory ends */

/* A class of a kind of port, alone in an empty switch. */
struct probe_class {
    uint32_t tc;
    bool is_lossless;
    int64_t xoff;     /* the packet that makes it pause */
    int64_t drop;     /* the first that is dropped */
    int64_t xon;      /* what it holds when it resumes */
    int64_t headroom; /* what it holds of headroom at the first drop */
    double formula;   /* alpha B / (1 + alpha) and the minimum; negative: it has no dynamic threshold */
    bool is_ingress;  /* formula: of the side whose threshold is lower */
};

/* Groups of all lossless classes at many ports, filled in turn until all are paused. */
struct probe_many {
    uint32_t groups, paused;
    int64_t least[PLAN_CLASSES], most[PLAN_CLASSES]; /* at which a group of the class paused; PROBE_NEVER */
    double formula[PLAN_CLASSES];                    /* alpha B / (1 + sum of alpha) and the minimum */
    bool
        agrees; /* each within a cell of the formula, and what comes before it is asked again: a cell, or alpha cells */
    uint64_t lost; /* packets of groups that were not paused */
    int64_t late;  /* what the next group takes before it pauses, which comes when the others are; PROBE_NEVER: none */
};

/* Groups go into headroom one after the other, each as far as it may. */
struct probe_headroom {
    uint32_t groups, whole; /* of how many; that held all of their xoff when a packet was lost */
    int64_t cells;          /* in headroom then */
};

struct probes {
    const struct sonic_plan *plan;
    uint32_t classes;
    struct probe_class of[PLAN_CLASSES];
    struct probe_many few, all; /* of `at_once` groups, and of all of the pipe */
    struct probe_headroom headroom;
};

/* Makes all probes; `at_once`: groups of the first of them to fill, 0: two ports. False with an error. */
bool probes_make(struct probes *probes, const struct sonic_plan *plan, uint32_t at_once, struct weir_error *error);

/* Groups of several kinds of ports at once: a plan that plan_mix made, and the classes that each input of a pipe has.
 */
bool probe_mix(struct probe_many *result, const struct sonic_plan *mix, const uint32_t *classes, uint32_t inputs,
               struct weir_error *error);

#endif
