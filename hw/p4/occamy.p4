/*
 * occamy.p4 - what Occamy's P4 prototype is on any target: the packets, the threshold, and the two comparisons.
 * occamy_v1model.p4 and occamy_tna.p4 include it and add what their switch does with the answers.
 *
 *   arrival              refuse  if  length + 20 cells > threshold,   both as a SYNC packet last brought them
 *   packet that leaves   drop    if  length > threshold + 40 cells,   both as they are
 *
 * with threshold = alpha * free buffer, alpha a power of two. Without the second rule it is DT.
 *
 * Paper: D. Shan et al., "Occamy: A Preemptive Buffer Management for On-chip Shared-memory Switches", EuroSys 2025,
 * section 5.2. Comments beginning with "5.2:" say which of its sentences a block implements, in our words. The margins
 * are not in the text: they make up for what happens while a SYNC packet is on its way.
 */
#ifndef OCCAMY_P4
#define OCCAMY_P4

#ifndef ADMIT_MARGIN
#define ADMIT_MARGIN 20 /* cells */
#endif
#ifndef DROP_MARGIN
#define DROP_MARGIN 40
#endif

typedef bit<32> cells_t;
typedef bit<16> queue_t;

const bit<16> TYPE_SYNC = 0x88b5; /* an Ethernet type for experiments on one's own network */

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> type;
}

/* 5.2: special packets, called SYNC, read queue lengths in the egress pipeline and return to ingress by recirculation.
 * Each brings one queue's numbers per round trip, because a pipeline can look at one place of a register array per
 * packet, and then goes for the next queue. */
header sync_t {
    queue_t queue;
    cells_t length;
    cells_t threshold;
}

struct headers_t {
    ethernet_t ethernet;
    sync_t sync;
}

/*
 * 5.2: the threshold is that of DT, computed in egress: alpha times the free buffer. A chip can shift by a constant
 * only, so each alpha is an action, chosen by a table entry per queue. `halvings` is the least h with 2^h >= 1 + alpha.
 */
control Threshold(in queue_t queue, in cells_t free, out cells_t threshold, out bit<8> halvings)
{
    action alpha_quarter() { threshold = free >> 2; halvings = 1; }
    action alpha_half() { threshold = free >> 1; halvings = 1; }
    action alpha_1() { threshold = free; halvings = 1; }
    action alpha_2() { threshold = free << 1; halvings = 2; }
    action alpha_4() { threshold = free << 2; halvings = 3; }
    action alpha_8() { threshold = free << 3; halvings = 4; }
    action alpha_16() { threshold = free << 4; halvings = 5; }

    table alpha {
        key = { queue : exact; }
        actions = { alpha_quarter; alpha_half; alpha_1; alpha_2; alpha_4; alpha_8; alpha_16; }
        default_action = alpha_1();
        size = 256;
    }

    apply { alpha.apply(); }
}

/*
 * How far `length` is above `limit`, 0 if it is not. Both comparisons of 5.2 are of this form. A chip's gateway cannot
 * compare two fields; its ALUs can subtract without going below zero.
 */
control Above(in cells_t length, in cells_t limit, out cells_t excess)
{
    apply { excess = length |-| limit; }
}

#endif
