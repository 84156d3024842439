/*
 * test_sim_lossless.c - that the lossless worlds of the swarm are worth running: many of them pause, and those that
 * lose nothing would lose packets without the headroom of ports.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/net/switch_pfc.h"
#include "sim_checks.h"
#include "sim_world.h"
#include "weir/random.h"

#define SEED UINT64_C(0x73696d)
#define WORLDS 60u

/* What a world came to. */
struct outcome {
    bool ran, loses;
    uint64_t pauses;
};

static uint64_t count_pauses(const struct sim *sim)
{
    uint64_t pauses = 0;
    for (uint32_t i = 0; i < sim->config.topology->switches; i++)
        for (uint32_t p = 0; p < sim->switches[i].ports; p++)
            for (uint32_t tc = 0; tc < PFC_CLASSES; tc++)
                pauses += sim->switches[i].pfc->port[p].end.peer.counters[tc].pauses;
    return pauses;
}

static struct outcome run(const struct sim_world *world)
{
    static struct built_world built;
    struct outcome outcome = {false, false, 0};
    struct weir_error error;
    char message[WEIR_MESSAGE_MAX];
    if (!sim_world_build(&built, world, &error))
        return outcome;
    struct sim *sim = sim_create(&built.config, &error);
    if (sim != NULL) {
        assert_int_equal(sim_run(sim, NULL, NULL), SIM_DONE);
        outcome = (struct outcome){true, sim_check_lossless(sim, message) != NULL, count_pauses(sim)};
    }
    sim_free(sim);
    sim_world_release(&built);
    return outcome;
}

/* A lossless world under DSH in which nothing but a lack of headroom can lose a packet. */
static void draw(struct sim_world *world, uint32_t number, bool insurance)
{
    sim_world_draw_lossless(world, weir_hash(SEED, number));
    world->changes = world->watchdog_detect_ps = 0;
    for (int64_t i = 0; i < world->tiers; i++) {
        world->tier[i].headroom = 1;
        world->tier[i].headroom_size = SIM_HEADROOM_SAFE;
        world->tier[i].insurance = insurance;
        if (weir_policies[world->tier[i].policy]->needs & WEIR_NEED_LOSSLESS) /* refuses, unpaused */
            world->tier[i].policy = 0;
    }
}

static void worlds__need_insurance(void **state)
{
    uint32_t losing = 0, pausing = 0;
    (void)state;
    for (uint32_t number = 0; number < WORLDS; number++) {
        struct sim_world world;
        draw(&world, number, false);
        losing += run(&world).loses;
        draw(&world, number, true);
        struct outcome insured = run(&world);
        if (insured.loses)
            fail_msg("world %u from seed 0x%llx loses packets", number, (unsigned long long)SEED);
        pausing += insured.pauses > 0;
    }
    print_message("of %u worlds %u pause and %u lose packets without insurance\n", WORLDS, pausing, losing);
    assert_true(losing > 0);
    assert_true(pausing > WORLDS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds__need_insurance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
