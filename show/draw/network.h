/*
 * network.h - a drawing of a topology: tiers of switches above their hosts. Of a tier that is too wide the first
 * switches are drawn and the last, with a note of those between them; hosts stand as one box below their switch.
 */
#ifndef SHOW_DRAW_NETWORK_H
#define SHOW_DRAW_NETWORK_H

#include <stdio.h>

#include "sim/topology/topology.h"

/* For a page, styled by it: see svg.h. */
void network_put_inline(const struct topology *topology, FILE *out);

/* "12 hosts, 1 switch; links of 10 Gbit/s, 2 us": what the drawing says, in words. */
#define NETWORK_TEXT_MAX 256u
const char *network_text(const struct topology *topology, char text[NETWORK_TEXT_MAX]);

#endif
