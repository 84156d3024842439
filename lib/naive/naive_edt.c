/*
 * naive_edt.c - enhanced dynamic threshold for the naive model: a state machine per port.
 *
 * A port's length is the sum of its accounts' shared cells. An overflow is a refused arrival of more cells than F.
 */
#include "naive_internal.h"

struct edt_port {
    bool uncontrolled;
    int64_t c1, c2;                           /* dequeues in a row, net enqueues */
    weir_ps tm1_deadline_ps, tm2_deadline_ps; /* the second counts only while uncontrolled */
};

static size_t edt_state_size(const struct weir_naive *n)
{
    return n->config.ports * sizeof(struct edt_port);
}

static struct edt_port *edt_port(const struct weir_naive *n, weir_port port)
{
    return (struct edt_port *)n->state + port.i;
}

static void edt_init(struct weir_naive *n)
{
    for (uint32_t p = 0; p < n->config.ports; p++)
        edt_port(n, (weir_port){p})->tm1_deadline_ps = naive_value(n, "tm1", 0);
}

static void edt_on_time(struct weir_naive *n, weir_ps now)
{
    weir_ps tm1 = naive_value(n, "tm1", 0);
    for (uint32_t p = 0; p < n->config.ports; p++) {
        struct edt_port *port = edt_port(n, (weir_port){p});
        if (port->tm1_deadline_ps <= now) {
            port->c2 = 0;
            port->tm1_deadline_ps += ((now - port->tm1_deadline_ps) / tm1 + 1) * tm1;
        }
        if (port->uncontrolled && port->tm2_deadline_ps <= now)
            port->uncontrolled = false;
    }
}

/* Over if port + need > threshold: alpha F for a controlled port, B / uncontrolled ports for an uncontrolled one. */
static enum weir_reason edt_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    int64_t uncontrolled = 0;
    for (uint32_t p = 0; p < n->config.ports; p++)
        uncontrolled += edt_port(n, (weir_port){p})->uncontrolled;
    bool free = edt_port(n, arrival->port)->uncontrolled;
    return naive_port_over(n, arrival, free ? naive_shared_size(n) / uncontrolled : naive_alpha_free(n, 0));
}

static void edt_restart_tm1(struct weir_naive *n, const struct weir_event *event)
{
    edt_port(n, event->port)->tm1_deadline_ps = event->now + naive_value(n, "tm1", 0);
}

static void edt_on_enqueue(struct weir_naive *n, const struct weir_event *event)
{
    struct edt_port *port = edt_port(n, event->port);
    port->c1 = 0;
    if (port->uncontrolled) {
        edt_restart_tm1(n, event);
    } else if (++port->c2 >= naive_value(n, "c2", 0)) {
        port->uncontrolled = true;
        port->c2 = 0;
        port->tm2_deadline_ps = event->now + naive_value(n, "tm2", 0);
        edt_restart_tm1(n, event);
    }
}

static void edt_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    struct edt_port *port = edt_port(n, event->port);
    port->c1++;
    if (port->uncontrolled)
        edt_restart_tm1(n, event);
    else if (port->c2 > 0)
        port->c2--;
    if (port->c1 >= naive_value(n, "c1", 0)) {
        port->c1 = 0;
        port->uncontrolled = false;
    }
}

static void edt_on_drop(struct weir_naive *n, const struct weir_event *event)
{
    struct edt_port *port = edt_port(n, event->port);
    if (event->cause != WEIR_CAUSE_REFUSED)
        return;
    port->c2 = 0;
    if (port->uncontrolled)
        edt_restart_tm1(n, event);
    if (event->cells > naive_shared_free(n))
        port->uncontrolled = false;
}

const struct naive_policy naive_edt = {
    .name = "edt",
    .state_size = edt_state_size,
    .init = edt_init,
    .on_time = edt_on_time,
    .admit = edt_admit,
    .on_enqueue = edt_on_enqueue,
    .on_dequeue = edt_on_dequeue,
    .on_drop = edt_on_drop,
};
