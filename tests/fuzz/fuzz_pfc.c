/*
 * fuzz_pfc.c - any bytes at all as a PAUSE frame: what is taken for one says the same when it is written again.
 */
#include <stdlib.h>
#include <string.h>

#include "weir/pfc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_pfc_frame frame, again;
    uint8_t bytes[WEIR_PFC_FRAME_BYTES];
    memset(&frame, 0, sizeof frame); /* the padding too */
    memset(&again, 0, sizeof again);
    if (weir_pfc_decode(data, size, &frame) != WEIR_PFC_GOOD)
        return 0;
    weir_pfc_encode(&frame, bytes);
    if (weir_pfc_decode(bytes, sizeof bytes, &again) != WEIR_PFC_GOOD || memcmp(&frame, &again, sizeof frame) != 0)
        abort();
    return 0;
}
