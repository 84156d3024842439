/*
 * records.c - see records.h.
 */
#include <stdlib.h>

#include "sim/net/records.h"

#define RECORDS_FIRST_ROOM 256u

bool records_add(struct records *records, const struct flow_record *record)
{
    if (records->count == records->room) {
        if (records->room > UINT32_MAX / 2)
            return false;
        uint32_t room = records->room ? 2 * records->room : RECORDS_FIRST_ROOM;
        struct flow_record *at = realloc(records->at, room * sizeof *at);
        if (!at)
            return false;
        records->at = at;
        records->room = room;
    }
    records->at[records->count++] = *record;
    return true;
}

bool records_move(struct records *records, struct records *from)
{
    bool good = true;
    if (records->count == 0) { /* as good as always */
        struct records empty = *records;
        *records = *from;
        *from = empty;
    }
    for (uint32_t i = 0; i < from->count && good; i++)
        good = records_add(records, &from->at[i]);
    from->count = 0;
    return good;
}

static int record_compare(const void *a, const void *b)
{
    const struct flow_record *left = a, *right = b;
    return (left->id > right->id) - (left->id < right->id);
}

/* Ids are unique, so that the order is whole and does not depend on the sorting. */
void records_sort(struct records *records)
{
    if (records->count > 1)
        qsort(records->at, records->count, sizeof *records->at, record_compare);
}

void records_free(struct records *records)
{
    free(records->at);
    *records = (struct records){0};
}
