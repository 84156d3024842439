/*
 * pfc.c - see pfc.h. The check sequence is the CRC-32 of IEEE 802.3, computed bit by bit: a frame is 60 bytes long and
 * rare.
 */
#include <string.h>

#include "weir/pfc.h"

#define PFC_BODY_BYTES (WEIR_PFC_FRAME_BYTES - WEIR_PFC_FCS_BYTES)
#define PFC_CRC_POLYNOMIAL 0xedb88320u /* bits reversed, as they are sent */

enum { PFC_SOURCE_AT = 6, PFC_TYPE_AT = 12, PFC_VECTOR_AT = 16, PFC_TIMES_AT = 18 };

static const uint8_t pfc_destination[PFC_SOURCE_AT] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
static const uint8_t pfc_type[PFC_VECTOR_AT - PFC_TYPE_AT] = {0x88, 0x08, 0x01, 0x01}; /* with the opcode */

static uint32_t pfc_check_sequence(const uint8_t *bytes)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < PFC_BODY_BYTES; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? PFC_CRC_POLYNOMIAL : 0);
    }
    return ~crc;
}

void weir_pfc_encode(const struct weir_pfc_frame *frame, uint8_t bytes[WEIR_PFC_FRAME_BYTES])
{
    memset(bytes, 0, WEIR_PFC_FRAME_BYTES);
    memcpy(bytes, pfc_destination, sizeof pfc_destination);
    memcpy(bytes + PFC_SOURCE_AT, frame->source, sizeof frame->source);
    memcpy(bytes + PFC_TYPE_AT, pfc_type, sizeof pfc_type);
    bytes[PFC_VECTOR_AT + 1] = frame->enabled;
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++) {
        uint32_t quanta = frame->enabled >> tc & 1 ? frame->quanta[tc] : 0;
        bytes[PFC_TIMES_AT + 2 * tc] = (uint8_t)(quanta >> 8);
        bytes[PFC_TIMES_AT + 2 * tc + 1] = (uint8_t)quanta;
    }
    uint32_t crc = pfc_check_sequence(bytes);
    for (uint32_t i = 0; i < WEIR_PFC_FCS_BYTES; i++)
        bytes[PFC_BODY_BYTES + i] = (uint8_t)(crc >> 8 * i);
}

static bool pfc_is_damaged(const uint8_t *bytes)
{
    uint32_t crc = pfc_check_sequence(bytes), sent = 0;
    for (uint32_t i = 0; i < WEIR_PFC_FCS_BYTES; i++)
        sent |= (uint32_t)bytes[PFC_BODY_BYTES + i] << 8 * i;
    return sent != crc;
}

enum weir_pfc_fault weir_pfc_decode(const uint8_t *bytes, size_t length, struct weir_pfc_frame *frame)
{
    if (length != WEIR_PFC_FRAME_BYTES && length != PFC_BODY_BYTES)
        return WEIR_PFC_LENGTH;
    if (memcmp(bytes, pfc_destination, sizeof pfc_destination) != 0 ||
        memcmp(bytes + PFC_TYPE_AT, pfc_type, sizeof pfc_type) != 0)
        return WEIR_PFC_OTHER;
    if (length == WEIR_PFC_FRAME_BYTES && pfc_is_damaged(bytes))
        return WEIR_PFC_DAMAGED;
    memcpy(frame->source, bytes + PFC_SOURCE_AT, sizeof frame->source);
    frame->enabled = bytes[PFC_VECTOR_AT + 1];
    for (uint32_t tc = 0; tc < WEIR_PFC_CLASSES; tc++) {
        const uint8_t *time = bytes + PFC_TIMES_AT + 2 * tc;
        frame->quanta[tc] = frame->enabled >> tc & 1 ? (uint16_t)(time[0] << 8 | time[1]) : 0;
    }
    return WEIR_PFC_GOOD;
}
