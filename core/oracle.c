/*
 * oracle.c - the table oracle: answers known beforehand, made wrong on purpose at a given rate.
 *
 * Whether an answer is flipped is a hash of (seed, index), so that the same arrival gets the same answer however
 * often and in whatever order it is asked, and so that a higher flip probability with the same seed flips a superset.
 */
#include "weir/oracle.h"

#include <assert.h>

#include "weir/random.h"

static bool table_oracle_predict(const struct weir_oracle *oracle, uint64_t index,
                                 const int64_t feature[WEIR_FEATURE_COUNT])
{
    const struct weir_table_oracle *table = (const struct weir_table_oracle *)oracle;
    (void)feature;
    bool lost = index < table->count && (table->lost[index / 8] >> (index % 8) & 1);
    bool flipped = (weir_q16)(weir_hash(table->seed, index) >> 48) < table->flip;
    return lost != flipped;
}

void weir_table_oracle_init(struct weir_table_oracle *oracle, const uint8_t *lost, uint64_t count, weir_q16 flip,
                            uint64_t seed)
{
    assert((lost || count == 0) && flip >= 0 && flip <= WEIR_Q16_ONE);
    *oracle = (struct weir_table_oracle){{table_oracle_predict}, lost, count, flip, seed};
}
