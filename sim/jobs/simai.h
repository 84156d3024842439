/*
 * simai.h - SimAI's workload text (also ASTRA-sim's of version 1) as a job: the layers of a model, what each computes
 * and sends forward and backward.
 *
 *   HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 64 ...
 *   2
 *   embedding_layer -1 556000 ALLREDUCE 16777216 1 NONE 0 1 NONE 0 1
 *   NAME DEPENDENCY then of the forward pass, the input gradient and the weight gradient: NANOSECONDS OPERATION BYTES;
 *   last the nanoseconds after which the end of an operation is noticed
 *
 * Ranks are divided as Megatron does it: T that follow each other are a group of tensor parallelism; ranks of the same
 * place in D such groups one of data parallelism, of which E that follow each other share experts (_EP), and those of
 * the same place among these share an expert (_DP_EP). Without suffix an operation is of T forward and at the input
 * gradient, of D at the weight gradient. Pipeline stages (pp) divide the ranks and run the same layers at once.
 *
 *   forward   layer by layer: compute, then the operation, which the next layer waits for
 *   backward  from the last layer: input gradient and its operation, which is waited for; weight gradient, whose
 *             operation goes on beside what follows
 *
 * DATA has no operation but that of the weight gradient, MODEL none of it, and does not wait for the input gradient's
 * before its weight gradient; DISTRIBUTED_INFERENCE only goes forward; MICRO is the operation of the first layer's
 * weight gradient. With checkpoints a layer that initiates first runs forward again from the last checkpoint before it.
 */
#ifndef JOBS_SIMAI_H
#define JOBS_SIMAI_H

#include "sim/jobs/tuning.h"

/* What the text says of the job, for those who tell its user what is left out. */
struct simai_about {
    uint32_t ranks, layers;
    uint32_t stages; /* of the pipeline */
    bool pipeline_bytes;
};

/* The text begins as such a workload. */
bool simai_is(const char *text, size_t size);

/* An image (malloc), not yet checked. `ranks` 0: as the text says, or `room` where it does not. Null with an error,
 * which names the line. */
struct simai_setup {
    uint32_t ranks, room;
    const struct collective_choice *choice;
};
unsigned char *simai_to_goal(const char *text, size_t text_size, const struct simai_setup *setup, size_t *size,
                             struct simai_about *about, struct weir_error *error);

#endif
