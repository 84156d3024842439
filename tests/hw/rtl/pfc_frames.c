/*
 * pfc_frames.c - PFC frames for tb_pfc.sv: random ones as lib/core/pfc.c encodes them, and spoilt ones, each with what
 * its decoder says. A line: bytes (60, 59 or 61) | good | enabled | the eight times | the bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "weir/pfc.h"
#include "weir/random.h"

static uint32_t draw(uint32_t below)
{
    static uint64_t index;
    return (uint32_t)(weir_hash(1, index++) >> 32) % below;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    for (long i = 0; i < count; i++) {
        struct weir_pfc_frame frame = {.source = {2, 0, 0, 0, 0, (uint8_t)i}, .enabled = (uint8_t)draw(256)}, read;
        uint8_t bytes[WEIR_PFC_FRAME_BYTES];
        for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
            frame.quanta[tc] = draw(3) == 0 ? 0 : (uint16_t)(draw(4) == 0 ? draw(65536) : draw(20));
        weir_pfc_encode(&frame, bytes);
        size_t length = WEIR_PFC_FRAME_BYTES - WEIR_PFC_FCS_BYTES;
        if (draw(4) == 0)
            bytes[draw(18)] ^= (uint8_t)(1u << draw(8)); /* addresses, type, opcode or the vector */
        if (draw(8) == 0)
            length = length - 1 + 2 * draw(2);
        enum weir_pfc_fault fault = weir_pfc_decode(bytes, length, &read);
        printf("%zu %x %x", length, fault == WEIR_PFC_GOOD, fault == WEIR_PFC_GOOD ? read.enabled : 0);
        for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++)
            printf(" %x", fault == WEIR_PFC_GOOD ? read.quanta[tc] : 0);
        for (size_t b = 0; b <= WEIR_PFC_FRAME_BYTES - WEIR_PFC_FCS_BYTES; b++)
            printf(" %02x", bytes[b]);
        printf("\n");
    }
    return 0;
}
