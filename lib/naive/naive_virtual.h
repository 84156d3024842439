/*
 * naive_virtual.h - the LQD buffer in numbers that followlqd and credence keep beside the real one: what
 * naive_followlqd.c and naive_credence.c share. It comes first in the state of both.
 */
#ifndef WEIR_NAIVE_VIRTUAL_H
#define WEIR_NAIVE_VIRTUAL_H

#include "naive_internal.h"

/* Entry i is of account i and, while i is one, of port i. */
struct naive_virtual {
    weir_cells cells;         /* account: its length in LQD's buffer */
    bool locked;              /* port: sends with the real port */
    weir_ps due_ps;           /* port, otherwise: when it is free to send by itself */
    weir_ps backlog_since_ps; /* port: when it last had nothing before */
    /* Of credence, with counters = virtual: moving averages, and when they moved. */
    int64_t average_q8; /* account: of its cells, 8 fractional bits */
    weir_ps average_ps;
    int64_t used_q8; /* the first entry: of what all hold */
    weir_ps used_ps;
};

size_t naive_virtual_size(const struct weir_naive *n);

/* What all accounts hold in LQD's buffer. */
weir_cells naive_virtual_used(const struct weir_naive *n);

/* Moves an average towards the present cells by the share of tau that passed. */
void naive_average_move(int64_t *average_q8, weir_ps *at_ps, weir_cells cells, weir_ps tau, weir_ps now);

void naive_virtual_arrive(struct weir_naive *n, const struct weir_arrival *arrival);
void naive_virtual_on_time(struct weir_naive *n, weir_ps now);
void naive_virtual_on_dequeue(struct weir_naive *n, const struct weir_event *event);
void naive_virtual_on_drop(struct weir_naive *n, const struct weir_event *event);
void naive_virtual_on_idle(struct weir_naive *n, weir_port port, weir_ps now);

/* Whether the arrival would make its account longer than LQD's. */
bool naive_virtual_over(const struct weir_naive *n, const struct weir_arrival *arrival);

#endif
