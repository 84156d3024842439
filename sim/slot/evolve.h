/*
 * evolve.h - bad inputs for a policy, by evolution: sequences of bursts that are mutated, crossed and kept where the
 * offline optimum sends more than the policy. For switches of a size that search.h cannot climb on.
 *
 * An island is one evolution, and depends on nothing but its settings and its number: islands may be evolved in any
 * order, at the same time, or tomorrow.
 */
#ifndef SLOT_EVOLVE_H
#define SLOT_EVOLVE_H

#include "measure.h"

#define SLOT_GENES_MAX 24u

/* For `slots` slots, `each` packets per slot for each of `span` ports from `port` on, ports in a circle. */
struct slot_gene {
    uint16_t port, span, slots, each;
};

struct slot_genome {
    uint32_t count;
    uint32_t rounds; /* times that all of it happens */
    struct slot_gene gene[SLOT_GENES_MAX];
};

struct slot_evolution {
    uint32_t ports, buffer;
    uint32_t slots;       /* a sequence is cut there */
    uint32_t generations; /* sequences tried, of which each but the first few descends from others */
    uint64_t seed;
};

struct slot_island {
    struct slot_genome genome; /* the worst found */
    uint64_t optimum, sent;
};

/* The sequence of a genome, into one that is initialised and empty. */
void slot_genome_write(const struct slot_evolution *evolution, const struct slot_genome *genome,
                       struct slot_arrivals *arrivals);

enum weir_error_code slot_evolve(const struct slot_evolution *evolution, const struct slot_algorithm *algorithm,
                                 uint32_t number, struct slot_island *island, struct weir_error *error);

#endif
