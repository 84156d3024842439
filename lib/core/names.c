/*
 * names.c - the words for why an arrival was refused and how a packet was lost, as reports and messages print them,
 * and the search for the name a user meant.
 *
 * Nearness is the number of edits (a letter added, removed, replaced, or two neighbours swapped), since a mistyped
 * name is one or two edits away from the right one. Names further away than that, or than a third of the length,
 * are not worth a proposal; nor is a short one with another first letter, two edits away: "ring" is not "long". A name
 * that differs in capitals alone is nearest.
 */
#include <assert.h>
#include <string.h>

#include "weir/params.h"
#include "weir/types.h"

#define NAME_LENGTH_MAX 63u /* longer names are near to nothing */

const char *weir_reason_name(enum weir_reason reason)
{
    static const char *const names[WEIR_REASON_COUNT] = {
        [WEIR_REASON_NONE] = "none",
        [WEIR_REASON_NO_ROOM] = "no-room",
        [WEIR_REASON_OVER_THRESHOLD] = "over-threshold",
        [WEIR_REASON_PREDICTED] = "predicted",
        [WEIR_REASON_NO_DESCRIPTOR] = "no-descriptor",
        [WEIR_REASON_TOO_LARGE] = "too-large",
    };
    if (reason == WEIR_REASON_INVALID)
        return "invalid";
    assert((unsigned)reason < WEIR_REASON_COUNT);
    return names[reason];
}

const char *weir_cause_name(enum weir_cause cause)
{
    static const char *const names[WEIR_CAUSE_COUNT] = {
        [WEIR_CAUSE_REFUSED] = "refused", [WEIR_CAUSE_PUSHOUT] = "pushout", [WEIR_CAUSE_EXPELLED] = "expelled",
        [WEIR_CAUSE_DEQUEUE] = "dequeue", [WEIR_CAUSE_FLUSHED] = "flushed",
    };
    assert((unsigned)cause < WEIR_CAUSE_COUNT);
    return names[cause];
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbours; both names at most NAME_LENGTH_MAX long. Row i + 1 compares a[0..i]. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[3][NAME_LENGTH_MAX + 1];
    size_t *before = row[0], *above = row[1], *here = row[2];
    for (size_t j = 0; j <= b_length; j++)
        above[j] = j;
    for (size_t i = 0; i < a_length; i++) {
        here[0] = i + 1;
        for (size_t j = 0; j < b_length; j++) {
            size_t replaced = above[j] + (a[i] != b[j]);
            here[j + 1] = min_size(replaced, min_size(above[j + 1], here[j]) + 1);
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                here[j + 1] = min_size(here[j + 1], before[j - 1] + 1);
        }
        size_t *free_row = before;
        before = above;
        above = here;
        here = free_row;
    }
    return above[b_length];
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_but_capitals(const char *a, const char *b)
{
    while (*a != '\0' && small(*a) == small(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *weir_nearest_name(const char *name, const char *const *names, size_t count)
{
    size_t length = strlen(name);
    if (length > NAME_LENGTH_MAX)
        return NULL;
    const char *nearest = NULL;
    size_t limit = (length / 3 > 2 ? length / 3 : 2) + 1;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(names[i]);
        if (other > NAME_LENGTH_MAX)
            continue;
        if (same_but_capitals(name, names[i]))
            return names[i];
        size_t distance = edit_distance(name, length, names[i], other);
        bool far = distance > 1 && length > 0 && length < 5 && name[0] != names[i][0];
        if (distance < limit && !far) {
            limit = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
