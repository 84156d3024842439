/*
 * switch_learn.h - what becomes of every arrival at a switch: rows for a predictor, and a table of the lost ones. A
 * switch that does neither has none of this, and its packet path only sees that the pointer is null.
 */
#ifndef SIM_NET_SWITCH_LEARN_H
#define SIM_NET_SWITCH_LEARN_H

#include "sim/net/switch_node.h"

/* Arrivals of one MMU that were lost: bit i % 8 of byte i / 8, as the table oracle wants it. */
struct switch_fates {
    uint8_t *lost;
    uint64_t room;  /* bits */
    uint64_t count; /* arrivals */
};

struct switch_learn {
    struct weir_training **training; /* [memories]; null: no rows */
    struct switch_fates *fates;      /* [memories]; null: not noted */
    bool real;                       /* the switch runs LQD: rows are about itself */
};

/* What the config asks for; node->learn stays null if that is nothing. False: out of memory. */
bool switch_learn_init(struct switch_node *node, const struct weir_mmu_config *mmu);
void switch_learn_free(struct switch_node *node);

/* Before the MMU sees the packet, and after it has decided. */
void switch_learn_arrive(struct switch_node *node, const struct switch_port *port, const struct weir_packet *packet,
                         weir_ps now);
void switch_learn_decided(struct switch_node *node, const struct switch_port *port, const struct weir_effects *effects);

/* A packet has left by the port; packets of its memory were lost. */
void switch_learn_depart(struct switch_node *node, const struct switch_port *port, const struct weir_effects *effects,
                         weir_ps now);
void switch_learn_lose(struct switch_node *node, const struct switch_port *port, const struct weir_effects *effects);

/* The run is over: the last rows. */
void switch_learn_finish(struct switch_node *node);

#endif
