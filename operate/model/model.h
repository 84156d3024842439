/*
 * model.h - what a configuration amounts to on its platform: the lossless groups of every port with the headroom that
 * they will have, wherever it comes from, and the pools that they share. Rules and pages read this.
 */
#ifndef OPERATE_MODEL_MODEL_H
#define OPERATE_MODEL_MODEL_H

#include "operate/model/formula.h"

/* What options say about a configuration; SONIC_ABSENT, negative or null where they say nothing. */
struct sonic_given {
    const char *platform;
    const struct platform *as;      /* the chip itself; null: it is found */
    int64_t cell, mmu, pipes, xoff; /* xoff: enum platform_xoff */
    int64_t speed_mbps;             /* of ports whose speed no table has */
    double cable_m;                 /* likewise */
    int64_t lossless_mtu, small_percent;
    uint32_t formula; /* enum sonic_formula */
    uint32_t colour;  /* enum sonic_colour of packets: no table of SONiC has it */
};

void sonic_given_init(struct sonic_given *given);

enum sonic_source {
    SONIC_FROM_PROFILE, /* BUFFER_PG names it */
    SONIC_FROM_LOOKUP,  /* the traditional model makes it at run time from pg_profile_lookup.ini */
    SONIC_FROM_FORMULA, /* the dynamic model computes it */
    SONIC_FROM_NOWHERE, /* it is to be lossless, and has no headroom */
    SONIC_FROM_UNKNOWN, /* it would come from a lookup table that was not given, or a formula that lacks a value */
};

/* A lossless priority group of a port. */
struct sonic_group {
    const struct sonic_port *port;
    uint32_t number;
    enum sonic_source source;
    const struct sonic_use *use;         /* of BUFFER_PG; null: none */
    const struct sonic_profile *profile; /* null: none */
    const struct sonic_row *row;         /* null: none */
    const struct sonic_pool *pool;       /* null: not known */
    int64_t size, xon, xoff, dynamic_th; /* SONIC_ABSENT: not known */
    bool is_paused;                      /* pfc_enable has it */
};

struct sonic_model {
    struct sonic_config *config;
    struct platform platform;
    struct sonic_given given;
    struct sonic_list groups; /* of sonic_group, port by port */
    int64_t *kept;            /* of each pool, bytes of its size that nobody shares: headroom and minimums */
    int64_t own_headroom,
        group_minimums; /* bytes of the ingress side: of groups without a shared pool; of all groups */
    int64_t lossless_mtu, small_percent;
    bool is_dynamic;
    bool has_qos; /* PORT_QOS_MAP is there: which priorities are paused is known */
};

#define MODEL_GROUPS(model) ((struct sonic_group *)(model)->groups.at)

/* A group of a port, if it is among them; else null. */
const struct sonic_group *model_group(const struct sonic_model *model, const struct sonic_port *port, uint32_t number);

/* False with an error; release with sonic_model_free either way. The configuration is finished, and stays. */
bool sonic_model_make(struct sonic_model *model, struct sonic_config *config, const struct sonic_given *given,
                      struct weir_error *error);
void sonic_model_free(struct sonic_model *model);

/* Priorities that PFC pauses at a port, as bits. */
uint32_t model_pfc_mask(const struct sonic_model *model, const char *port);
const struct sonic_qos *model_qos(const struct sonic_model *model, const char *port);

/* A port's speed, cable and MTU, with what options say; SONIC_ABSENT or negative: not known. */
int64_t model_speed(const struct sonic_model *model, const struct sonic_port *port);
double model_cable(const struct sonic_model *model, const struct sonic_port *port);
int64_t model_mtu(const struct sonic_port *port);

/* The pool of lossless groups of the ingress side: the one that profiles with an xoff use, else the first ingress pool
 * with xoff or "lossless" in its name. Null: none. */
const struct sonic_pool *model_lossless_pool(const struct sonic_model *model, enum sonic_side side);

/* Whether a shared headroom pool is on: xoff of the pool, or an over-subscription ratio. */
bool model_is_shared(const struct sonic_model *model, const struct sonic_pool *pool);

/* Its bytes: as the pool has it, else as the ratio makes it of all lossless groups (dynamic.c). 0: there is none. */
int64_t model_headroom_pool(const struct sonic_model *model, const struct sonic_pool *pool);

/* The size that the dynamic model gives a pool without one, headroom apart. SONIC_ABSENT: not known. */
int64_t model_pool_size(const struct sonic_model *model, const struct sonic_pool *pool);

/* The link of a port, for the formula; false: speed, cable or cell are not known. */
bool model_link(const struct sonic_model *model, const struct sonic_port *port, struct formula_link *link);

/* What is missing of a group whose headroom is unknown, and where it is expected. */
const char *model_missing(const struct sonic_model *model, const struct sonic_group *group);

/* Whether a group is lossless in the end: it can be paused, and has headroom. */
bool model_is_paused(const struct sonic_model *model, const struct sonic_group *group);

/* What a lossless group keeps for itself besides headroom, bytes: of its own headroom size includes xoff. */
int64_t model_minimum(const struct sonic_model *model, const struct sonic_group *group);

/* Bytes of a pool's size that are not shared, of the whole switch. */
int64_t model_kept(const struct sonic_model *model, const struct sonic_pool *pool);

/* Whether a profile is of a lossless group. */
bool model_is_lossless(const struct sonic_profile *profile);

/* Guaranteed minimums of one side, bytes: of all groups and queues that a profile of a pool of that side covers. */
int64_t model_minimums(const struct sonic_model *model, enum sonic_side side);

/* The row of the lookup table for a speed and cable, the last of several, as in SONiC; null: none. */
const struct sonic_row *model_row(const struct sonic_model *model, int64_t speed_mbps, double cable_m);

/* The threshold of a group that is alone in its pool, bytes: alpha / (1 + alpha) of one pipe's part of it, and its
 * static threshold where it has one. SONIC_ABSENT: not known. */
int64_t model_alone(const struct sonic_model *model, const struct sonic_pool *pool, int64_t dynamic_th,
                    int64_t static_th);

/* The link that a profile is named after: "pg_lossless_100000_300m_profile", or with "_mtu1500_th3" in it. */
bool model_read_profile_name(const char *name, int64_t *speed_mbps, double *cable_m);

/* Whether the profile of a group is named after a slower or shorter link than its port has. */
bool model_is_of_other_link(const struct sonic_model *model, const struct sonic_group *group);

/* The xoff that SONiC's formula has for the link of a port, bytes; SONIC_ABSENT: not known. */
int64_t model_needed_xoff(const struct sonic_model *model, const struct sonic_port *port);

/* Whether a group is one that PFC is to keep from losing packets. */
bool model_is_guarded(const struct sonic_model *model, const struct sonic_group *group);

/* What a group that is alone holds when it pauses, its minimum included: bytes of whole cells. SONIC_ABSENT: not known.
 */
int64_t model_pause_point(const struct sonic_model *model, const struct sonic_group *group);

#endif
