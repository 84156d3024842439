/*
 * tdt.c - Traffic-aware Dynamic Threshold: a port absorbs bursts, evacuates long-lived overload, and else obeys DT.
 *
 * Buffer helps a port only while a burst can still be absorbed. A port whose queue grows fast without loss may hold an
 * equal part per absorbing port; one that keeps losing, which no buffer can help, is driven down to its even split to
 * make room for the others. Time is measured in what the port has sent, not by a clock.
 *
 *   refuse  if  q_port + len > T,   T = alpha * (B - used) normal;   B / absorbing ports absorption;   B / n evacuation
 *
 *   nec  net arrivals without a loss, cells     normal -> absorption at NEC
 *   oc1  sent while normal, cells               clears nec and dec at OC1: growth is too slow for a burst
 *   oc2  sent while absorbing, cells            absorption -> normal at OC2: longer than any burst
 *   dc   refused while not evacuating, cells    -> evacuation at DC
 *   dec  departures in a row, packets           clears everything at DEC, -> normal: the port is underloaded
 *   refusing more than is free ends absorption; a port below half its split, or half its T, ends evacuation
 *
 * Invariants: nec = oc1 = 0 outside normal, oc2 = 0 outside absorption, dc = 0 in evacuation.
 *
 * Paper: S. Huang, M. Wang, Y. Cui, "Traffic-aware buffer management in shared memory switches", ToN 2022.
 * Deviation: counters count cells, not packets, and every length is counted in the shared pool.
 */
#include <assert.h>
#include <string.h>

#include "weir/fixed.h"
#include "weir/policy.h"

enum { TDT_ALPHA, TDT_NEC, TDT_OC1, TDT_OC2, TDT_DC, TDT_DEC, TDT_EVACUATION, TDT_LEAVE, TDT_PARAMS };
enum tdt_control { TDT_NORMAL, TDT_ABSORPTION, TDT_EVACUATING };
enum { TDT_SPLIT, TDT_MIN_DT };
enum { TDT_HALF_SPLIT, TDT_TWICE_QUEUE };

struct tdt_port {
    enum tdt_control control;
    weir_cells nec, oc1, oc2, dc;
    int64_t dec; /* packets */
};

struct tdt_params {
    weir_q16 alpha;
    int64_t dec; /* packets */
    int64_t evacuation, leave;
};

struct tdt_derived {
    weir_cells nec, oc1, oc2, dc; /* as set, or from B and the number of ports */
};

struct tdt_vars {
    uint32_t absorbing; /* ports */
};

struct tdt_state {
    struct tdt_params params;
    struct tdt_derived derived;
    struct tdt_vars vars;
    struct tdt_port port[]; /* as vars */
};

static const char *const tdt_evacuation_choices[] = {"split", "min-dt", NULL};
static const char *const tdt_leave_choices[] = {"half-split", "twice-queue", NULL};

static const struct weir_param tdt_param_table[TDT_PARAMS] = {
    {"alpha", WEIR_UNIT_RATIO, false, WEIR_Q16_ONE, 1, 4096 * WEIR_Q16_ONE, NULL,
     "Share of the free buffer that a normal port may hold."},
    {"nec", WEIR_UNIT_SPACE, false, WEIR_AUTO, 1, INT64_MAX / 2, NULL, "Net growth that makes a burst; auto: B / n."},
    {"oc1", WEIR_UNIT_SPACE, false, WEIR_AUTO, 1, INT64_MAX / 2, NULL, "Sent within which it must grow; auto: B / n."},
    {"oc2", WEIR_UNIT_SPACE, false, WEIR_AUTO, 1, INT64_MAX / 2, NULL, "Sent that ends a burst; auto: 2 B."},
    {"dc", WEIR_UNIT_SPACE, false, WEIR_AUTO, 1, INT64_MAX / 2, NULL, "Loss that starts evacuation; auto: B / 2."},
    {"dec", WEIR_UNIT_COUNT, false, 3, 1, INT32_MAX, NULL, "Departures in a row of an underloaded port."},
    {"evacuation", WEIR_UNIT_CHOICE, false, TDT_SPLIT, TDT_SPLIT, TDT_MIN_DT, tdt_evacuation_choices,
     "Limit of an evacuating port: its even split, or the smaller of that and DT."},
    {"leave", WEIR_UNIT_CHOICE, false, TDT_HALF_SPLIT, TDT_HALF_SPLIT, TDT_TWICE_QUEUE, tdt_leave_choices,
     "Evacuation ends when the port holds less than half its split, or half its threshold."},
};

static size_t tdt_state_size(const struct weir_geometry *geometry)
{
    return sizeof(struct tdt_state) + geometry->ports * sizeof(struct tdt_port);
}

static weir_cells tdt_cells(const struct weir_geometry *geometry, int64_t bytes, weir_cells automatic)
{
    return bytes == WEIR_AUTO ? automatic : weir_cells_for_bytes(bytes, geometry->cell_bytes);
}

static void tdt_change(void *state, const struct weir_view *view, const struct weir_values *values)
{
    struct tdt_state *s = state;
    const struct weir_geometry *g = &view->geometry;
    weir_cells split = (2 * g->shared_cells + g->ports) / (2 * g->ports); /* rounded to the nearest */
    s->params = (struct tdt_params){.alpha = values->of[TDT_ALPHA][0],
                                    .dec = values->of[TDT_DEC][0],
                                    .evacuation = values->of[TDT_EVACUATION][0],
                                    .leave = values->of[TDT_LEAVE][0]};
    s->derived = (struct tdt_derived){.nec = tdt_cells(g, values->of[TDT_NEC][0], split),
                                      .oc1 = tdt_cells(g, values->of[TDT_OC1][0], split),
                                      .oc2 = tdt_cells(g, values->of[TDT_OC2][0], 2 * g->shared_cells),
                                      .dc = tdt_cells(g, values->of[TDT_DC][0], g->shared_cells / 2)};
}

static void tdt_init(void *state, const struct weir_view *view, const struct weir_values *values)
{
    memset(state, 0, tdt_state_size(&view->geometry));
    tdt_change(state, view, values);
}

/* Every way into a state clears nec, oc1 and oc2, which belong to the state that is left. */
static void tdt_enter(struct tdt_state *s, struct tdt_port *port, enum tdt_control control)
{
    s->vars.absorbing -= port->control == TDT_ABSORPTION;
    s->vars.absorbing += control == TDT_ABSORPTION;
    port->control = control;
    port->nec = port->oc1 = port->oc2 = 0;
}

static weir_cells tdt_limit(const struct tdt_state *s, const struct weir_view *view, weir_port port)
{
    const struct weir_geometry *g = &view->geometry;
    enum tdt_control control = s->port[port.i].control;
    assert(control != TDT_ABSORPTION || s->vars.absorbing > 0);
    if (control == TDT_ABSORPTION)
        return g->shared_cells / s->vars.absorbing;
    weir_cells normal = weir_q16_mul(s->params.alpha, weir_view_shared_free(view));
    weir_cells split = g->shared_cells / g->ports;
    if (control == TDT_NORMAL || (s->params.evacuation == TDT_MIN_DT && normal < split))
        return normal;
    return split;
}

static weir_cells tdt_threshold(const void *state, const struct weir_view *view, weir_account account)
{
    return tdt_limit(state, view, weir_account_port(&view->geometry, account));
}

static const char *tdt_mode(const void *state, const struct weir_view *view, weir_account account)
{
    static const char *const names[] = {"normal", "absorption", "evacuation"};
    const struct tdt_state *s = state;
    return names[s->port[weir_account_port(&view->geometry, account).i].control];
}

static struct weir_verdict tdt_admit(void *state, const struct weir_view *view, const struct weir_arrival *arrival)
{
    if (weir_view_port(view, arrival->port)->shared_cells + arrival->need_cells > tdt_limit(state, view, arrival->port))
        return weir_refuse(WEIR_REASON_OVER_THRESHOLD);
    return weir_accept_if_room();
}

static void tdt_on_enqueue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct tdt_state *s = state;
    struct tdt_port *port = &s->port[event->port.i];
    (void)view;
    port->dec = 0;
    if (port->control == TDT_NORMAL && (port->nec += event->cells) >= s->derived.nec)
        tdt_enter(s, port, TDT_ABSORPTION);
}

static bool tdt_is_evacuated(const struct tdt_state *s, const struct weir_view *view, weir_port port)
{
    weir_cells held = weir_view_port(view, port)->shared_cells;
    if (s->params.leave == TDT_TWICE_QUEUE)
        return tdt_limit(s, view, port) > 2 * held;
    return held < view->geometry.shared_cells / (2 * view->geometry.ports);
}

static void tdt_on_dequeue(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct tdt_state *s = state;
    struct tdt_port *port = &s->port[event->port.i];
    if (++port->dec >= s->params.dec) {
        tdt_enter(s, port, TDT_NORMAL);
        port->dc = port->dec = 0;
        return;
    }
    port->nec = port->nec > event->cells ? port->nec - event->cells : 0;
    if (port->control == TDT_NORMAL && (port->oc1 += event->cells) >= s->derived.oc1)
        port->oc1 = port->nec = port->dec = 0;
    if (port->control == TDT_ABSORPTION && (port->oc2 += event->cells) >= s->derived.oc2)
        tdt_enter(s, port, TDT_NORMAL);
    if (port->control == TDT_EVACUATING && tdt_is_evacuated(s, view, event->port))
        tdt_enter(s, port, TDT_NORMAL);
}

static void tdt_on_drop(void *state, const struct weir_view *view, const struct weir_event *event)
{
    struct tdt_state *s = state;
    struct tdt_port *port = &s->port[event->port.i];
    if (event->cause != WEIR_CAUSE_REFUSED)
        return;
    if (port->control == TDT_ABSORPTION && event->cells > weir_view_shared_free(view))
        tdt_enter(s, port, TDT_NORMAL);
    port->nec = port->dec = 0;
    if (port->control != TDT_EVACUATING && (port->dc += event->cells) >= s->derived.dc) {
        port->dc = 0;
        tdt_enter(s, port, TDT_EVACUATING);
    }
}

const struct weir_policy weir_policy_tdt = {
    .name = "tdt",
    .title = "Traffic-aware Dynamic Threshold",
    .source = "Huang, Wang & Cui, ToN 2022",
    .deviations = "Counters count cells, not packets; losses during evacuation are not counted.",
    .params = tdt_param_table,
    .param_count = TDT_PARAMS,
    .state_size = tdt_state_size,
    .init = tdt_init,
    .change = tdt_change,
    .admit = tdt_admit,
    .on_enqueue = tdt_on_enqueue,
    .on_dequeue = tdt_on_dequeue,
    .on_drop = tdt_on_drop,
    .threshold = tdt_threshold,
    .mode = tdt_mode,
};
