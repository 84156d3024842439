/*
 * evaluate.h - what a configured switch does: threshold probes of each kind of port (probe.h), and traffic through the
 * simulator. All results are named numbers besides, so that two configurations can be put side by side.
 */
#ifndef OPERATE_EVALUATE_EVALUATE_H
#define OPERATE_EVALUATE_EVALUATE_H

#include "operate/evaluate/probe.h"
#include "operate/evaluate/scenario.h"
#include "operate/lint/lint.h"

#define EVALUATE_KINDS 8u
#define EVALUATE_TAGS 8u
#define EVALUATE_REASONS 16u

/* What is asked. */
struct evaluate_wish {
    uint32_t at_once;             /* groups to fill; 0: of two ports */
    struct sonic_traffic traffic; /* its kind SONIC_TRAFFIC_NONE: probes only */
    bool quiet;
};

struct evaluate_kind {
    const struct sonic_port *port; /* the first of them */
    uint32_t ports;
    struct sonic_plan plan;
    struct probes probes;
};

/* Groups of ports of different kinds, filled at once. */
struct evaluate_mix {
    struct probe_many many;                    /* its groups 0: there is one kind only */
    uint32_t kind[EVALUATE_KINDS], kinds;      /* those that are in it */
    uint32_t left_out;                         /* kinds with lossless groups that did not fit */
    uint32_t of[EVALUATE_KINDS][PLAN_CLASSES]; /* [i][tc]: the class of `many`; PLAN_CLASSES: none */
};

struct evaluate_tag {
    char name[40];
    uint64_t flows, unfinished, lost;
    double mean_us, p50_us, p99_us; /* of completion times */
};

/* The largest of any port, or sums; of a class. Bytes, packets. */
struct evaluate_class {
    uint64_t group_dropped, queue_sent, queue_dropped, marked;      /* sums */
    uint64_t pauses, frames;                                        /* sums: edges, and frames with refreshes */
    double held_us;                                                 /* sum: how long peers were held */
    uint64_t shared_watermark, headroom_watermark, queue_watermark; /* largest */
};

struct evaluate_run {
    bool is_made, is_capture;
    struct evaluate_tag tag[EVALUATE_TAGS];
    uint32_t tags;
    uint64_t lossless_lost, lossy_lost;
    struct evaluate_class of[PLAN_CLASSES];
    uint64_t pool_watermark, headroom_watermark, buffer, headroom; /* largest of any pipe; sizes of one */
    uint32_t ports, lossless;
    uint32_t wanted_ports; /* more than there are; 0: not so */
    double simulated_us;
};

/* A result by name. */
struct evaluate_number {
    char name[112];
    double value;
    const char *unit; /* "cells", "us", ...; "" */
    bool more_is_better;
};

struct evaluation {
    struct sonic_model *model;
    struct evaluate_kind kind[EVALUATE_KINDS];
    uint32_t kinds;
    uint32_t unseen; /* ports of more kinds than that */
    struct evaluate_mix mix;
    struct evaluate_run run;
    uint32_t at_once; /* groups that were to be filled; 0: of two ports */
    uint32_t lint_errors, lint_warnings;
    uint32_t short_groups;               /* lossless groups with less headroom than SONiC's formula asks */
    char reasons[EVALUATE_REASONS][200]; /* of the verdict, worst first */
    uint32_t reason_count, losses;       /* losses: reasons that are lost packets */
    struct sonic_list numbers;           /* of evaluate_number */
};

#define EVALUATION_NUMBERS(e) ((struct evaluate_number *)(e)->numbers.at)

/* An exit code: an error has been printed. Release it either way. The model stays. */
int evaluation_make(struct evaluation *evaluation, struct sonic_model *model, const struct evaluate_wish *wish);
void evaluation_free(struct evaluation *evaluation);

/* A number by its name; null: none. */
const struct evaluate_number *evaluation_find(const struct evaluation *evaluation, const char *name);

/* What was taken where no table says it or no model has it, of all kinds of ports, each once; null: no more. */
const char *evaluation_taken(const struct evaluation *evaluation, uint32_t number);

/* One simulation (evaluate_run.c): an exit code. */
int evaluate_traffic(struct evaluate_run *run, const struct sonic_model *model, const struct evaluate_wish *wish);

/* Pages, as HTML or, of null, on the terminal: an exit code. The names of two say which is which. */
int evaluation_show(const struct evaluation *evaluation, const char *name, FILE *html);
int evaluation_compare(const struct evaluation *before, const struct evaluation *after, const char *names[2],
                       FILE *html);
struct data_frame *evaluation_frame(const struct evaluation *evaluation);
void evaluation_qos_params(const struct evaluation *evaluation, FILE *out);

#endif
