/*
 * metrics.c - see metrics.h.
 */
#include "switch/control/metrics.h"

#include <string.h>

#define PORT(field) offsetof(struct dataplane_port_counters, field)
#define QUEUE(field) offsetof(struct weir_account_counters, field)
#define GROUP(field) offsetof(struct weir_group_counters, field)
#define POOL(field) offsetof(struct weir_pool_counters, field)
#define PAUSE(field) offsetof(struct weir_pause_counters, field)

const struct switch_metric switch_port_metrics[] = {
    {"SAI_PORT_STAT_ETHER_STATS_RX_NO_ERRORS", "port_in_packets_total", "Frames taken from the device.", METRIC_COUNTER,
     PORT(in_packets)},
    {"SAI_PORT_STAT_IF_IN_OCTETS", "port_in_bytes_total", "Their bytes.", METRIC_COUNTER, PORT(in_bytes)},
    {"SAI_PORT_STAT_ETHER_STATS_TX_NO_ERRORS", "port_out_packets_total", "Frames given to the device.", METRIC_COUNTER,
     PORT(out_packets)},
    {"SAI_PORT_STAT_IF_OUT_OCTETS", "port_out_bytes_total", "Their bytes.", METRIC_COUNTER, PORT(out_bytes)},
    {"SAI_PORT_STAT_IF_OUT_DISCARDS", "port_out_lost_packets_total",
     "Frames that had left the buffer when the link went down.", METRIC_COUNTER, PORT(out_lost)},
    {"SAI_PORT_STAT_IN_DROPPED_PKTS", "port_device_missed_packets_total", "Frames that the device lost before us.",
     METRIC_COUNTER, PORT(device_missed)},
    {"SAI_PORT_STAT_IF_IN_ERRORS", "port_device_errors_total", "Frames that the device found to be wrong.",
     METRIC_COUNTER, PORT(device_errors)},
    {"SAI_PORT_STAT_PAUSE_RX_PKTS", "port_pause_in_packets_total", "PAUSE frames obeyed.", METRIC_COUNTER,
     PORT(control_in)},
    {"SAI_PORT_STAT_PAUSE_TX_PKTS", "port_pause_out_packets_total", "PAUSE frames sent.", METRIC_COUNTER,
     PORT(control_out)},
    {"offered", "port_offered_packets_total", "Arrivals at the buffer of frames that came in here.", METRIC_COUNTER,
     PORT(offered)},
    {"flooded", "port_flooded_packets_total", "Frames that went to all other ports.", METRIC_COUNTER, PORT(flooded)},
    {"copies", "port_copied_packets_total", "Copies made for that, beyond the first.", METRIC_COUNTER, PORT(copies)},
    {"malformed_ip", "port_malformed_ip_packets_total", "Frames with a damaged IP header, forwarded as class 0.",
     METRIC_COUNTER, PORT(malformed_ip)},
    {"link_changes", "port_link_changes_total", "Times that the link went up or down.", METRIC_COUNTER,
     PORT(link_changes)},
    {.name = NULL},
};

const struct switch_metric switch_queue_metrics[] = {
    {"SAI_QUEUE_STAT_PACKETS", "queue_sent_packets_total", "Packets sent.", METRIC_COUNTER, QUEUE(packets)},
    {"SAI_QUEUE_STAT_BYTES", "queue_sent_bytes_total", "Their bytes.", METRIC_COUNTER, QUEUE(bytes)},
    {"SAI_QUEUE_STAT_DROPPED_PACKETS", NULL, "Packets lost; in Prometheus by reason.", METRIC_COUNTER,
     QUEUE(dropped_packets)},
    {"SAI_QUEUE_STAT_DROPPED_BYTES", "queue_dropped_bytes_total", "Their bytes.", METRIC_COUNTER, QUEUE(dropped_bytes)},
    {"SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", "queue_marked_packets_total", "Packets marked for congestion.",
     METRIC_COUNTER, QUEUE(marked_packets)},
    {"SAI_QUEUE_STAT_TRIM_PACKETS", "queue_trimmed_packets_total", "Packets lost that left a cut copy.", METRIC_COUNTER,
     QUEUE(trim_packets)},
    {"SAI_QUEUE_STAT_TX_TRIM_PACKETS", "queue_trimmed_sent_packets_total", "Of these copies, sent.", METRIC_COUNTER,
     QUEUE(tx_trim_packets)},
    {"SAI_QUEUE_STAT_DROPPED_TRIM_PACKETS", "queue_trimmed_dropped_packets_total", "Of these copies, refused or lost.",
     METRIC_COUNTER, QUEUE(dropped_trim_packets)},
    {"SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", "queue_bytes", "Bytes that wait.", METRIC_GAUGE, QUEUE(current_bytes)},
    {"SAI_QUEUE_STAT_WATERMARK_BYTES", "queue_watermark_bytes", "Most bytes that waited.", METRIC_WATERMARK,
     QUEUE(watermark_bytes)},
    {.name = NULL},
};

const struct switch_metric switch_group_metrics[] = {
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_PACKETS", "group_packets_total", "Packets accepted.", METRIC_COUNTER,
     GROUP(packets)},
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", "group_dropped_packets_total", "Packets refused or lost.",
     METRIC_COUNTER, GROUP(dropped_packets)},
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_CURR_OCCUPANCY_BYTES", "group_bytes", "Bytes held.", METRIC_GAUGE,
     GROUP(current_bytes)},
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_CURR_OCCUPANCY_BYTES", "group_shared_bytes",
     "Of these, in the shared pool.", METRIC_GAUGE, GROUP(shared_bytes)},
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES", "group_headroom_bytes", "Of these, in headroom.",
     METRIC_GAUGE, GROUP(headroom_bytes)},
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_WATERMARK_BYTES", "group_watermark_bytes", "Most bytes held.", METRIC_WATERMARK,
     GROUP(watermark_bytes)},
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES", "group_shared_watermark_bytes",
     "Most bytes held in the shared pool.", METRIC_WATERMARK, GROUP(shared_watermark_bytes)},
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES", "group_headroom_watermark_bytes",
     "Most bytes held in headroom.", METRIC_WATERMARK, GROUP(headroom_watermark_bytes)},
    {"pauses", "group_pauses_total", "Times that the class was paused.", METRIC_COUNTER, GROUP(pauses)},
    {"resumes", "group_resumes_total", "Times that it was resumed.", METRIC_COUNTER, GROUP(resumes)},
    {.name = NULL},
};

const struct switch_metric switch_input_metrics[] = {
    {"class_pauses", "input_class_pauses_total", "Times that a class of the input was paused.", METRIC_COUNTER,
     PAUSE(class_pauses)},
    {"class_resumes", "input_class_resumes_total", "Times that a class of it was resumed.", METRIC_COUNTER,
     PAUSE(class_resumes)},
    {"port_pauses", "input_port_pauses_total", "Times that all its lossless classes were paused together.",
     METRIC_COUNTER, PAUSE(port_pauses)},
    {"port_resumes", "input_port_resumes_total", "Times that they were resumed together.", METRIC_COUNTER,
     PAUSE(port_resumes)},
    {.name = NULL},
};

const struct switch_metric switch_pool_metrics[] = {
    {"SAI_BUFFER_POOL_STAT_CURR_OCCUPANCY_BYTES", "pool_bytes", "Bytes in the buffer.", METRIC_GAUGE,
     POOL(current_bytes)},
    {"SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", "pool_watermark_bytes", "Peak bytes in the buffer.", METRIC_WATERMARK,
     POOL(watermark_bytes)},
    {"shared", "pool_shared_bytes", "Bytes in the shared pool.", METRIC_GAUGE, POOL(shared_bytes)},
    {"SAI_BUFFER_POOL_STAT_XOFF_ROOM_CURR_OCCUPANCY_BYTES", "pool_headroom_bytes", "Bytes in headroom.", METRIC_GAUGE,
     POOL(headroom_bytes)},
    {"SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES", "pool_headroom_watermark_bytes", "Most bytes in headroom.",
     METRIC_WATERMARK, POOL(headroom_watermark_bytes)},
    {"memory_read", "pool_read_bytes_total", "Bytes read by departures and expulsions.", METRIC_COUNTER,
     POOL(memory_read_bytes)},
    {"expelled", "pool_expelled_bytes_total", "Of these, by expulsions.", METRIC_COUNTER, POOL(expelled_bytes)},
    {.name = NULL},
};

uint64_t switch_metric_value(const struct switch_metric *metric, const void *counters, uint32_t view)
{
    uint64_t value;
    memcpy(&value, (const unsigned char *)counters + metric->offset + view * sizeof value, sizeof value);
    return value;
}
