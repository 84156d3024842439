/*
 * plan.h - how much buffer a switch reserves for lossless classes: the numbers behind `weir headroom`.
 *
 * A plan is a switch in a few words: ports that are all alike, lossless classes, a buffer. What each scheme reserves
 * is asked of its policy, as every host asks it (weir_mmu_headroom_cells), and not computed a second time here.
 */
#ifndef HEADROOM_PLAN_H
#define HEADROOM_PLAN_H

#include "cli/output.h"
#include "sim/net/config.h"
#include "weir/headroom.h"
#include "weir/policy.h"

#define HEADROOM_CLASSES_MAX 8u /* PFC knows so many */

/* How long something takes, given as bytes of the wire or as a time. */
struct headroom_span {
    int64_t bytes;
    weir_ps ps; /* 0: in bytes */
};

struct headroom_plan {
    const char *name; /* of the chip; null: none */
    weir_bps rate_bps;
    weir_ps delay_ps; /* one way */
    uint32_t mtu_bytes;
    uint32_t least_bytes; /* smallest packet */
    uint32_t gap_bytes;   /* between two packets */
    uint32_t cell_bytes;  /* 1: the buffer counts bytes */
    struct headroom_span processing, own;
    weir_q16 small;   /* share of the worst size of packet in the bytes of the wire, the rest being of the largest */
    bool is_standard; /* the peer takes as long as IEEE 802.3 allows, not `processing` */
    bool is_simulated;
    uint32_t ports; /* 0: only the terms are asked for */
    uint32_t classes;
    int64_t buffer_bytes;
    enum sim_headroom_size size; /* what a queue's headroom is */
    int64_t size_bytes;          /* of SIM_HEADROOM_BYTES */
    weir_ps measured_delay_ps;   /* of the link, for schemes that go by it */
    weir_q16 ratio;              /* for schemes with a parameter of this name */
};

/* Chips by age; the list ends with a plan without a name. Links of 1.5 us,
 * packets of 64 to 1500 B, peers as slow as IEEE 802.3 allows, eight classes. */
extern const struct headroom_plan headroom_chips[];

/* The chip of this name; null after one line with the nearest name. */
const struct headroom_plan *headroom_find_chip(const char *name);

/* The link as the library wants it: processing is resolved. */
struct weir_headroom_link headroom_plan_link(const struct headroom_plan *plan);

/* The size of packet that takes most cells for its bytes of the wire. */
uint32_t headroom_plan_worst_packet(const struct headroom_plan *plan);

/* The sum of all terms, and where cells are larger than a byte the gaps that come with them: bytes of the wire. */
int64_t headroom_plan_wire_bytes(const struct headroom_plan *plan);

/* The cells that these may take. A bound, unless `small` leaves out arrangements of packets. */
weir_cells headroom_plan_safe_cells(const struct headroom_plan *plan);
bool headroom_plan_is_bound(const struct headroom_plan *plan);

/* Headroom of one queue, bytes: whole cells. */
int64_t headroom_plan_size(const struct headroom_plan *plan);

/* Whether a peer may take longer than the plan says. */
bool headroom_plan_is_optimistic(const struct headroom_plan *plan);

/* Seconds of traffic at all ports that the memory holds. */
double headroom_plan_buffer_s(const struct headroom_plan *plan);

#define HEADROOM_SCHEMES_MAX 32u

/* The headroom schemes of the library, in the order of `weir policies`: how many there are. */
uint32_t headroom_schemes(const struct weir_policy *schemes[HEADROOM_SCHEMES_MAX]);

/* Bytes of the buffer that a scheme reserves. */
int64_t headroom_plan_reserve(const struct headroom_plan *plan, const struct weir_policy *scheme);

/* Whether a scheme sets headroom aside per port, whatever the number of its queues. */
bool headroom_is_per_port(const struct headroom_plan *plan, const struct weir_policy *scheme);

/* A line of a table of schemes. */
struct headroom_row {
    const char *scheme;
    char what[64]; /* how the headroom comes about */
    int64_t headroom_bytes, memory_bytes;
    int64_t shared_bytes; /* what is left; negative: the headroom does not fit */
};
struct data_frame *headroom_schemes_frame(const struct headroom_row *rows, uint32_t count);

/* What still arrives on a link, term by term with sums, for text; and the same as an object. */
struct data_frame *headroom_sums_frame(const struct headroom_plan *plan);
struct data_frame *headroom_link_frame(const struct headroom_plan *plan);

/* Each prints its page, as text or JSON: an exit code. */
int headroom_show(const struct headroom_plan *plan, bool json);
int headroom_show_trend(bool json);

struct plan_changes;
int headroom_show_tiers(const char *file, const struct plan_changes *changes, bool json);

#endif
