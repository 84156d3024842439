/*
 * lcores.c - deals the modules out over processors and runs them. A processor runs the modules that were given to it in
 * turn; ports are dealt out over the processors of the receiving and of the sending module. All on one processor is run
 * to completion, one each is a pipeline: the same modules either way.
 */
#define _GNU_SOURCE 1
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>

#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "switch/dpdk/dataplane_internal.h"

#define LOCK_SPINS 2000u                      /* before others may run */
#define IDLE_ROUNDS 64u                       /* without work before a processor sleeps */
#define SLEEP_US 50u                          /* of the machine */
#define AWAKE_PS (800 * WEIR_PS_PER_US)       /* of the machine: longest time without a sleep, where they are allowed */
#define SLEEP_MARGIN_PS (80 * WEIR_PS_PER_US) /* of the machine: nothing may be due before a sleep is over */

void lock_wait(rte_spinlock_t *lock)
{
    uint32_t spins = 0;
    while (!rte_spinlock_trylock(lock)) {
        rte_pause();
        if (++spins % LOCK_SPINS == 0)
            sched_yield();
    }
}

/* The first processor that this process may use. */
static uint32_t lcores_first_cpu(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &allowed))
                return cpu;
    return 0;
}

/* Processors of a module; the first one when none is set. */
static uint32_t lcores_of(const struct dataplane_config *config, uint32_t module, uint32_t *cpus, uint32_t first)
{
    const struct dataplane_cpus *given = &config->cpus[module];
    cpus[0] = first;
    for (uint32_t i = 0; i < given->count; i++)
        cpus[i] = given->cpu[i];
    return given->count > 0 ? given->count : 1;
}

uint32_t dataplane_cpus(const struct dataplane_config *config, uint32_t cpus[DATAPLANE_LCORES_MAX])
{
    uint32_t count = 0, first = lcores_first_cpu();
    for (uint32_t module = 0; module < DATAPLANE_MODULES; module++) {
        uint32_t of[DATAPLANE_LCORES_MAX], of_count = lcores_of(config, module, of, first);
        for (uint32_t i = 0; i < of_count; i++) {
            uint32_t known = 0;
            while (known < count && cpus[known] != of[i])
                known++;
            if (known == count && count < DATAPLANE_LCORES_MAX)
                cpus[count++] = of[i];
        }
    }
    return count;
}

/* EAL's lcore that is pinned to the processor and runs nothing yet. */
static uint32_t lcores_find(uint32_t cpu)
{
    uint32_t lcore;
    RTE_LCORE_FOREACH_WORKER(lcore)
    {
        rte_cpuset_t set = rte_lcore_cpuset(lcore);
        if (CPU_ISSET(cpu, &set) && CPU_COUNT(&set) == 1 && rte_eal_get_lcore_state(lcore) == WAIT)
            return lcore;
    }
    return LCORE_ID_ANY;
}

static struct lcore_work *lcores_work(struct dataplane *dp, uint32_t cpu)
{
    for (uint32_t i = 0; i < dp->work_count; i++)
        if (dp->work[i].cpu == cpu)
            return &dp->work[i];
    return NULL;
}

/* Ports go round over the processors of the module. */
static void lcores_deal(struct dataplane *dp, uint32_t module)
{
    uint32_t cpus[DATAPLANE_LCORES_MAX], count = lcores_of(&dp->config, module, cpus, dp->work[0].cpu);
    for (uint32_t i = 0; i < count; i++)
        lcores_work(dp, cpus[i])->modules |= 1u << module;
    for (uint32_t p = 0; p < dp->config.ports; p++) {
        struct lcore_work *work = lcores_work(dp, cpus[p % count]);
        work->rx_ports |= (uint64_t)(module == DATAPLANE_RX) << p;
        work->tx_ports |= (uint64_t)(module == DATAPLANE_TX) << p;
    }
}

static bool lcores_memory(struct dataplane *dp, struct lcore_work *work)
{
    bool sends = work->rx_ports && !(work->modules & 1u << DATAPLANE_FORWARD);
    work->burst = rte_zmalloc("burst", dp->config.burst * sizeof(*work->burst), RTE_CACHE_LINE_SIZE);
    if (!work->burst)
        return false;
    if (sends) {
        char name[RTE_RING_NAMESIZE];
        snprintf(name, sizeof name, "weir%p", (void *)work);
        work->ring = rte_ring_create(name, DATAPLANE_RING_FRAMES, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
    }
    return !sends || work->ring;
}

bool lcores_plan(struct dataplane *dp, struct weir_error *error)
{
    uint32_t cpus[DATAPLANE_LCORES_MAX];
    dp->work_count = dataplane_cpus(&dp->config, cpus);
    for (uint32_t i = 0; i < dp->work_count; i++)
        dp->work[i] = (struct lcore_work){.dataplane = dp, .cpu = cpus[i]};
    for (uint32_t module = 0; module < DATAPLANE_MODULES; module++)
        lcores_deal(dp, module);
    for (uint32_t i = 0; i < dp->work_count; i++) {
        if (!lcores_memory(dp, &dp->work[i]))
            return weir_fail(error, WEIR_ERROR_MEMORY, "out of memory for rings between processors");
    }
    return true;
}

void lcores_free(struct dataplane *dp)
{
    for (uint32_t i = 0; i < dp->work_count; i++) {
        rte_ring_free(dp->work[i].ring);
        rte_free(dp->work[i].burst);
    }
}

static inline weir_ps lcore_round(struct dataplane *dp, struct lcore_work *work)
{
    weir_ps next = WEIR_NEVER, due;
    if (work->modules & 1u << DATAPLANE_RX && (due = rx_poll(dp, work)) < next)
        next = due;
    if (work->modules & 1u << DATAPLANE_FORWARD && (due = forward_poll(dp, work)) < next)
        next = due;
    if (work->modules & 1u << DATAPLANE_TX && (due = tx_poll(dp, work)) < next)
        next = due;
    if (work->modules & 1u << DATAPLANE_EXPEL && (due = expel_poll(dp)) < next)
        next = due;
    return next;
}

/* Nothing is due for longer than a sleep takes. */
static bool lcore_may_sleep(const struct dataplane *dp, weir_ps next)
{
    return next == WEIR_NEVER || (next - clock_now(&dp->clock)) > SLEEP_MARGIN_PS / dp->clock.time_scale;
}

/*
 * Sleeps when nothing is due for a while; and, however much there is to do, for some 6 % of the time: Linux takes a
 * real-time process that never sleeps off its processor for 50 ms of every second, far longer than all these together
 * hold up a frame.
 */
static bool lcore_shall_sleep(const struct dataplane *dp, uint32_t idle, weir_ps next, weir_ps awake_ps)
{
    return (idle > IDLE_ROUNDS && lcore_may_sleep(dp, next)) || awake_ps > AWAKE_PS;
}

/* The headroom of lossless classes rests on how long a processor may be away: sleeping, or taken off by the system. */
static void lcore_note_away(struct lcore_work *work, weir_ps *last_ps)
{
    weir_ps now_ps = clock_machine(&work->dataplane->clock);
    uint64_t away_ps = now_ps > *last_ps ? (uint64_t)(now_ps - *last_ps) : 0;
    if (unlikely(away_ps > work->away_ps_max))
        __atomic_store_n(&work->away_ps_max, away_ps, __ATOMIC_RELAXED);
    *last_ps = now_ps;
}

static int lcore_run(void *argument)
{
    struct lcore_work *work = argument;
    struct dataplane *dp = work->dataplane;
    weir_ps woke_ps = clock_machine(&dp->clock), last_ps = woke_ps;
    bool lossless = dp->mmu_config.lossless_mask != 0;
    uint32_t idle = 0;
    take_over(dp);
    prctl(PR_SET_TIMERSLACK, 1000ul); /* ns: sleeps end when they should */
    while (phase_read(dp) != DATAPLANE_STOPS) {
        weir_ps next = lcore_round(dp, work);
        idle = next == 0 ? 0 : idle + 1;
        if (lossless)
            lcore_note_away(work, &last_ps);
        if (dp->config.sleeps && lcore_shall_sleep(dp, idle, next, clock_machine(&dp->clock) - woke_ps)) {
            rte_delay_us_sleep(SLEEP_US);
            woke_ps = clock_machine(&dp->clock);
        }
    }
    hand_over(dp);
    return 0;
}

bool lcores_start(struct dataplane *dp, struct weir_error *error)
{
    hand_over(dp);
    for (uint32_t i = 0; i < dp->work_count; i++) {
        struct lcore_work *work = &dp->work[i];
        work->lcore = lcores_find(work->cpu);
        if (work->lcore == LCORE_ID_ANY || rte_eal_remote_launch(lcore_run, work, work->lcore) != 0) {
            weir_fail(error, WEIR_ERROR_SYSTEM,
                      "processor %u was not given to DPDK when it was started, or runs another switch", work->cpu);
            work->lcore = LCORE_ID_ANY;
            return false;
        }
    }
    return true;
}

void lcores_wait(struct dataplane *dp)
{
    for (uint32_t i = 0; i < dp->work_count; i++)
        if (dp->work[i].lcore != LCORE_ID_ANY)
            rte_eal_wait_lcore(dp->work[i].lcore);
    take_over(dp);
}
