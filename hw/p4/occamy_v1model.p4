/*
 * occamy_v1model.p4 - Occamy's P4 prototype on v1model, for bmv2's simple_switch. Read occamy.p4 first.
 *
 * What v1model cannot express, and what follows from it:
 *
 * - A buffer with cells. A queue of simple_switch is limited in packets, by itself, and there is no pool. So the
 *   program counts cells in registers (TrafficManager below): ingress adds those of a packet that enters, egress takes
 *   away those of one that leaves. These registers stand for the chip's own counters. Admission never reads them.
 * - Queue state at ingress. The chip of the paper has none there either: SYNC packets bring it, one queue per trip.
 *   The rate of their queue (set_queue_rate on SYNC_PORT) is the length of a round.
 * - A packet that leaves earlier. simple_switch fixes the time at which a packet leaves when it enters, at the queue's
 *   rate in packets per second. On a chip a dropped packet takes no time on the wire and the next one follows at once;
 *   here its turn passes unused. Dropping one packet per turn would empty a queue no faster than sending. So egress
 *   books all that is above the threshold at once: it frees the cells, and notes in `owed` how many cells of packets
 *   are to be dropped when their turn comes. Lengths and thresholds are then those of the chip. What differs is the
 *   wire: one idle turn per dropped packet.
 * - A packet generator. The first packet is cloned to SYNC_PORT and becomes the SYNC packet; should it be lost, another
 *   one is made.
 * - Rates in bytes. A queue's rate is in packets: small packets take as long as large ones.
 */
#include <core.p4>
#include <v1model.p4>

#include "occamy.p4"

#define QUEUES 256
#define SYNC_PORT 510
#define SYNC_SESSION 1       /* mirroring session to SYNC_PORT */
#define SYNC_LOST_US 1000000 /* without a SYNC packet: one is made */
#define RECORDS 131072

typedef bit<9> port_t;
typedef bit<48> time_t; /* us since the switch started */

struct metadata_t {
    /* Kept in recirculation: what a SYNC packet has read, and when. */
    @field_list(0) queue_t queue;
    @field_list(0) time_t read_at;
    cells_t cells; /* of this packet */
}

/* What became of a packet; as in the records. */
const bit<4> ENTERED = 0;
const bit<4> REFUSED_THRESHOLD = 1;
const bit<4> REFUSED_ROOM = 2;
const bit<4> SENT = 3;
const bit<4> EXPELLED = 4;
const bit<4> SYNCED = 5;

/* The traffic manager's own counters. */
register<cells_t>(QUEUES) queue_cells;
register<cells_t>(1) used_cells;
register<cells_t>(1) peak_cells;      /* of used_cells */
register<cells_t>(QUEUES) owed_cells; /* freed already; packets with so many cells are still to be dropped */

/* What SYNC packets brought to ingress. */
register<cells_t>(QUEUES) seen_length;
register<cells_t>(QUEUES) seen_threshold;
register<time_t>(1) seen_at;

/* Every loss by queue and reason, what entered and what was sent. */
counter(QUEUES, CounterType.packets_and_bytes) entered;
counter(QUEUES, CounterType.packets_and_bytes) refused_threshold;
counter(QUEUES, CounterType.packets_and_bytes) refused_room;
counter(QUEUES, CounterType.packets_and_bytes) expelled;
counter(QUEUES, CounterType.packets_and_bytes) sent;
counter(1, CounterType.packets_and_bytes) unroutable;

/* What happened, event by event, up to RECORDS of them. */
register<bit<32>>(1) record_count;
register<bit<64>>(RECORDS) record_event; /* time 32, kind 4, queue 8, cells 20 */
register<bit<64>>(RECORDS) record_state; /* length 32, used 32: as they were, before the event */
register<bit<64>>(RECORDS) record_seen;  /* length 32, threshold 32: by which it was decided */

const bit<32> RECIRCULATED = 4; /* standard_metadata.instance_type, as simple_switch has it */
const bit<32> INGRESS_CLONE = 1;

control Record(in time_t now, in bit<4> kind, in metadata_t meta, in cells_t length, in cells_t used,
               in cells_t seen, in cells_t threshold)
{
    action note()
    {
        bit<32> at;
        record_count.read(at, 0);
        record_event.write(at, now[31:0] ++ kind ++ meta.queue[7:0] ++ meta.cells[19:0]);
        record_state.write(at, length ++ used);
        record_seen.write(at, seen ++ threshold);
        record_count.write(0, at < RECORDS - 1 ? at + 1 : at);
    }

    apply { note(); }
}

parser Parse(packet_in packet, out headers_t headers, inout metadata_t meta, inout standard_metadata_t standard)
{
    state start
    {
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.type) {
            TYPE_SYNC : parse_sync;
            default : accept;
        }
    }

    state parse_sync
    {
        packet.extract(headers.sync);
        transition accept;
    }
}

control NoChecksum(inout headers_t headers, inout metadata_t meta) { apply { } }

/* The part of the chip that no program reaches: it counts cells, and refuses what finds no room. */
control TrafficManager(in metadata_t meta, in cells_t buffer_cells, out bool room, out cells_t length, out cells_t used)
{
    action enter()
    {
        queue_cells.read(length, (bit<32>)meta.queue);
        used_cells.read(used, 0);
        cells_t peak;
        peak_cells.read(peak, 0);
        cells_t more = used + meta.cells;
        room = more <= buffer_cells;
        queue_cells.write((bit<32>)meta.queue, room ? length + meta.cells : length);
        used_cells.write(0, room ? more : used);
        peak_cells.write(0, room && more > peak ? more : peak);
    }

    apply { enter(); }
}

control Admission(inout headers_t headers, inout metadata_t meta, inout standard_metadata_t standard)
{
    cells_t buffer_cells = 0;
    cells_t length;
    cells_t threshold;

    /* The switch: cells of `bytes` each, so many in the buffer. Cells of a packet are rounded up; a multiplication by
     * reciprocal = 2^24 / bytes, rounded up, stands for the division that P4 does not have. */
    action set_buffer(cells_t cells, bit<48> bytes, bit<48> reciprocal)
    {
        buffer_cells = cells;
        meta.cells = (cells_t)((((bit<48>)standard.packet_length + bytes - 1) * reciprocal) >> 24);
    }

    table buffer {
        actions = { set_buffer; NoAction; }
        default_action = NoAction();
    }

    action to_port(port_t port, queue_t queue)
    {
        standard.egress_spec = port;
        meta.queue = queue;
    }

    table ports {
        key = { headers.ethernet.destination : exact; }
        actions = { to_port; NoAction; }
        default_action = NoAction();
        size = QUEUES;
    }

    /* The queue that a SYNC packet reads next. */
    action read_next(queue_t queue) { headers.sync.queue = queue; }

    table next {
        key = { headers.sync.queue : exact; }
        actions = { read_next; }
        default_action = read_next(0);
        size = QUEUES;
    }

    /* 5.2: in ingress, what the SYNC packet has read is copied to the register array. */
    action copy()
    {
        seen_length.write((bit<32>)headers.sync.queue, headers.sync.length);
        seen_threshold.write((bit<32>)headers.sync.queue, headers.sync.threshold);
        seen_at.write(0, meta.read_at);
        standard.egress_spec = SYNC_PORT;
    }

    action look()
    {
        seen_length.read(length, (bit<32>)meta.queue);
        seen_threshold.read(threshold, (bit<32>)meta.queue);
    }

    apply {
        if (headers.sync.isValid()) {
            if (standard.instance_type != RECIRCULATED) { /* a host may not tell us lengths */
                unroutable.count(0);
                mark_to_drop(standard);
                exit;
            }
            copy();
            Record.apply(meta.read_at, SYNCED, meta, headers.sync.length, 0, headers.sync.length,
                         headers.sync.threshold);
            next.apply();
            exit;
        }

        /* 5.2: SYNC packets are generated. */
        time_t heard;
        seen_at.read(heard, 0);
        if (heard == 0 || standard.ingress_global_timestamp |-| heard > SYNC_LOST_US) {
            seen_at.write(0, standard.ingress_global_timestamp);
            clone(CloneType.I2E, SYNC_SESSION);
        }

        buffer.apply();
        if (!ports.apply().hit) {
            unroutable.count(0);
            mark_to_drop(standard);
            exit;
        }

        /* 5.2: the length of the packet's queue is compared with DT's threshold, to decide whether it is accepted. */
        cells_t excess;
        look();
        Above.apply(length + ADMIT_MARGIN, threshold, excess);

        cells_t now_length;
        cells_t now_used;
        bool room;
        bit<4> kind = ENTERED;
        if (excess != 0) {
            kind = REFUSED_THRESHOLD;
            queue_cells.read(now_length, (bit<32>)meta.queue);
            used_cells.read(now_used, 0);
            refused_threshold.count((bit<32>)meta.queue);
            mark_to_drop(standard);
        } else {
            TrafficManager.apply(meta, buffer_cells, room, now_length, now_used);
            if (room) {
                entered.count((bit<32>)meta.queue);
            } else {
                kind = REFUSED_ROOM;
                refused_room.count((bit<32>)meta.queue);
                mark_to_drop(standard);
            }
        }
        Record.apply(standard.ingress_global_timestamp, kind, meta, now_length, now_used, length, threshold);
    }
}

control HeadDrop(inout headers_t headers, inout metadata_t meta, inout standard_metadata_t standard)
{
    cells_t buffer_cells = 0;
    cells_t length;
    cells_t used;
    cells_t threshold;
    bit<8> halvings;
    bool expels = false;
    Threshold() dt;

    action set_buffer(cells_t cells) { buffer_cells = cells; }

    table buffer {
        actions = { set_buffer; NoAction; }
        default_action = NoAction();
    }

    /* Whether the second rule holds: Occamy. Else it is DT. */
    action expel() { expels = true; }

    table expulsion {
        key = { meta.queue : exact; }
        actions = { expel; NoAction; }
        default_action = NoAction();
        size = QUEUES;
    }

    action read_queue(queue_t queue)
    {
        queue_cells.read(length, (bit<32>)queue);
        used_cells.read(used, 0);
    }

    /*
     * The packet has left its queue. `booked` cells above the threshold are freed now, whichever packets they belong
     * to; packets are dropped until as many cells have gone. A packet that is sent, or is larger than what is owed,
     * frees its own.
     */
    cells_t debt;
    cells_t now_length;
    cells_t now_used;
    action leave(in cells_t booked)
    {
        cells_t owed;
        queue_cells.read(now_length, (bit<32>)meta.queue);
        used_cells.read(now_used, 0);
        owed_cells.read(owed, (bit<32>)meta.queue);
        debt = owed + booked;
        queue_cells.write((bit<32>)meta.queue, now_length - booked - (meta.cells |-| debt));
        used_cells.write(0, now_used - booked - (meta.cells |-| debt));
        owed_cells.write((bit<32>)meta.queue, debt |-| meta.cells);
    }

    apply {
        if (standard.instance_type == INGRESS_CLONE) { /* becomes the SYNC packet */
            headers.ethernet.type = TYPE_SYNC;
            headers.sync.setValid();
            headers.sync.queue = 0;
            truncate(24); /* to its headers */
        }
        if (headers.sync.isValid())
            meta.queue = headers.sync.queue;
        buffer.apply();
        read_queue(meta.queue);
        dt.apply(meta.queue, buffer_cells - used, threshold, halvings);

        /* 5.2: a SYNC packet reads the length and computes the threshold as it traverses egress, and recirculates. */
        if (headers.sync.isValid()) {
            headers.sync.length = length;
            headers.sync.threshold = threshold;
            meta.read_at = standard.egress_global_timestamp;
            recirculate_preserving_field_list(0);
            exit;
        }

        /* 5.2: whenever a packet comes to egress, the threshold is compared with the length of the queue it was in;
         * above it, the packet is dropped. The threshold grows by alpha as a cell is freed, so 1 / (1 + alpha) of the
         * excess has to go; a little less is booked, and the rest with the next packets. */
        cells_t excess;
        cells_t booked = 0;
        bit<4> kind = SENT;
        expulsion.apply();
        Above.apply(length, threshold + DROP_MARGIN, excess);
        if (expels && excess != 0)
            booked = (excess >> halvings) + 1;
        leave(booked);
        if (debt != 0) {
            kind = EXPELLED;
            expelled.count((bit<32>)meta.queue);
            mark_to_drop(standard);
        } else {
            sent.count((bit<32>)meta.queue);
        }
        Record.apply(standard.egress_global_timestamp, kind, meta, now_length, used, length, threshold);
    }
}

control Deparse(packet_out packet, in headers_t headers)
{
    apply {
        packet.emit(headers.ethernet);
        packet.emit(headers.sync);
    }
}

V1Switch(Parse(), NoChecksum(), Admission(), HeadDrop(), NoChecksum(), Deparse()) main;
