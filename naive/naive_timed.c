/*
 * naive_timed.c - the policies that remember: edt and tdt, a state machine per port, and abm, which samples.
 *
 * B, F, q and need as in naive_policies.c; a port's length is the sum of its accounts' shared cells. An overflow is
 * a refused arrival of more cells than F.
 */
#include "naive_internal.h"

static enum weir_reason port_unless(const struct weir_naive *n, const struct weir_arrival *arrival,
                                    weir_cells threshold)
{
    weir_cells length = n->port[arrival->port.i].shared_cells + naive_need(n, arrival->account, arrival->cells);
    return length > threshold ? WEIR_REASON_OVER_THRESHOLD : WEIR_REASON_NONE;
}

static weir_cells port_dt_threshold(const struct weir_naive *n)
{
    return weir_q16_mul(naive_value(n, "alpha", 0), naive_shared_free(n));
}

static void edt_init(struct weir_naive *n)
{
    for (uint32_t p = 0; p < n->config.ports; p++)
        n->port[p].edt.tm1_deadline_ps = naive_value(n, "tm1", 0);
}

static void edt_on_time(struct weir_naive *n, weir_ps now)
{
    weir_ps tm1 = naive_value(n, "tm1", 0);
    for (uint32_t p = 0; p < n->config.ports; p++) {
        struct naive_port *port = &n->port[p];
        if (port->edt.tm1_deadline_ps <= now) {
            port->edt.c2 = 0;
            port->edt.tm1_deadline_ps += ((now - port->edt.tm1_deadline_ps) / tm1 + 1) * tm1;
        }
        if (port->edt.uncontrolled && port->edt.tm2_deadline_ps <= now)
            port->edt.uncontrolled = false;
    }
}

/* Over if port + need > threshold: alpha F for a controlled port, B / uncontrolled ports for an uncontrolled one. */
static enum weir_reason edt_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    int64_t uncontrolled = 0;
    for (uint32_t p = 0; p < n->config.ports; p++)
        uncontrolled += n->port[p].edt.uncontrolled;
    bool free = n->port[arrival->port.i].edt.uncontrolled;
    return port_unless(n, arrival, free ? naive_shared_size(n) / uncontrolled : port_dt_threshold(n));
}

static void edt_restart_tm1(struct weir_naive *n, const struct weir_event *event)
{
    n->port[event->port.i].edt.tm1_deadline_ps = event->now + naive_value(n, "tm1", 0);
}

static void edt_on_enqueue(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_port *port = &n->port[event->port.i];
    port->edt.c1 = 0;
    if (port->edt.uncontrolled) {
        edt_restart_tm1(n, event);
    } else if (++port->edt.c2 >= naive_value(n, "c2", 0)) {
        port->edt.uncontrolled = true;
        port->edt.c2 = 0;
        port->edt.tm2_deadline_ps = event->now + naive_value(n, "tm2", 0);
        edt_restart_tm1(n, event);
    }
}

static void edt_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_port *port = &n->port[event->port.i];
    port->edt.c1++;
    if (port->edt.uncontrolled)
        edt_restart_tm1(n, event);
    else if (port->edt.c2 > 0)
        port->edt.c2--;
    if (port->edt.c1 >= naive_value(n, "c1", 0)) {
        port->edt.c1 = 0;
        port->edt.uncontrolled = false;
    }
}

static void edt_on_drop(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_port *port = &n->port[event->port.i];
    if (event->cause != WEIR_CAUSE_REFUSED)
        return;
    port->edt.c2 = 0;
    if (port->edt.uncontrolled)
        edt_restart_tm1(n, event);
    if (event->cells > naive_shared_free(n))
        port->edt.uncontrolled = false;
}

/* Over if port + need > threshold: alpha F (normal), B / absorbing ports (absorption), B / ports (evacuation). */
static enum weir_reason tdt_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    weir_cells size = naive_shared_size(n), threshold = port_dt_threshold(n);
    int64_t absorbing = 0;
    for (uint32_t p = 0; p < n->config.ports; p++)
        absorbing += n->port[p].tdt.mode == NAIVE_TDT_ABSORPTION;
    if (n->port[arrival->port.i].tdt.mode == NAIVE_TDT_ABSORPTION)
        threshold = size / absorbing;
    if (n->port[arrival->port.i].tdt.mode == NAIVE_TDT_EVACUATION)
        if (naive_chooses(n, "evacuation", "split") || size / n->config.ports < threshold)
            threshold = size / n->config.ports;
    return port_unless(n, arrival, threshold);
}

static void tdt_on_enqueue(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_port *port = &n->port[event->port.i];
    weir_cells ports = n->config.ports;
    port->tdt.dec = 0;
    if (port->tdt.mode != NAIVE_TDT_NORMAL)
        return;
    port->tdt.nec += event->cells;
    if (port->tdt.nec >= naive_space(n, "nec", 0, (2 * naive_shared_size(n) + ports) / (2 * ports))) {
        port->tdt.nec = port->tdt.oc1 = port->tdt.oc2 = 0;
        port->tdt.mode = NAIVE_TDT_ABSORPTION;
    }
}

static bool tdt_evacuated(const struct weir_naive *n, const struct naive_port *port)
{
    if (naive_chooses(n, "leave", "half-split"))
        return port->shared_cells < naive_shared_size(n) / (2 * (weir_cells)n->config.ports);
    return port_dt_threshold(n) > 2 * port->shared_cells;
}

static void tdt_on_dequeue(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_port *port = &n->port[event->port.i];
    weir_cells size = naive_shared_size(n), ports = n->config.ports;
    enum naive_tdt_mode mode = port->tdt.mode;
    if (++port->tdt.dec >= naive_value(n, "dec", 0)) {
        port->tdt.nec = port->tdt.oc1 = port->tdt.oc2 = port->tdt.dc = port->tdt.dec = 0;
        port->tdt.mode = NAIVE_TDT_NORMAL;
        return;
    }
    port->tdt.nec = port->tdt.nec > event->cells ? port->tdt.nec - event->cells : 0;
    if (mode == NAIVE_TDT_NORMAL) {
        port->tdt.oc1 += event->cells;
        if (port->tdt.oc1 >= naive_space(n, "oc1", 0, (2 * size + ports) / (2 * ports)))
            port->tdt.oc1 = port->tdt.nec = port->tdt.dec = 0;
    } else if (mode == NAIVE_TDT_ABSORPTION) {
        port->tdt.oc2 += event->cells;
        if (port->tdt.oc2 >= naive_space(n, "oc2", 0, 2 * size)) {
            port->tdt.oc2 = 0;
            port->tdt.mode = NAIVE_TDT_NORMAL;
        }
    } else if (tdt_evacuated(n, port)) {
        port->tdt.dc = 0;
        port->tdt.mode = NAIVE_TDT_NORMAL;
    }
}

static void tdt_on_drop(struct weir_naive *n, const struct weir_event *event)
{
    struct naive_port *port = &n->port[event->port.i];
    if (event->cause != WEIR_CAUSE_REFUSED)
        return;
    if (event->cells > naive_shared_free(n) && port->tdt.mode == NAIVE_TDT_ABSORPTION) {
        port->tdt.oc2 = 0;
        port->tdt.mode = NAIVE_TDT_NORMAL;
    }
    port->tdt.nec = port->tdt.dec = 0;
    if (port->tdt.mode == NAIVE_TDT_EVACUATION)
        return;
    port->tdt.dc += event->cells;
    if (port->tdt.dc >= naive_space(n, "dc", 0, naive_shared_size(n) / 2)) {
        port->tdt.dc = port->tdt.nec = port->tdt.oc1 = port->tdt.oc2 = 0;
        port->tdt.mode = NAIVE_TDT_EVACUATION;
    }
}

static void abm_init(struct weir_naive *n)
{
    for (uint32_t a = 0; a < n->account_count; a++)
        n->account[a].mu = WEIR_Q16_ONE;
    for (uint32_t c = 0; c < n->config.classes; c++)
        n->congested[c] = WEIR_Q16_ONE;
    n->boundary_ps = naive_value(n, "window", 0);
}

/* T = alpha F mu / n_p */
static weir_cells abm_threshold(const struct weir_naive *n, const struct naive_account *account, weir_q16 alpha)
{
    weir_cells share = weir_q16_mul(account->mu, weir_q16_mul(alpha, naive_shared_free(n)));
    return share * WEIR_Q16_ONE / n->congested[account->tc.i];
}

static enum weir_reason abm_admit(struct weir_naive *n, const struct weir_arrival *arrival)
{
    const struct naive_account *account = &n->account[arrival->account.i];
    weir_cells need = naive_need(n, arrival->account, arrival->cells);
    weir_q16 alpha = naive_value(n, "alpha", arrival->tc.i);
    weir_q16 boost = naive_value(n, "unscheduled_alpha", arrival->tc.i);
    if ((arrival->flags & WEIR_FLAG_UNSCHEDULED) != 0 && boost > 0)
        alpha = boost;
    bool over = account->shared_cells + need > abm_threshold(n, account, alpha);
    return over ? WEIR_REASON_OVER_THRESHOLD : WEIR_REASON_NONE;
}

/* What the account sent in the window over what its port could send, or did; 1 when below 1/classes or above 1. */
static weir_q16 abm_drain(const struct weir_naive *n, const struct naive_account *account)
{
    naive_wide most = 0;
    if (naive_chooses(n, "drain", "share")) {
        for (uint32_t a = 0; a < n->account_count; a++)
            if (n->account[a].port.i == account->port.i)
                most += n->account[a].window_cells;
    } else {
        naive_wide bits = (naive_wide)n->port[account->port.i].rate_bps * naive_value(n, "window", 0);
        most = bits / ((naive_wide)8 * WEIR_PS_PER_S * n->config.cell_bytes);
        most = most > 0 ? most : 1;
    }
    if (most == 0)
        return WEIR_Q16_ONE;
    weir_q16 mu = (weir_q16)(((naive_wide)account->window_cells << 16) / most);
    return mu < WEIR_Q16_ONE / n->config.classes || mu > WEIR_Q16_ONE ? WEIR_Q16_ONE : mu;
}

/* How much the account counts as congested, of 1. */
static weir_q16 abm_congestion(const struct weir_naive *n, const struct naive_account *account)
{
    weir_cells length = account->shared_cells, full = naive_space(n, "congested_bytes", 0, 0);
    if (naive_chooses(n, "congestion", "fractional"))
        return (length < full ? length : full) * WEIR_Q16_ONE / full;
    weir_cells threshold = abm_threshold(n, account, naive_value(n, "alpha", account->tc.i));
    bool congested = length > 0 && length >= weir_q16_mul(naive_value(n, "congested_ratio", 0), threshold);
    return congested ? WEIR_Q16_ONE : 0;
}

/* One sample; false when nothing was sent and nothing changed, so that the next would change nothing either. */
static bool abm_sample(struct weir_naive *n)
{
    weir_q16 congested[WEIR_CLASSES_MAX] = {0};
    bool moved = false;
    for (uint32_t a = 0; a < n->account_count; a++) {
        weir_q16 mu = abm_drain(n, &n->account[a]);
        moved = moved || mu != n->account[a].mu || n->account[a].window_cells > 0;
        n->account[a].mu = mu;
    }
    for (uint32_t a = 0; a < n->account_count; a++) {
        congested[n->account[a].tc.i] += abm_congestion(n, &n->account[a]);
        n->account[a].window_cells = 0;
    }
    for (uint32_t c = 0; c < n->config.classes; c++) {
        weir_q16 sum = congested[c] > WEIR_Q16_ONE ? congested[c] : WEIR_Q16_ONE;
        moved = moved || sum != n->congested[c];
        n->congested[c] = sum;
    }
    return moved;
}

static void abm_on_time(struct weir_naive *n, weir_ps now)
{
    weir_ps window = naive_value(n, "window", 0);
    bool moved = true;
    while (n->boundary_ps <= now && moved) {
        moved = abm_sample(n);
        n->boundary_ps = (n->boundary_ps / window + 1) * window;
    }
    if (n->boundary_ps <= now)
        n->boundary_ps = (now / window + 1) * window;
}

const struct naive_policy naive_edt = {
    .name = "edt",
    .init = edt_init,
    .on_time = edt_on_time,
    .admit = edt_admit,
    .on_enqueue = edt_on_enqueue,
    .on_dequeue = edt_on_dequeue,
    .on_drop = edt_on_drop,
};
const struct naive_policy naive_tdt = {
    .name = "tdt",
    .admit = tdt_admit,
    .on_enqueue = tdt_on_enqueue,
    .on_dequeue = tdt_on_dequeue,
    .on_drop = tdt_on_drop,
};
const struct naive_policy naive_abm = {
    .name = "abm",
    .init = abm_init,
    .on_time = abm_on_time,
    .admit = abm_admit,
};
