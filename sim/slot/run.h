/*
 * run.h - a policy serves an arrival sequence in the model of Appendix A of the Credence paper: unit packets, N ports
 * of one class, a buffer of B packets; in each slot the arrivals in order, then every port sends one packet.
 *
 * The MMU is the library's, with cells and packets of 1500 bytes and ports of 10 Gb/s, so that a slot is 1.2 us. All
 * calls of a slot carry the time slot * 1.2 us. Every port is asked for a packet in every slot, also when it has none:
 * virtual queues drain by that. Policies that expel are offered bandwidth after each arrival and after the departures;
 * the memory can read N packets per slot, transmissions included.
 */
#ifndef SLOT_RUN_H
#define SLOT_RUN_H

#include "arrivals.h"
#include "progress.h"
#include "weir/mmu.h"
#include "weir/oracle.h"
#include "weir/trace.h"
#include "weir/training.h"

#define SLOT_PACKET_BYTES 1500u
#define SLOT_RATE_BPS INT64_C(10000000000)
#define SLOT_PS INT64_C(1200000)          /* one packet time at that rate */
#define SLOT_AVERAGE_PS INT64_C(24000000) /* of training features: Credence's base round trip */

struct slot_switch {
    uint32_t ports;
    uint32_t buffer; /* packets */
    const struct weir_policy *policy;
    const struct weir_values *values;     /* null: defaults */
    const struct weir_oracle *oracle;     /* for policies that need one */
    const struct slot_progress *progress; /* gets the slots done now and then; may be null */
};

/* What else may come out of a run; each null where not wanted. */
struct slot_recording {
    struct weir_trace *trace;                                          /* begun by the caller for slot_mmu_config */
    bool (*end_trace)(void *context, const struct weir_mmu *mmu);      /* after the last record, before the MMU goes */
    bool (*take_row)(void *context, const struct weir_training_row *); /* training rows in arrival order */
    void *context;
    bool virtual_counters; /* rows show the virtual LQD's lengths and averages, not the switch's */
    weir_ps average_ps;    /* time constant of the averages in rows; 0: SLOT_AVERAGE_PS */
};

struct slot_result {
    uint64_t arrived; /* = sent + lost */
    uint64_t sent;
    uint64_t lost;       /* refused, or pushed out, expelled or dropped later */
    uint64_t refused;    /* of these, on arrival */
    uint64_t slots;      /* until the last packet had left */
    uint64_t *port_sent; /* [ports] */
    uint8_t *lost_bits;  /* bit i % 8 of byte i / 8: arrival i was lost */
};

/* The MMU of such a switch. `config` points to the values and the oracle of the switch. */
void slot_mmu_config(struct weir_mmu_config *config, const struct slot_switch *sw);

/*
 * Runs the sequence and then slots without arrivals until the buffer is empty. On WEIR_ERROR_NONE the result is the
 * caller's to free, otherwise there is nothing to free. BAD_INPUT: no such MMU can be built, `error` says why.
 */
enum weir_error_code slot_run(const struct slot_switch *sw, const struct slot_arrivals *arrivals,
                              const struct slot_recording *recording, struct slot_result *result,
                              struct weir_error *error);

void slot_result_free(struct slot_result *result);

/*
 * LQD with tail removal: with it a perfect oracle makes Credence lose the same packets (unit packets, N dividing B).
 * Otherwise as slot_run.
 */
enum weir_error_code slot_run_lqd(uint32_t ports, uint32_t buffer, const struct slot_arrivals *arrivals,
                                  struct slot_result *result, struct weir_error *error);

/* An oracle that knows LQD's losses, wrong with probability `flip` for each arrival; `lqd` must outlive it. */
struct weir_table_oracle slot_oracle(const struct slot_result *lqd, weir_q16 flip, uint64_t seed);

#endif
