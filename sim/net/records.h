/*
 * records.h - what is kept of a flow when it ended, or when the run ended before it. Records are kept in the order in
 * which flows end and sorted by id when the run is over.
 */
#ifndef SIM_NET_RECORDS_H
#define SIM_NET_RECORDS_H

#include "weir/types.h"

struct flow_record {
    uint32_t id;
    uint32_t source, destination;
    uint32_t traffic, tag, group; /* group: query or burst, or FLOW_NO_GROUP */
    uint32_t group_flows;         /* of the whole group; 0: as many as there are */
    int64_t bytes;                /* asked for; FLOW_ENDLESS */
    int64_t delivered_bytes;
    weir_ps start_ps;
    weir_ps wait_ps;   /* from when its group was asked for to its start */
    weir_ps finish_ps; /* the receiver had all; WEIR_NEVER: it never had */
    weir_ps acked_ps;  /* its sender knew; likewise, and where nothing is acknowledged */
    weir_ps ideal_ps;  /* the same flow alone in the network, with an unlimited window */
    weir_ps first_ps;  /* and its first segment */
    uint32_t timeouts, again;
    uint32_t lost; /* packets, feedback too; those lost a window after the flow's end belong to its tag alone */
    /* UDP: delays of its packets, from the start of sending to delivery */
    uint64_t sent;                      /* packets that left the host */
    uint64_t packets;                   /* delivered */
    double delay_sum_ps, delay_squares; /* sum of squares in ps^2 */
    weir_ps delay_max_ps;
};

struct records {
    struct flow_record *at;
    uint32_t count, room;
};

bool records_add(struct records *records, const struct flow_record *record); /* false: out of memory */
bool records_move(struct records *records, struct records *from);            /* to the end; likewise */
void records_sort(struct records *records);
void records_free(struct records *records);

#endif
