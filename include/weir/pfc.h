/*
 * pfc.h - the frame of priority-based flow control on the wire, IEEE 802.1Qbb (802.1Q clause 36, annex 31D of 802.3):
 *
 *   0  destination  01-80-C2-00-00-01    14  opcode  0x0101             18  eight pause times, class 0 first
 *   6  source                            16  class-enable vector        34  zeros
 *  12  type 0x8808 (MAC control)             (second byte: bit per class) 60  frame check sequence
 *
 * A time is in quanta of 512 bit times; 0 resumes. Classes that are not enabled stay as they are. What is reserved is
 * sent as 0 and ignored on receipt.
 */
#ifndef WEIR_PFC_H
#define WEIR_PFC_H

#include "weir/headroom.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_PFC_CLASSES 8u
#define WEIR_PFC_CLASS_MASK 0xffu
#define WEIR_PFC_FCS_BYTES 4u

struct weir_pfc_frame {
    uint8_t source[6];
    uint8_t enabled;                   /* bit c: class c is addressed */
    uint16_t quanta[WEIR_PFC_CLASSES]; /* of these; the others are 0 */
};

enum weir_pfc_fault {
    WEIR_PFC_GOOD,
    WEIR_PFC_LENGTH, /* neither 64 bytes nor 60 without the check sequence */
    WEIR_PFC_OTHER,  /* some other frame: destination, type or opcode */
    WEIR_PFC_DAMAGED /* the check sequence is wrong */
};

/* All 64 bytes. A sender whose NIC adds the check sequence gives it the first 60. */
void weir_pfc_encode(const struct weir_pfc_frame *frame, uint8_t bytes[WEIR_PFC_FRAME_BYTES]);

/* A frame of 64 bytes, or of 60 whose check sequence was verified and taken off before. */
enum weir_pfc_fault weir_pfc_decode(const uint8_t *bytes, size_t length, struct weir_pfc_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
