/*
 * ends.h - when a message may end next. Who adds messages while a run goes on (traffic_add) answers the end of one with
 * the next, from any host, at the same moment. No node may have gone beyond that moment: so a window is cut where an
 * end is possible. A receiver has all with a packet that is on the link to it when the window begins, and so does a
 * sender learn it, because a window is shorter than the delay of a link.
 */
#ifndef SIM_NET_ENDS_H
#define SIM_NET_ENDS_H

#include "weir/types.h"

struct sim;

/* Just after the first moment before `end` at which a message may end at one of its hosts, at the latest when one does;
 * else `end`. Between windows. */
weir_ps ends_cut(struct sim *sim, weir_ps end);

#endif
