/*
 * oracle.c - the table oracle, whose answers are known beforehand, and oracles made wrong on purpose at a given rate.
 *
 * Whether an answer is flipped is a hash of (seed, index), so that the same arrival gets the same answer however
 * often and in whatever order it is asked, and so that a higher flip probability with the same seed flips a superset.
 */
#include "weir/oracle.h"

#include <assert.h>

#include "weir/random.h"

static bool oracle_is_flipped(weir_q16 flip, uint64_t seed, uint64_t index)
{
    return (weir_q16)(weir_hash(seed, index) >> 48) < flip;
}

static bool table_oracle_predict(const struct weir_oracle *oracle, uint64_t index,
                                 const int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct weir_table_oracle *table = (const struct weir_table_oracle *)oracle;
    (void)feature;
    bool lost = index < table->count && (table->lost[index / 8] >> (index % 8) & 1);
    return lost != oracle_is_flipped(table->flip, table->seed, index);
}

void weir_table_oracle_init(struct weir_table_oracle *oracle, const uint8_t *lost, uint64_t count, weir_q16 flip,
                            uint64_t seed)
{
    assert((lost || count == 0) && flip >= 0 && flip <= WEIR_Q16_ONE);
    *oracle = (struct weir_table_oracle){{.predict = table_oracle_predict}, lost, count, flip, seed};
}

static bool flip_oracle_predict(const struct weir_oracle *oracle, uint64_t index,
                                const int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct weir_oracle *of = ((const struct weir_flip_oracle *)oracle)->of;
    return of->predict(of, index, feature) != oracle_is_flipped(oracle->about.flip, oracle->about.seed, index);
}

void weir_flip_oracle_init(struct weir_flip_oracle *oracle, const struct weir_oracle *of, weir_q16 flip, uint64_t seed)
{
    assert(of && flip >= 0 && flip <= WEIR_Q16_ONE);
    *oracle = (struct weir_flip_oracle){
        .base = {.predict = flip_oracle_predict, .about = {of->about.digest, flip, seed}}, .of = of};
}
