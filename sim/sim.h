/*
 * sim.h - a simulation as an object: made from a config, run, asked for its results. There are no globals: a process
 * may hold many.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "sim/net/config.h"
#include "sim/net/measure.h"
#include "sim/net/records.h"

struct sim;

struct sim_progress {
    weir_ps now, until;
    uint64_t packet_hops; /* packets sent over a link so far */
    uint64_t flows_started, flows_ended;
};

/* Asked every few hundred windows of time, and while many flows start, by the thread that called sim_run; with several
 * threads it has its own processors then (sim/engine/processors.h), and threads that it starts share them. False
 * stops the run, which sim_run can continue. A launch of very many flows is finished before, unless it asks again and
 * is told so again: such a run cannot continue. */
typedef bool sim_progress_function(void *context, const struct sim_progress *progress);

/* Null and one line in `error` when the config is not valid or memory is short. */
struct sim *sim_create(const struct sim_config *config, struct weir_error *error);
enum sim_status sim_run(struct sim *sim, sim_progress_function *progress, void *context);

/* The same until every event before `pause_ps` has happened; where it stops changes no result. What happens is cut into
 * windows, none of which is left half-way: events of the last one may be later. */
enum sim_status sim_run_until(struct sim *sim, weir_ps pause_ps, sim_progress_function *progress, void *context);
void sim_free(struct sim *sim);

/*
 * Where traffic takes messages (TRAFFIC_MESSAGES), a pause leaves no event after pause_ps behind, and a run that
 * is over goes on when there is another message, unless it was to go to its end. While `stop` is set, a run also
 * pauses when a message ends at one of its hosts: all events up to that moment have happened, and none of later.
 */
void sim_stop_at_ends(struct sim *sim, bool stop);

/* Adds a message between two runs, not before the last pause; see traffic_add. With ranks there are none. */
bool sim_add_message(struct sim *sim, const struct traffic_message *message, uint32_t *id, struct weir_error *error);

/* See traffic_take_end; *when is the time of the one that comes next. */
bool sim_first_end(const struct sim *sim, weir_ps *when);
bool sim_take_end(struct sim *sim, struct traffic_message_end *end);

/* After the run. */
const struct weir_error *sim_error(const struct sim *sim); /* of SIM_UNEVEN */
const struct records *sim_records(const struct sim *sim);
const struct measure *sim_measure(const struct sim *sim);
struct sim_progress sim_totals(const struct sim *sim);
uint64_t sim_sent_bytes(const struct sim *sim); /* what hosts put on their links, all packets, without gaps */
const struct link *sim_link(const struct sim *sim, uint32_t link, bool reverse); /* of topology.links, from a to b */

/* Null: another rank has it; or the network is large, nothing came there, and it was not asked for before the run. */
const struct weir_switch *sim_switch(const struct sim *sim, uint32_t sw);
uint64_t sim_memory_peak_bytes(const struct sim *sim, uint32_t sw, uint32_t memory); /* most that was in use */
uint32_t sim_switch_ports(const struct sim *sim, uint32_t sw);

/* The config of a switch's memory, for traces; `rates` [ports of the switch] is filled in and must outlive it. */
struct weir_mmu_config sim_memory_config(const struct sim *sim, uint32_t sw, uint32_t memory, weir_bps *rates);

/* The lost arrivals of a switch's memory as bits, and the number of arrivals; null: none, or they were not noted
 * (config.notes_fates). Arrivals whose rows found no room, of all switches. */
const uint8_t *sim_fates(const struct sim *sim, uint32_t sw, uint32_t memory, uint64_t *count);
uint64_t sim_rows_missed(const struct sim *sim);

/* Where the time went; times are 0 without config.clock_ns. */
struct sim_profile {
    uint32_t ranks; /* 1: this process alone; the following is of its own */
    uint32_t threads;
    uint32_t cut_links; /* between nodes of different threads */
    uint64_t windows;
    uint64_t stretches;  /* of windows without a stop of all threads between them */
    uint64_t run_ns;     /* of the whole */
    uint64_t longest_ns; /* of the busiest thread of each window */
    uint64_t between_ns; /* between these, one thread did what is for all: traffic, failures, deadlocks; no letters */
    uint64_t crossed;    /* packets from thread to thread */
    uint64_t crossed_bytes; /* of memory: their cache lines, and what names them */
};
struct sim_thread_profile {
    uint32_t hosts, switches;
    uint64_t busy_ns;     /* it ran nodes */
    uint64_t switches_ns; /* of these, switches, and packets that cross; the rest are hosts */
    uint64_t waiting_ns;  /* for others */
    uint64_t crossed;     /* packets from it to others */
};
struct sim_profile sim_profile(const struct sim *sim);
struct sim_rank_profile sim_rank_profile(const struct sim *sim, uint32_t rank);
struct sim_thread_profile sim_thread_profile(const struct sim *sim, uint32_t thread);

/* The job of a traffic; null: it is none. */
const struct job *sim_job(const struct sim *sim, uint32_t traffic);
uint32_t sim_job_host(const struct sim *sim, uint32_t traffic, uint32_t rank);

/* A hash of every result: records, losses, series, link counters. Equal configs and seeds give equal digests. */
uint64_t sim_digest(const struct sim *sim);

#endif
