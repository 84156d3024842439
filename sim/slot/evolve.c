/*
 * evolve.c - see evolve.h. A steady population: each child of two parents, that are the better of two drawn ones, takes
 * the place of the worse of two drawn ones if it is no better than the child.
 */
#include "evolve.h"

#include <string.h>

#include "optimum.h"
#include "weir/random.h"

#define POPULATION 24u

struct evolving {
    const struct slot_evolution *evolution;
    const struct slot_algorithm *algorithm;
    struct weir_random random;
    struct slot_island of[POPULATION];
    struct slot_arrivals arrivals;
    struct weir_error *error;
};

static uint16_t evolve_up_to(struct evolving *e, uint32_t most)
{
    return (uint16_t)(1 + weir_random_below(&e->random, most));
}

/* Of a length between 1 and twice the buffer, small ones as often as large ones. */
static uint16_t evolve_length(struct evolving *e)
{
    uint32_t most = 2;
    while (most < 2 * e->evolution->buffer && most < UINT16_MAX / 2 && weir_random_below(&e->random, 4) > 0)
        most *= 2;
    return evolve_up_to(e, most);
}

static struct slot_gene evolve_gene(struct evolving *e)
{
    const uint32_t ports = e->evolution->ports;
    bool burst = weir_random_below(&e->random, 2) == 0;
    return (struct slot_gene){(uint16_t)weir_random_below(&e->random, ports),
                              weir_random_below(&e->random, 3) == 0 ? evolve_up_to(e, ports) : 1,
                              burst ? 1 : evolve_length(e), burst ? evolve_length(e) : evolve_up_to(e, 3)};
}

static void evolve_mutate(struct evolving *e, struct slot_genome *g)
{
    uint32_t at = weir_random_below(&e->random, g->count), draw = weir_random_below(&e->random, 9);
    struct slot_gene *gene = &g->gene[at];
    if (draw == 0 && g->count < SLOT_GENES_MAX) {
        memmove(gene + 1, gene, (g->count++ - at) * sizeof *gene);
        *gene = evolve_gene(e);
    } else if (draw == 1 && g->count > 1) {
        memmove(gene, gene + 1, (--g->count - at) * sizeof *gene);
    } else if (draw == 2) {
        *gene = evolve_gene(e);
    } else if (draw == 3) {
        gene->port = (uint16_t)weir_random_below(&e->random, e->evolution->ports);
    } else if (draw == 4) {
        gene->span = evolve_up_to(e, e->evolution->ports);
    } else if (draw == 5) {
        gene->slots = evolve_length(e);
    } else if (draw == 6) {
        gene->each = evolve_length(e);
    } else if (draw == 7) {
        g->rounds = evolve_length(e);
    } else {
        uint16_t *length = weir_random_below(&e->random, 2) ? &gene->slots : &gene->each;
        *length = (uint16_t)(*length + weir_random_below(&e->random, 2) * 2 - (*length > 1));
    }
}

/* The beginning of one and the end of the other. */
static struct slot_genome evolve_cross(struct evolving *e, const struct slot_genome *one, const struct slot_genome *two)
{
    struct slot_genome child = *one;
    uint32_t from = weir_random_below(&e->random, two->count);
    child.count = 1 + weir_random_below(&e->random, one->count);
    while (from < two->count && child.count < SLOT_GENES_MAX)
        child.gene[child.count++] = two->gene[from++];
    return child;
}

/* A switch has as many inputs as outputs, but adversaries of the theory send any number: so do these, up to what the
 * buffer could take twice. */
void slot_genome_write(const struct slot_evolution *evolution, const struct slot_genome *genome,
                       struct slot_arrivals *arrivals)
{
    for (uint32_t round = 0; round < genome->rounds && arrivals->slots < evolution->slots && !arrivals->failed;
         round++) {
        for (uint32_t i = 0; i < genome->count; i++) {
            const struct slot_gene *gene = &genome->gene[i];
            for (uint32_t slot = 0; slot < gene->slots && arrivals->slots < evolution->slots; slot++) {
                uint32_t left = 2 * evolution->buffer;
                for (uint32_t n = 0; n < gene->each; n++)
                    for (uint32_t p = 0; p < gene->span && left > 0; p++, left--)
                        slot_arrivals_add(arrivals, (gene->port + p) % evolution->ports);
                slot_arrivals_end_slot(arrivals);
            }
        }
    }
}

static enum weir_error_code evolve_judge(struct evolving *e, struct slot_island *candidate)
{
    struct slot_case c;
    slot_arrivals_clear(&e->arrivals);
    slot_genome_write(e->evolution, &candidate->genome, &e->arrivals);
    if (e->arrivals.failed)
        return WEIR_ERROR_MEMORY;
    enum weir_error_code status = slot_case_open(&c, &e->arrivals, e->evolution->buffer, true, e->error);
    if (status != WEIR_ERROR_NONE)
        return status;
    candidate->optimum = c.optimum;
    status = slot_case_sent(&c, e->algorithm, &candidate->sent, e->error);
    slot_case_close(&c);
    return status;
}

/* Without a division: ratios of counts that fit into 32 bits. */
static bool evolve_is_worse(const struct slot_island *one, const struct slot_island *two)
{
    return one->optimum * two->sent > two->optimum * one->sent;
}

static uint32_t evolve_draw(struct evolving *e, bool worse)
{
    uint32_t one = weir_random_below(&e->random, POPULATION), two = weir_random_below(&e->random, POPULATION);
    return evolve_is_worse(&e->of[one], &e->of[two]) == worse ? one : two;
}

static enum weir_error_code evolve_all(struct evolving *e)
{
    enum weir_error_code status = WEIR_ERROR_NONE;
    for (uint32_t i = 0; i < POPULATION && status == WEIR_ERROR_NONE; i++) {
        struct slot_genome *g = &e->of[i].genome;
        for (g->count = 0; g->count < 4; g->count++)
            g->gene[g->count] = evolve_gene(e);
        g->rounds = i % 2 ? evolve_length(e) : 1;
        status = evolve_judge(e, &e->of[i]);
    }
    for (uint32_t i = POPULATION; i < e->evolution->generations && status == WEIR_ERROR_NONE; i++) {
        const struct slot_genome *one = &e->of[evolve_draw(e, true)].genome, *two = &e->of[evolve_draw(e, true)].genome;
        struct slot_island child = {.genome = weir_random_below(&e->random, 3) == 0 ? evolve_cross(e, one, two) : *one};
        for (uint32_t changes = 1 + weir_random_below(&e->random, 3); changes > 0; changes--)
            evolve_mutate(e, &child.genome);
        status = evolve_judge(e, &child);
        struct slot_island *leaves = &e->of[evolve_draw(e, false)];
        if (!evolve_is_worse(leaves, &child))
            *leaves = child;
    }
    return status;
}

enum weir_error_code slot_evolve(const struct slot_evolution *evolution, const struct slot_algorithm *algorithm,
                                 uint32_t number, struct slot_island *island, struct weir_error *error)
{
    struct evolving e = {.evolution = evolution,
                         .algorithm = algorithm,
                         .random = {weir_hash(evolution->seed, number), 0},
                         .error = error};
    slot_arrivals_init(&e.arrivals, evolution->ports);
    enum weir_error_code status = evolve_all(&e);
    slot_arrivals_free(&e.arrivals);
    *island = e.of[0];
    for (uint32_t i = 1; i < POPULATION; i++)
        if (evolve_is_worse(&e.of[i], island))
            *island = e.of[i];
    return status;
}
