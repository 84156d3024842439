/*
 * occamy_tna.p4 - Occamy's P4 prototype on Tofino's architecture (TNA). Read occamy.p4 first.
 *
 * Here the traffic manager is real: it counts cells of 80 bytes, refuses what finds no room, and tells egress the
 * length of the queue that a packet comes from. A dropped packet takes no time on the wire, so one packet is dropped
 * per comparison and nothing is owed, unlike on v1model.
 *
 * What TNA cannot express, and what follows from it:
 *
 * - The free buffer. Egress learns the length of one queue, with each packet that leaves it. The program keeps the last
 *   length of each queue and their sum; a queue from which nothing leaves counts with its last length. A pipe sees its
 *   own queues only: ports that share a buffer belong into one pipe.
 * - A register array read in two places. Each array is read and written once per packet, in one pipeline. That is why
 *   lengths are copied to ingress, and why a SYNC packet brings one queue per trip.
 * - A generator without control plane. SYNC packets come from the chip's packet generator, or from the CPU port once:
 *   an Ethernet frame of TYPE_SYNC that enters by RECIRCULATION_PORT circulates from then on.
 *
 * The control plane sets the tables `ports`, `next`, `dt.alpha`, `expulsion` and `buffer`, and at first the registers
 * `seen_threshold`. p4c's frontend has checked its types; no Tofino has run it.
 */
#include <core.p4>
#if __TARGET_TOFINO__ == 2
#include <t2na.p4>
#else
#include <tna.p4>
#endif

#include "occamy.p4"

#define QUEUES 256
#define RECIRCULATION_PORT 68 /* of pipe 0 */

typedef bit<8> index_t;

/* What ingress hands to egress: the queue's number in this program. */
header bridge_t {
    queue_t queue;
}

struct ingress_headers_t {
    bridge_t bridge;
    ethernet_t ethernet;
    sync_t sync;
}

struct metadata_t {
    queue_t queue;
    cells_t length;
    cells_t threshold;
    cells_t excess;
    cells_t change; /* of the length, since the last packet of the queue */
}

parser IngressParse(packet_in packet, out ingress_headers_t headers, out metadata_t meta,
                    out ingress_intrinsic_metadata_t intrinsic)
{
    state start
    {
        meta = { 0, 0, 0, 0, 0 };
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.type, intrinsic.ingress_port) {
            (TYPE_SYNC, RECIRCULATION_PORT) : parse_sync;
            default : accept;
        }
    }

    state parse_sync
    {
        packet.extract(headers.sync);
        transition accept;
    }
}

control Ingress(inout ingress_headers_t headers, inout metadata_t meta, in ingress_intrinsic_metadata_t intrinsic,
                in ingress_intrinsic_metadata_from_parser_t from_parser,
                inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
                inout ingress_intrinsic_metadata_for_tm_t for_tm)
{
    Counter<bit<64>, index_t>(QUEUES, CounterType_t.PACKETS_AND_BYTES) refused_threshold;
    Counter<bit<64>, bit<1>>(1, CounterType_t.PACKETS_AND_BYTES) unroutable;

    Register<cells_t, index_t>(QUEUES, 0) seen_length;
    Register<cells_t, index_t>(QUEUES, 0) seen_threshold;

    RegisterAction<cells_t, index_t, cells_t>(seen_length) read_length = {
        void apply(inout cells_t value, out cells_t result) { result = value; }
    };
    RegisterAction<cells_t, index_t, cells_t>(seen_threshold) read_threshold = {
        void apply(inout cells_t value, out cells_t result) { result = value; }
    };
    RegisterAction<cells_t, index_t, cells_t>(seen_length) copy_length = {
        void apply(inout cells_t value) { value = headers.sync.length; }
    };
    RegisterAction<cells_t, index_t, cells_t>(seen_threshold) copy_threshold = {
        void apply(inout cells_t value) { value = headers.sync.threshold; }
    };

    action to_port(PortId_t port, queue_t queue)
    {
        for_tm.ucast_egress_port = port;
        meta.queue = queue;
        headers.bridge.setValid();
        headers.bridge.queue = queue;
    }

    table ports {
        key = { headers.ethernet.destination : exact; }
        actions = { to_port; NoAction; }
        default_action = NoAction();
        size = QUEUES;
    }

    action read_next(queue_t queue) { headers.sync.queue = queue; }

    table next {
        key = { headers.sync.queue : exact; }
        actions = { read_next; }
        default_action = read_next(0);
        size = QUEUES;
    }

    Above() over;

    apply {
        if (headers.sync.isValid()) {
            /* 5.2: in ingress, what the SYNC packet has read is copied to the register array. */
            copy_length.execute((index_t)headers.sync.queue);
            copy_threshold.execute((index_t)headers.sync.queue);
            next.apply();
            for_tm.ucast_egress_port = RECIRCULATION_PORT;
            headers.bridge.setValid();
            headers.bridge.queue = headers.sync.queue;
        } else if (ports.apply().hit) {
            /* 5.2: the length of the packet's queue is compared with DT's threshold, to decide whether it is accepted.
             */
            meta.length = read_length.execute((index_t)meta.queue);
            meta.length = meta.length + ADMIT_MARGIN;
            meta.threshold = read_threshold.execute((index_t)meta.queue);
            over.apply(meta.length, meta.threshold, meta.excess);
            if (meta.excess != 0) {
                refused_threshold.count((index_t)meta.queue);
                for_deparser.drop_ctl = 1;
            }
        } else {
            unroutable.count(0);
            for_deparser.drop_ctl = 1;
        }
    }
}

control IngressDeparse(packet_out packet, inout ingress_headers_t headers, in metadata_t meta,
                       in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{
    apply { packet.emit(headers); }
}

parser EgressParse(packet_in packet, out headers_t headers, out metadata_t meta,
                   out egress_intrinsic_metadata_t intrinsic)
{
    bridge_t bridge;

    state start
    {
        packet.extract(intrinsic);
        packet.extract(bridge);
        meta = { bridge.queue, 0, 0, 0, 0 };
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.type, intrinsic.egress_port) {
            (TYPE_SYNC, RECIRCULATION_PORT) : parse_sync;
            default : accept;
        }
    }

    state parse_sync
    {
        packet.extract(headers.sync);
        transition accept;
    }
}

control Egress(inout headers_t headers, inout metadata_t meta, in egress_intrinsic_metadata_t intrinsic,
               in egress_intrinsic_metadata_from_parser_t from_parser,
               inout egress_intrinsic_metadata_for_deparser_t for_deparser,
               inout egress_intrinsic_metadata_for_output_port_t for_port)
{
    Counter<bit<64>, index_t>(QUEUES, CounterType_t.PACKETS_AND_BYTES) expelled;
    Counter<bit<64>, index_t>(QUEUES, CounterType_t.PACKETS_AND_BYTES) sent;

    cells_t used = 0;
    cells_t buffer_cells = 0;
    bit<8> halvings;
    bool expels = false;

    /* The last known length of each queue, and what all hold. */
    Register<cells_t, index_t>(QUEUES, 0) lengths;
    Register<cells_t, bit<1>>(1, 0) sum;

    RegisterAction<cells_t, index_t, cells_t>(lengths) read_length = {
        void apply(inout cells_t value, out cells_t result) { result = value; }
    };
    RegisterAction<cells_t, index_t, cells_t>(lengths) note_length = {
        void apply(inout cells_t value, out cells_t result)
        {
            result = meta.length - value;
            value = meta.length;
        }
    };
    RegisterAction<cells_t, bit<1>, cells_t>(sum) add_change = {
        void apply(inout cells_t value, out cells_t result)
        {
            value = value + meta.change;
            result = value;
        }
    };

    action set_buffer(cells_t cells) { buffer_cells = cells; }

    table buffer {
        actions = { set_buffer; NoAction; }
        default_action = NoAction();
        size = 1;
    }

    action expel() { expels = true; }

    table expulsion {
        key = { meta.queue : exact; }
        actions = { expel; NoAction; }
        default_action = NoAction();
        size = QUEUES;
    }

    Threshold() dt;
    Above() over;

    apply {
        /* 5.2: SYNC packets read the queue lengths; every other packet brings its queue's. */
        if (headers.sync.isValid()) {
            meta.length = read_length.execute((index_t)meta.queue);
        } else {
            meta.length = (cells_t)intrinsic.deq_qdepth;
            meta.change = note_length.execute((index_t)meta.queue);
        }
        used = add_change.execute(0);
        buffer.apply();

        /* 5.2: the threshold is computed as SYNC packets traverse egress. */
        dt.apply(meta.queue, buffer_cells |-| used, meta.threshold, halvings);
        if (headers.sync.isValid()) {
            headers.sync.length = meta.length;
            headers.sync.threshold = meta.threshold;
        } else {
            /* 5.2: whenever a packet comes to egress, the threshold is compared with the length of the queue it was
             * in; above it, drop_ctl tells the switch to drop the packet. */
            expulsion.apply();
            meta.threshold = meta.threshold + DROP_MARGIN;
            over.apply(meta.length, meta.threshold, meta.excess);
            if (expels && meta.excess != 0) {
                expelled.count((index_t)meta.queue);
                for_deparser.drop_ctl = 1;
            } else {
                sent.count((index_t)meta.queue);
            }
        }
    }
}

control EgressDeparse(packet_out packet, inout headers_t headers, in metadata_t meta,
                      in egress_intrinsic_metadata_for_deparser_t for_deparser)
{
    apply { packet.emit(headers); }
}

Pipeline(IngressParse(), Ingress(), IngressDeparse(), EgressParse(), Egress(), EgressDeparse()) pipe;

Switch(pipe) main;
