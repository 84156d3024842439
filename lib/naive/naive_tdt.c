/*
 * naive_tdt.c - traffic-aware dynamic threshold for the naive model: a state machine per port.
 *
 * A port's length is the sum of its accounts' shared cells. An overflow is a refused arrival of more cells than F.
 */
#include "naive_internal.h"

enum tdt_mode { TDT_NORMAL, TDT_ABSORPTION, TDT_EVACUATION };

struct tdt_port {
    enum tdt_mode mode;
    weir_cells nec, oc1, oc2, dc;
    int64_t dec; /* packets */
};

static size_t tdt_state_size(const struct weir_naive *n)
{
    return n->config.ports * sizeof(struct tdt_port);
}

static struct tdt_port *tdt_port(const struct weir_naive *n, weir_port port)
{
    return (struct tdt_port *)n->state + port.i;
}

/* alpha F (normal), B / absorbing ports (absorption), B / ports (evacuation) */
static weir_cells tdt_threshold(const struct weir_naive *n, weir_port port)
{
    weir_cells size = naive_shared_size(n), threshold = naive_alpha_free(n, 0);
    int64_t absorbing = 0;
    for (uint32_t p = 0; p < n->config.ports; p++)
        absorbing += tdt_port(n, (weir_port){p})->mode == TDT_ABSORPTION;
    if (tdt_port(n, port)->mode == TDT_ABSORPTION)
        threshold = size / absorbing;
    if (tdt_port(n, port)->mode == TDT_EVACUATION)
        if (naive_chooses(n, "evacuation", "split") || size / n->config.ports < threshold)
            threshold = size / n->config.ports;
    return threshold;
}

/* Over if port + need > threshold. */
static enum weir_reason tdt_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    return naive_port_over(n, arrival, tdt_threshold(n, arrival->port));
}

static void tdt_on_enqueue(struct weir_naive *n, const struct weir_event *event)
{
    struct tdt_port *port = tdt_port(n, event->port);
    weir_cells ports = n->config.ports;
    port->dec = 0;
    if (port->mode != TDT_NORMAL)
        return;
    port->nec += event->cells;
    if (port->nec >= naive_space(n, "nec", 0, (2 * naive_shared_size(n) + ports) / (2 * ports))) {
        port->nec = port->oc1 = port->oc2 = 0;
        port->mode = TDT_ABSORPTION;
    }
}

static bool tdt_evacuated(const struct weir_naive *n, weir_port port)
{
    weir_cells held = n->port[port.i].shared_cells;
    if (naive_chooses(n, "leave", "half-split"))
        return held < naive_shared_size(n) / (2 * (weir_cells)n->config.ports);
    return tdt_threshold(n, port) > 2 * held;
}

static void tdt_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    struct tdt_port *port = tdt_port(n, event->port);
    weir_cells size = naive_shared_size(n), ports = n->config.ports;
    enum tdt_mode mode = port->mode;
    if (++port->dec >= naive_value(n, "dec", 0)) {
        port->nec = port->oc1 = port->oc2 = port->dc = port->dec = 0;
        port->mode = TDT_NORMAL;
        return;
    }
    port->nec = port->nec > event->cells ? port->nec - event->cells : 0;
    if (mode == TDT_NORMAL) {
        port->oc1 += event->cells;
        if (port->oc1 >= naive_space(n, "oc1", 0, (2 * size + ports) / (2 * ports)))
            port->oc1 = port->nec = port->dec = 0;
    } else if (mode == TDT_ABSORPTION) {
        port->oc2 += event->cells;
        if (port->oc2 >= naive_space(n, "oc2", 0, 2 * size)) {
            port->oc2 = 0;
            port->mode = TDT_NORMAL;
        }
    } else if (tdt_evacuated(n, event->port)) {
        port->dc = 0;
        port->mode = TDT_NORMAL;
    }
}

static void tdt_on_drop(struct weir_naive *n, const struct weir_event *event)
{
    struct tdt_port *port = tdt_port(n, event->port);
    if (event->cause != WEIR_CAUSE_REFUSED)
        return;
    if (event->cells > naive_shared_free(n) && port->mode == TDT_ABSORPTION) {
        port->oc2 = 0;
        port->mode = TDT_NORMAL;
    }
    port->nec = port->dec = 0;
    if (port->mode == TDT_EVACUATION)
        return;
    port->dc += event->cells;
    if (port->dc >= naive_space(n, "dc", 0, naive_shared_size(n) / 2)) {
        port->dc = port->nec = port->oc1 = port->oc2 = 0;
        port->mode = TDT_EVACUATION;
    }
}

const struct naive_policy naive_tdt = {
    .name = "tdt",
    .state_size = tdt_state_size,
    .admit = tdt_admit,
    .on_enqueue = tdt_on_enqueue,
    .on_dequeue = tdt_on_dequeue,
    .on_drop = tdt_on_drop,
};
