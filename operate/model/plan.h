/*
 * plan.h - a configuration as the MMU takes it: for each of eight classes its profile on both sides, and the pools that
 * profiles draw on, of one pipe. Scenarios are written from it (scenario.c), and probes are made with it (probe.c).
 *
 * A class is a traffic class: its priority group and its queue come from the maps of a port. All ports are given the
 * profiles of one of them; where ports differ, there is a plan for each kind of port (plan_kinds).
 */
#ifndef OPERATE_MODEL_PLAN_H
#define OPERATE_MODEL_PLAN_H

#include "operate/model/model.h"
#include "weir/mmu.h"

#define PLAN_CLASSES 8u
#define PLAN_POOLS 4u /* of a side */
#define PLAN_NOTES 16u

enum plan_side { PLAN_INGRESS, PLAN_EGRESS, PLAN_SIDES };

/* Of a class on one side. Bytes; SONIC_ABSENT: none. */
struct plan_profile {
    const char *name;                  /* "(computed)" and the like where no table names it; null: there is none */
    int64_t dynamic_th, limit;         /* one of them; neither: no threshold */
    int64_t minimum, xoff, xon, delta; /* the last three of lossless groups */
    int64_t cap;                       /* what the group may have of headroom: xoff, or that of its port's groups too */
    uint32_t number;                   /* of the group or queue */
    uint32_t pool;
};

struct plan_pool {
    const struct sonic_pool *of; /* null: of classes without a profile, as large as the memory */
    int64_t size;                /* of the whole switch, without xoff */
    int64_t port_th, port_limit; /* of all of a port; SONIC_ABSENT: none */
};

struct sonic_plan {
    const struct sonic_model *model;
    const struct sonic_port *as;     /* whose profiles all ports have */
    const struct sonic_port **ports; /* [count], those that are up */
    uint32_t count, per_pipe;
    int64_t pipes, cell;
    uint32_t lossless;             /* bits of classes */
    uint32_t having[PLAN_CLASSES]; /* ports that have the class: all, but for a mix */
    struct plan_profile profile[PLAN_SIDES][PLAN_CLASSES];
    struct plan_pool pool[PLAN_SIDES][PLAN_POOLS];
    uint32_t pools[PLAN_SIDES];
    int64_t memory;        /* what pools without a size of their own have, of the whole switch */
    int64_t headroom_pool; /* of the whole switch; SONIC_ABSENT: each group has its own */
    const struct sonic_wred *wred[PLAN_CLASSES];
    const struct sonic_scheduler *scheduler[PLAN_CLASSES];
    const struct sonic_map *dscp;  /* to classes; null: there is none */
    const struct sonic_map *dot1p; /* likewise */
    char notes[PLAN_NOTES][200];
    uint32_t note_count;
};

/* The plan with the profiles of a port; null: of the first that has a lossless group, else of the first. At most so
 * many ports; 0: all. False with an error: a value that is needed is not known. Release it either way. */
bool sonic_plan_make(struct sonic_plan *plan, const struct sonic_model *model, const struct sonic_port *as,
                     uint32_t most, struct weir_error *error);
void sonic_plan_free(struct sonic_plan *plan);

/* Ports that have the same profiles, maps and headroom are of a kind: the first of each, up to `most`, and how many are
 * like it. How many kinds. */
uint32_t plan_kinds(const struct sonic_model *model, const struct sonic_port **first, uint32_t *ports, uint32_t most);

/* Of several kinds of ports one plan, whose classes are their lossless profiles: class of[kind][tc] is class tc of that
 * kind, PLAN_CLASSES: it has none. As many kinds as fit: how many. `ports`: of each kind. It has no ports of its own:
 * release those of plans. */
uint32_t plan_mix(struct sonic_plan *mix, const struct sonic_plan *const *plans, const uint32_t *ports, uint32_t kinds,
                  uint32_t (*of)[PLAN_CLASSES]);

/* The kind of a port, of the first ports of kinds; `kinds`: none of them. */
uint32_t plan_kind_of(const struct sonic_model *model, const struct sonic_port *port,
                      const struct sonic_port *const *first, uint32_t kinds);

/* Classes of one priority group share its account: bits of the classes that a class shares it with, its own among them;
 * the first of these; and the first classes of all lossless groups. */
uint32_t plan_sharing(const struct sonic_plan *plan, uint32_t tc);
uint32_t plan_first(const struct sonic_plan *plan, uint32_t tc);
uint32_t plan_groups(const struct sonic_plan *plan);

/* The class of packets with a DSCP: as the map says, class 0 without one; of classes with the same group and queue,
 * which are the same accounts, the first. */
uint32_t plan_class_of_dscp(const struct sonic_plan *plan, uint32_t dscp);

/* The alpha of a class with a dynamic_th; and the cells that it holds when it alone reaches its threshold or that of
 * its port, its minimum included. */
double plan_alpha(const struct sonic_plan *plan, enum plan_side side, uint32_t tc);
double plan_alone(const struct sonic_plan *plan, enum plan_side side, uint32_t tc);

/* Whole cells. */
int64_t plan_cells_up(const struct sonic_plan *plan, int64_t bytes);
int64_t plan_cells_down(const struct sonic_plan *plan, int64_t bytes);

/* Of one pipe, cells: a pool; headroom in all; private minimums in all; the memory that both sides share. */
int64_t plan_pool_cells(const struct sonic_plan *plan, enum plan_side side, uint32_t pool);
int64_t plan_headroom_cells(const struct sonic_plan *plan);
int64_t plan_private_cells(const struct sonic_plan *plan);
int64_t plan_shared_cells(const struct sonic_plan *plan);

/* The minimum of a class that the MMU keeps: of its group if it is lossless, at the first class of the group, else of
 * its queue. Cells. */
int64_t plan_private(const struct sonic_plan *plan, uint32_t tc);

/* WRED of a class for packets of the given colour, green unless options say otherwise: whether its thresholds can be
 * used, whether packets are marked, and whether they are lost if they cannot be. SONiC sets the weight of the average
 * to 0 (SAI_WRED_ATTR_WEIGHT, in its qosorch): the length of the moment. */
struct plan_wred {
    bool is_set, marks, drops;
    int64_t low, high, percent;
};
struct plan_wred plan_wred_of(const struct sonic_plan *plan, uint32_t tc);

/* Values of sai-groups and sai-queues. */
void plan_values(const struct sonic_plan *plan, enum plan_side side, struct weir_values *values);

#endif
