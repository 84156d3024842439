/*
 * run_tables_pfc.c - flow control and lossless classes in a few lines, for a terminal: how long senders were held, how
 * much headroom there is and was needed, and what must not happen if it did.
 */
#include <inttypes.h>

#include "tables/run.h"
#include "tables/run_violations.h"

static void put_pauses(const struct pfc_summary *pfc)
{
    char all[32], hosts[32], switches[32];
    printf("\npaused for %s over ports and classes (hosts %s, switches %s): %" PRIu64 " pauses, %" PRIu64
           " resumes, %" PRIu64 " refreshes in %" PRIu64 " frames; whole ports %" PRIu64 " times\n",
           run_duration((double)(pfc->held_hosts_ps + pfc->held_switches_ps), all),
           run_duration((double)pfc->held_hosts_ps, hosts), run_duration((double)pfc->held_switches_ps, switches),
           pfc->pauses, pfc->resumes, pfc->refreshes, pfc->frames, pfc->port_pauses);
}

static void put_headroom(const struct pfc_summary *pfc)
{
    char size[32], reserved[32], buffer[32];
    printf("headroom %s per queue, %s of %s set aside (%.1f %%); most in use by a queue %.1f %%\n",
           run_size((double)pfc->headroom_bytes, size), run_size((double)pfc->reserved_bytes, reserved),
           run_size((double)pfc->buffer_bytes, buffer), 100 * (double)pfc->reserved_bytes / (double)pfc->buffer_bytes,
           100 * pfc->peak);
}

static void put_deadlock(const struct run_result *result)
{
    const struct measure_deadlock *deadlock = &sim_measure(result->sim)->deadlock;
    char onset[32], ended[32], text[RUN_CYCLE_MAX];
    if (deadlock->found == 0)
        return;
    printf("deadlock from %s on, class %u, %u queues: %s", run_duration((double)deadlock->onset_ps, onset),
           deadlock->tc, deadlock->queues, run_cycle_text(result, text));
    if (deadlock->ended_ps != WEIR_NEVER)
        printf("; seen to move again at %s", run_duration((double)deadlock->ended_ps, ended));
    printf("\n");
    if (deadlock->found > 1)
        printf("deadlocks after that: %u\n", deadlock->found - 1);
}

void run_put_pfc(const struct run_result *result)
{
    const struct pfc_summary *pfc = &result->pfc;
    if (!pfc->lossless)
        return;
    put_pauses(pfc);
    put_headroom(pfc);
    if (pfc->lost > 0)
        printf("lossless packets lost: %" PRIu64 "; term of the headroom that the first one is in: %s\n", pfc->lost,
               run_loss_term(&pfc->first));
    if (pfc->storms > 0)
        printf("watchdog: %" PRIu64 " storms, %" PRIu64 " packets lost to it\n", pfc->storms, result->lost.by_watchdog);
    put_deadlock(result);
}
