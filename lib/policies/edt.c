/*
 * edt.c - Enhanced Dynamic Threshold: a port that seems to receive a short burst is let off the dynamic threshold.
 *
 * A port whose queue grows by several packets without a loss becomes uncontrolled and may hold an equal part of the
 * buffer, until the burst is over (departures in a row), lasts too long (timer TM2) or overflows the buffer.
 *
 *   refuse  if  q_port + len > T,   T = alpha * (B - used) if controlled, else B / uncontrolled ports
 *   c1 departures in a row:            -> controlled at C1
 *   c2 net arrivals while controlled:  -> uncontrolled at C2, TM2 starts; a refusal clears it
 *   TM1 clears c2 periodically: slow growth is no burst; every event of an uncontrolled port restarts it
 *   TM2, or refusing more than is free -> controlled
 *
 * Invariants: c2 = 0 while uncontrolled; earliest_tm2_ps is at most the TM2 deadline of every uncontrolled port. TM2
 * changes the T of all ports and is served as time passes; TM1 clears one port's c2 and is looked at with its events.
 *
 * Paper: D. Shan, W. Jiang, F. Ren, "Absorbing micro-burst traffic by enhancing dynamic threshold policy of data
 * center switches", INFOCOM 2015. Deviation: q_port and B are counted in the shared pool.
 */
#include <assert.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"

enum { EDT_ALPHA, EDT_C1, EDT_C2, EDT_TM1, EDT_TM2, EDT_PARAMS };

struct edt_port {
    bool controlled;
    int64_t c1, c2;         /* packets */
    weir_ps tm1_ps, tm2_ps; /* deadlines; that of TM2 is meaningless while controlled */
};

struct edt_params {
    weir_q16 alpha;
    int64_t c1, c2; /* packets */
    weir_ps tm1_ps, tm2_ps;
};

struct edt_vars {
    weir_ps earliest_tm2_ps; /* when the next TM2 can be due */
    uint32_t uncontrolled;   /* ports */
};

struct edt_state {
    struct edt_params params;
    struct edt_vars vars;
    struct edt_port port[]; /* as vars */
};

static const struct weir_param edt_param_table[EDT_PARAMS] = {
    {"alpha", WEIR_UNIT_RATIO, false, WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer that a controlled port may hold."},
    {"c1", WEIR_UNIT_COUNT, false, 3, 1, INT32_MAX, NULL, "Departures in a row that end a burst."},
    {"c2", WEIR_UNIT_COUNT, false, 8, 1, INT32_MAX, NULL, "Net arrivals that make a burst."},
    {"tm1", WEIR_UNIT_TIME, false, 2100 * WEIR_PS_PER_US, 1, 3600 * WEIR_PS_PER_S, NULL,
     "Time within which a burst must show."},
    {"tm2", WEIR_UNIT_TIME, false, 10 * WEIR_PS_PER_MS, 1, 3600 * WEIR_PS_PER_S, NULL,
     "Longest time that a port stays uncontrolled."},
};

static size_t edt_state_size(const struct weir_geometry *geometry)
{
    return sizeof(struct edt_state) + geometry->ports * sizeof(struct edt_port);
}

static void edt_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct edt_state *s = state;
    (void)view;
    s->params = (struct edt_params){.alpha = values->of[EDT_ALPHA][0],
                                    .c1 = values->of[EDT_C1][0],
                                    .c2 = values->of[EDT_C2][0],
                                    .tm1_ps = values->of[EDT_TM1][0],
                                    .tm2_ps = values->of[EDT_TM2][0]};
}

static void edt_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct edt_state *s = state;
    memset(s, 0, edt_state_size(&view->geometry));
    edt_change(s, view, values);
    s->vars.earliest_tm2_ps = WEIR_NEVER;
    for (uint32_t p = 0; p < view->geometry.ports; p++) {
        s->port[p].controlled = true;
        s->port[p].tm1_ps = s->params.tm1_ps;
    }
}

static void edt_take_control(struct edt_state *s, struct edt_port *port)
{
    s->vars.uncontrolled -= !port->controlled;
    port->controlled = true;
}

static void edt_tick(void *state, const struct weir_view *view, weir_ps now)
{
    struct edt_state *s = state;
    if (s->vars.earliest_tm2_ps > now)
        return;
    s->vars.earliest_tm2_ps = WEIR_NEVER;
    for (uint32_t p = 0; p < view->geometry.ports; p++) {
        struct edt_port *port = &s->port[p];
        if (port->tm2_ps <= now)
            edt_take_control(s, port);
        else if (!port->controlled && port->tm2_ps < s->vars.earliest_tm2_ps)
            s->vars.earliest_tm2_ps = port->tm2_ps;
    }
}

/* The port of an event, with its TM1 served if due, and restarted if the port is uncontrolled. */
static struct edt_port *edt_port_of(struct edt_state *s, const struct weir_event *event)
{
    struct edt_port *port = &s->port[event->port.i];
    if (!port->controlled) {
        port->tm1_ps = event->now + s->params.tm1_ps;
    } else if (port->tm1_ps <= event->now) {
        port->c2 = 0;
        port->tm1_ps += ((event->now - port->tm1_ps) / s->params.tm1_ps + 1) * s->params.tm1_ps;
    }
    return port;
}

static weir_cells edt_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    const struct edt_state *s = state;
    assert(s->vars.uncontrolled <= view->geometry.ports);
    if (s->port[weir_account_port(&view->geometry, account).i].controlled)
        return weir_q16_mul(s->params.alpha, weir_view_shared_free(view));
    assert(s->vars.uncontrolled > 0); /* this port is one of them */
    return view->geometry.shared_cells / s->vars.uncontrolled;
}

static const char *edt_mode(const void *state, const struct weir_view *view, weir_account account)
{
    const struct edt_state *s = state;
    return s->port[weir_account_port(&view->geometry, account).i].controlled ? "controlled" : "uncontrolled";
}

static struct weir_verdict edt_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    if (weir_view_port(view, arrival->port)->shared_cells + arrival->need_cells >
        edt_threshold(state, view, arrival->account))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

static void edt_on_enqueue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct edt_state *s = state;
    struct edt_port *port = edt_port_of(s, event);
    (void)view;
    port->c1 = 0;
    if (port->controlled && ++port->c2 >= s->params.c2) {
        port->controlled = false;
        port->c2 = 0;
        port->tm1_ps = event->now + s->params.tm1_ps;
        port->tm2_ps = event->now + s->params.tm2_ps;
        s->vars.earliest_tm2_ps = port->tm2_ps < s->vars.earliest_tm2_ps ? port->tm2_ps : s->vars.earliest_tm2_ps;
        s->vars.uncontrolled++;
    }
}

static void edt_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct edt_state *s = state;
    struct edt_port *port = edt_port_of(s, event);
    (void)view;
    port->c2 -= port->c2 > 0;
    if (++port->c1 >= s->params.c1) {
        port->c1 = 0;
        edt_take_control(s, port);
    }
}

static void edt_on_drop(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct edt_state *s = state;
    if (event->cause != WEIR_CAUSE_REFUSED)
        return;
    struct edt_port *port = edt_port_of(s, event);
    port->c2 = 0;
    if (event->cells > weir_view_shared_free(view))
        edt_take_control(s, port);
}

static weir_ps edt_next_tick(const void *state, const struct weir_view *view)
{
    const struct edt_state *s = state;
    (void)view;
    return s->vars.earliest_tm2_ps;
}

const struct weir_policy weir_policy_edt = {
    .name = "edt",
    .title = "Enhanced Dynamic Threshold",
    .source = "Shan, Jiang & Ren, INFOCOM 2015",
    .deviations = "A port's length is the sum over its classes in the shared pool.",
    .params = edt_param_table,
    .param_count = EDT_PARAMS,
    .state_size = edt_state_size,
    .init = edt_init,
    .change = edt_change,
    .admit = edt_admit,
    .on_enqueue = edt_on_enqueue,
    .on_dequeue = edt_on_dequeue,
    .on_drop = edt_on_drop,
    .on_tick = edt_tick,
    .next_tick = edt_next_tick,
    .threshold = edt_threshold,
    .mode = edt_mode,
};
