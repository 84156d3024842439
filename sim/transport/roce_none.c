/*
 * roce_none.c - no congestion control: line rate, and whatever flow control the network has.
 */
#include "sim/transport/roce.h"

static const struct setting none_settings[] = {ROCE_ACK_SETTING, ROCE_SETTINGS, ROCE_WINDOWED_SETTING};

static const struct roce_control none_control = {0};

TRANSPORT_FITS(struct roce_params, struct roce_sender, struct roce_receiver);

const struct transport transport_none = {
    .name = "none",
    .title = "RoCE at line rate without congestion control",
    .source = "InfiniBand Architecture Specification 1; go-back-N with NACK, the flow is one message",
    .control = &none_control,
    .settings = SETTING_TABLE(none_settings, struct roce_params),
    ROCE_OPERATIONS,
};
