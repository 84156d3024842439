/*
 * random_job.c - see random_job.h.
 */
#include "tests/support/random_job.h"

#include <stdlib.h>

#include "weir/random.h"

struct message {
    uint32_t from, to, tag;
    uint64_t bytes;
};

static void add(struct goal_writer *writer, struct weir_random *random, const struct goal_op *op)
{
    uint32_t number = goal_add(writer, op);
    for (uint32_t k = weir_random_below(random, 3); k > 0 && number > 0; k--) {
        uint32_t back = 1 + weir_random_below(random, number < 4 ? number : 4);
        goal_after(writer, number, number - back, weir_random_below(random, 4) == 0);
    }
}

static void add_rank(struct goal_writer *writer, const struct random_job *shape, const struct message *messages,
                     uint32_t rank)
{
    struct weir_random random = {.key = weir_hash(shape->seed, 1000 + rank)};
    for (uint32_t i = 0; i < shape->messages; i++) {
        const struct message *message = &messages[i];
        uint8_t cpu = (uint8_t)weir_random_below(&random, 2);
        if (weir_random_below(&random, shape->ranks) == 0)
            add(writer, &random,
                &(struct goal_op){.type = GOAL_CALC, .size = weir_random_below(&random, shape->calc_ns), .cpu = cpu});
        if (message->from == rank)
            add(writer, &random,
                &(struct goal_op){
                    .type = GOAL_SEND, .peer = message->to, .tag = message->tag, .size = message->bytes, .cpu = cpu});
        bool any = shape->any && weir_random_below(&random, 3) == 0;
        if (message->to == rank)
            add(writer, &random,
                &(struct goal_op){.type = GOAL_RECV,
                                  .peer = any ? GOAL_ANY : message->from,
                                  .tag = any && weir_random_below(&random, 2) ? GOAL_ANY : message->tag,
                                  .size = message->bytes,
                                  .cpu = cpu});
    }
    goal_end_rank(writer);
}

unsigned char *random_job_make(const struct random_job *shape, size_t *size)
{
    struct weir_random random = {.key = weir_hash(shape->seed, 0)};
    struct message *messages = malloc((shape->messages + 1) * sizeof *messages);
    struct goal_writer writer;
    if (!messages)
        return NULL;
    for (uint32_t i = 0; i < shape->messages; i++)
        messages[i] =
            (struct message){weir_random_below(&random, shape->ranks), weir_random_below(&random, shape->ranks),
                             shape->any ? weir_random_below(&random, 3) : i,
                             1 + weir_random_bits(&random) % (shape->bytes ? shape->bytes : 1)};
    goal_begin(&writer, shape->ranks);
    for (uint32_t rank = 0; rank < shape->ranks; rank++)
        add_rank(&writer, shape, messages, rank);
    free(messages);
    return goal_finish(&writer, size);
}
