/*
 * status.h - how a call of the slotted model can fail. Nothing here prints: the application makes the message.
 */
#ifndef SLOT_STATUS_H
#define SLOT_STATUS_H

enum slot_status {
    SLOT_OK,
    SLOT_NO_MEMORY,
    SLOT_BAD_INPUT,   /* the caller's message buffer, where there is one, says what */
    SLOT_NOT_WRITTEN, /* a sink of the caller refused its data */
};

#endif
