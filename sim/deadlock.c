/*
 * deadlock.c - see deadlock.h. A wait is known by its number, (output port, class), over all switches. What is found
 * goes to measure.deadlock: the whole of the first one, how many there were, and when the first was seen to move again
 * (a watchdog, or a link that failed).
 *
 * A queue-level pause of a class ends when cells of that class leave, a port-level pause when cells of any lossless
 * class of the port do. Thresholds also rise when other queues of the memory drain; such a wait ends without its own
 * cells, is reported if it lasts from one look to the next, and then has an end.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/deadlock.h"
#include "sim/net/network.h"
#include "sim/net/pfc_measure.h"
#include "sim/net/switch_pfc.h"
#include "sim/parallel/ranks.h"

#define DEADLOCK_NONE UINT32_MAX

struct deadlock_port {
    uint32_t sw, port;
    uint32_t peer; /* the port at the other end of the link, or DEADLOCK_NONE: a host */
};

struct deadlock {
    weir_ps next_ps;
    uint32_t ports, waits;      /* over all switches */
    struct deadlock_port *port; /* [ports] */
    uint32_t *first_port;       /* [switches] */
    size_t *first_held;         /* [switches]: into held */
    bool *held;                 /* [port and class of a switch][input]: the queue has cells that came in there */
    bool *asked;                /* [switches]: somebody waits for it; what is known of its ports is of this look: */
    uint32_t *paused;           /* [ports]: classes of the input port that are paused, at queue level */
    bool *level;                /* [ports]: it is paused at port level */
    weir_ps *decided_ps;        /* [waits]: when the pause in force was decided */
    bool *waiting, *before;     /* [waits]: now, and at the look before */
    bool *lasting;              /* [waits]: for long enough without having moved */
    bool *dead;                 /* [waits]: in the deadlock that was reported */
    int64_t *sent_cells;        /* [waits]: at the look before */
    weir_ps *since_ps;          /* [waits]: the first of the looks at which it waited and has not moved since */
    weir_cells *cells;          /* [inputs of a switch]: scratch */
    bool reported;              /* and not over */
};

static uint32_t deadlock_mask(const struct sim *sim, uint32_t sw)
{
    return sim_config_tier(&sim->config, sim->config.topology->tier[sw])->mmu.lossless_mask;
}

static bool deadlock_init(struct deadlock *d, struct sim *sim)
{
    uint32_t switches = sim->config.topology->switches, most_ports = 0;
    size_t held = 0;
    d->next_ps = sim->config.pfc.look_ps;
    /* A frame waits for a packet, crosses the slowest link and is processed; the packet that was begun ends and
     * crosses. */
    const struct sim_wire *wire = &sim->config.wire;
    uint64_t bytes = 2 * ((uint64_t)wire->mss_bytes + wire->header_bytes + wire->gap_bytes) + WEIR_PFC_FRAME_BYTES;
    weir_ps longest = 0;
    for (uint32_t i = 0; i < 2 * sim->config.topology->link_count; i++) {
        const struct link *link = &sim->links[i];
        if (!sim_has_start(sim, i))
            continue;
        uint32_t processing = sim_pfc_processing_bytes(&sim->config.pfc, link->rate_bps);
        weir_ps trip = 2 * link->delay_ps + (weir_ps)((bytes + processing) * link->ps_per_byte >> LINK_FRACTION_BITS);
        longest = trip > longest ? trip : longest;
    }
    sim->settled_ps = longest;
    d->first_port = calloc(switches, sizeof *d->first_port);
    d->first_held = calloc(switches, sizeof *d->first_held);
    if (!d->first_port || !d->first_held)
        return false;
    for (uint32_t i = 0; i < switches; i++) {
        uint32_t ports = sim->switches[i].ports;
        d->first_port[i] = d->ports;
        d->first_held[i] = held;
        d->ports += ports;
        held += (size_t)ports * PFC_CLASSES * ports;
        most_ports = ports > most_ports ? ports : most_ports;
    }
    d->waits = d->ports * PFC_CLASSES;
    d->port = calloc(d->ports, sizeof *d->port);
    d->held = calloc(held, sizeof *d->held);
    d->asked = calloc(switches, sizeof *d->asked);
    d->paused = calloc(d->ports, sizeof *d->paused);
    d->level = calloc(d->ports, sizeof *d->level);
    d->decided_ps = calloc(d->waits, sizeof *d->decided_ps);
    d->waiting = calloc(d->waits, sizeof *d->waiting);
    d->before = calloc(d->waits, sizeof *d->before);
    d->lasting = calloc(d->waits, sizeof *d->lasting);
    d->dead = calloc(d->waits, sizeof *d->dead);
    d->sent_cells = calloc(d->waits, sizeof *d->sent_cells);
    d->since_ps = calloc(d->waits, sizeof *d->since_ps);
    d->cells = calloc(most_ports, sizeof *d->cells);
    if (!(d->port && d->held && d->asked && d->paused && d->level && d->decided_ps && d->waiting && d->before &&
          d->lasting && d->dead && d->sent_cells && d->since_ps && d->cells))
        return false;
    uint32_t *next = calloc(switches, sizeof *next);
    if (next) {
        /* Ports are numbered as the links are listed; `next` counts those of each switch. */
        const struct topology *t = sim->config.topology;
        for (uint32_t i = 0; i < t->link_count; i++) {
            const uint32_t ends[] = {t->links[i].a, t->links[i].b};
            uint32_t port[] = {DEADLOCK_NONE, DEADLOCK_NONE};
            for (uint32_t k = 0; k < 2; k++)
                if (ends[k] >= t->hosts) {
                    uint32_t sw = ends[k] - t->hosts;
                    port[k] = d->first_port[sw] + next[sw];
                    d->port[port[k]] = (struct deadlock_port){sw, next[sw]++, DEADLOCK_NONE};
                }
            for (uint32_t k = 0; k < 2; k++)
                if (port[k] != DEADLOCK_NONE)
                    d->port[port[k]].peer = port[1 - k];
        }
    }
    free(next);
    return next != NULL;
}

struct deadlock *deadlock_new(struct sim *sim)
{
    struct deadlock *d = calloc(1, sizeof *d);
    if (d && !deadlock_init(d, sim)) {
        deadlock_free(d);
        return NULL;
    }
    return d;
}

void deadlock_free(struct deadlock *d)
{
    if (!d)
        return;
    free(d->port);
    free(d->first_port);
    free(d->first_held);
    free(d->held);
    free(d->asked);
    free(d->paused);
    free(d->level);
    free(d->decided_ps);
    free(d->waiting);
    free(d->before);
    free(d->lasting);
    free(d->dead);
    free(d->sent_cells);
    free(d->since_ps);
    free(d->cells);
    free(d);
}

static bool *held_at(const struct sim *sim, const struct deadlock *d, uint32_t wait)
{
    const struct deadlock_port *at = &d->port[wait / PFC_CLASSES];
    size_t queue = (size_t)at->port * PFC_CLASSES + wait % PFC_CLASSES;
    return &d->held[d->first_held[at->sw] + queue * sim->switches[at->sw].ports];
}

static const struct weir_view *wait_account(const struct sim *sim, const struct deadlock *d, uint32_t wait,
                                            weir_account *account)
{
    const struct deadlock_port *at = &d->port[wait / PFC_CLASSES];
    const struct switch_port *port = &sim->switches[at->sw].port[at->port];
    const struct weir_view *view = weir_mmu_view(port->mmu);
    *account = weir_account_of(&view->geometry, (weir_port){port->local}, (weir_class){wait % PFC_CLASSES});
    return view;
}

/* Where the packets of a queue came in. */
static void held_find(const struct sim *sim, struct deadlock *d, uint32_t wait)
{
    const struct deadlock_port *at = &d->port[wait / PFC_CLASSES];
    const struct switch_node *node = &sim->switches[at->sw];
    bool *held = held_at(sim, d, wait);
    weir_account account;
    const struct weir_view *view = wait_account(sim, d, wait, &account);
    memset(d->cells, 0, node->ports * sizeof *d->cells);
    if (weir_view_length(view, account) > 0)
        weir_mmu_cells_by_input(node->port[at->port].mmu, account, d->cells);
    for (uint32_t input = 0; input < node->ports; input++)
        held[input] = d->cells[input] > 0;
}

/* What an input port of the switch is paused for. */
static void pauses_find(const struct sim *sim, struct deadlock *d, uint32_t number)
{
    const struct deadlock_port *at = &d->port[number];
    const struct switch_node *node = &sim->switches[at->sw];
    d->paused[number] = 0;
    d->level[number] = false;
    for (uint32_t m = 0; m < node->memories; m++) {
        const struct weir_port_state *state =
            weir_view_port(weir_mmu_ingress_view(weir_switch_mmu(node->sw, m)), (weir_port){at->port});
        d->paused[number] |= state->paused_mask;
        d->level[number] |= state->paused;
    }
}

/* The next queue, from number `from` on, that holds what a wait waits for, in the given classes; DEADLOCK_NONE: there
 * is no more. */
static uint32_t wait_next(const struct sim *sim, const struct deadlock *d, uint32_t wait, uint32_t classes,
                          uint32_t from)
{
    const struct deadlock_port *peer = &d->port[d->port[wait / PFC_CLASSES].peer];
    uint32_t first = d->first_port[peer->sw] * PFC_CLASSES;
    uint32_t end = first + sim->switches[peer->sw].ports * PFC_CLASSES;
    for (uint32_t queue = from > first ? from : first; queue < end; queue++)
        if (classes & 1u << queue % PFC_CLASSES && held_at(sim, d, queue)[peer->port])
            return queue;
    return DEADLOCK_NONE;
}

/* All that a wait waits for in these classes is in the set, and there is some. */
static bool wait_is_closed(const struct sim *sim, const struct deadlock *d, const bool *set, uint32_t wait,
                           uint32_t classes)
{
    uint32_t queue = wait_next(sim, d, wait, classes, 0);
    if (queue == DEADLOCK_NONE)
        return false;
    for (; queue != DEADLOCK_NONE; queue = wait_next(sim, d, wait, classes, queue + 1))
        if (!set[queue])
            return false;
    return true;
}

/* The classes whose cells would end the wait by leaving, none of which can; 0: it has a way out. */
static uint32_t wait_classes(const struct sim *sim, const struct deadlock *d, const bool *set, uint32_t wait)
{
    uint32_t peer = d->port[wait / PFC_CLASSES].peer;
    uint32_t tc = 1u << wait % PFC_CLASSES, all = deadlock_mask(sim, d->port[peer].sw);
    if (all && d->paused[peer] & tc && wait_is_closed(sim, d, set, wait, tc))
        return tc;
    return all && d->level[peer] && wait_is_closed(sim, d, set, wait, all) ? all : 0;
}

/* The first queue that a wait of the set waits for. */
static uint32_t wait_first(const struct sim *sim, const struct deadlock *d, uint32_t wait)
{
    return wait_next(sim, d, wait, wait_classes(sim, d, d->lasting, wait), 0);
}

/* When the pause that a wait obeys was decided. */
static weir_ps wait_decided(const struct deadlock *d, uint32_t wait)
{
    return d->decided_ps[d->port[wait / PFC_CLASSES].peer * PFC_CLASSES + wait % PFC_CLASSES];
}

static void deadlock_report(struct sim *sim, struct deadlock *d)
{
    struct measure_deadlock *out = &sim->measure.deadlock;
    uint32_t start = 0;
    while (!d->lasting[start])
        start++;
    for (uint32_t i = 0; i < d->waits; i++) /* so many steps lead into a cycle */
        start = wait_first(sim, d, start);
    /* Everything that `wait` waits for, directly or not, is dead with it. Returns how much that is. */
    uint32_t queues = 1;
    memset(d->dead, 0, d->waits * sizeof *d->dead);
    d->dead[start] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t w = 0; w < d->waits; w++) {
            uint32_t classes = d->dead[w] ? wait_classes(sim, d, d->lasting, w) : 0;
            uint32_t next = classes ? wait_next(sim, d, w, classes, 0) : DEADLOCK_NONE;
            for (; next != DEADLOCK_NONE; next = wait_next(sim, d, w, classes, next + 1)) {
                changed = changed || !d->dead[next];
                queues += !d->dead[next];
                d->dead[next] = true;
            }
        }
    }
    d->reported = true;
    if (out->found++ > 0)
        return;
    out->found_ps = sim->now;
    out->queues = queues;
    out->tc = start % PFC_CLASSES;
    for (uint32_t wait = 0; wait < d->waits; wait++)
        if (d->dead[wait] && wait_decided(d, wait) > out->onset_ps)
            out->onset_ps = wait_decided(d, wait);
    uint32_t wait = start;
    do {
        if (out->length < MEASURE_CYCLE_MAX)
            out->node[out->length] = sim->config.topology->hosts + d->port[wait / PFC_CLASSES].sw;
        out->length++;
        wait = wait_first(sim, d, wait);
    } while (wait != start);
}

/* The waits that have not moved for long enough; true when there is one. If there is none, no packet is visited. */
static bool lasting_find(const struct sim *sim, struct deadlock *d, bool last)
{
    bool any = false;
    memset(d->asked, 0, sim->config.topology->switches * sizeof *d->asked);
    for (uint32_t wait = 0; wait < d->waits; wait++) {
        d->lasting[wait] = false;
        if (d->waiting[wait]) {
            weir_account account;
            const struct weir_view *view = wait_account(sim, d, wait, &account);
            int64_t sent = weir_view_sent(view, account);
            /* Since when a wait has not moved. The last look also believes its pause: nothing leaves a queue that is
             * held. */
            const struct deadlock_port *at = &d->port[wait / PFC_CLASSES];
            weir_ps since = d->before[wait] && sent == d->sent_cells[wait] ? d->since_ps[wait] : sim->now;
            weir_ps held = sim->switches[at->sw].pfc->port[at->port].end.peer.since_ps[wait % PFC_CLASSES];
            d->since_ps[wait] = last && held < since ? held : since;
            d->sent_cells[wait] = sent;
            d->lasting[wait] = sim->now - d->since_ps[wait] >= sim->settled_ps;
            d->asked[d->port[d->port[wait / PFC_CLASSES].peer].sw] |= d->lasting[wait];
            any = any || d->lasting[wait];
        }
        d->before[wait] = d->waiting[wait];
    }
    return any;
}

/* Other ranks: what lasts there, and then what is held at the switches that are waited for. */

static void lasting_take(void *context, const unsigned char *bytes, size_t size)
{
    struct deadlock *d = context;
    for (size_t at = 0; at + sizeof(uint32_t) <= size; at += sizeof(uint32_t)) {
        uint32_t wait;
        memcpy(&wait, bytes + at, sizeof wait);
        d->lasting[wait] = true;
        d->asked[d->port[d->port[wait / PFC_CLASSES].peer].sw] = true;
    }
}

/* One number says what comes next; false: memory is short, or ranks are lost. */
static bool lasting_share(struct sim *sim, struct deadlock *d, bool *any)
{
    struct post_bytes bytes = {.at = NULL};
    bool good = true;
    for (uint32_t wait = 0; good && wait < d->waits; wait++)
        good = !d->lasting[wait] || post_bytes_add(&bytes, &wait, sizeof wait);
    good = ranks_share(sim, &bytes, lasting_take, d) && good;
    free(bytes.at);
    for (uint32_t wait = 0; wait < d->waits && !*any; wait++)
        *any = d->lasting[wait];
    return good;
}

/* The state of a switch, in or out of a letter. */
struct deadlock_copy {
    const struct sim *sim;
    struct deadlock *d;
};

struct deadlock_part {
    void *at;
    size_t size;
};

static void parts_of(const struct sim *sim, const struct deadlock *d, uint32_t sw, struct deadlock_part part[4])
{
    uint32_t ports = sim->switches[sw].ports, first = d->first_port[sw];
    part[0] = (struct deadlock_part){&d->paused[first], ports * sizeof *d->paused};
    part[1] = (struct deadlock_part){&d->level[first], ports * sizeof *d->level};
    part[2] = (struct deadlock_part){&d->decided_ps[first * PFC_CLASSES], ports * PFC_CLASSES * sizeof *d->decided_ps};
    part[3] = (struct deadlock_part){&d->held[d->first_held[sw]], (size_t)ports * PFC_CLASSES * ports};
}

static void held_take(void *context, const unsigned char *bytes, size_t size)
{
    const struct deadlock_copy *copy = context;
    for (size_t at = 0; at + sizeof(uint32_t) <= size;) {
        struct deadlock_part part[4];
        uint32_t sw;
        memcpy(&sw, bytes + at, sizeof sw);
        at += sizeof sw;
        parts_of(copy->sim, copy->d, sw, part);
        for (uint32_t i = 0; i < 4; at += part[i++].size)
            memcpy(part[i].at, bytes + at, part[i].size);
    }
}

static bool held_share(struct sim *sim, struct deadlock *d)
{
    struct deadlock_copy copy = {sim, d};
    struct post_bytes bytes = {.at = NULL};
    bool good = true;
    for (uint32_t sw = 0; sw < sim->config.topology->switches; sw++) {
        struct deadlock_part part[4];
        if (!d->asked[sw] || !sim_has_switch(sim, sw))
            continue;
        parts_of(sim, d, sw, part);
        good = good && post_bytes_add(&bytes, &sw, sizeof sw);
        for (uint32_t i = 0; i < 4; i++)
            good = good && post_bytes_add(&bytes, part[i].at, part[i].size);
    }
    good = ranks_share(sim, &bytes, held_take, &copy) && good;
    free(bytes.at);
    return good;
}

weir_ps deadlock_next(const struct sim *sim)
{
    return sim->deadlock ? sim->deadlock->next_ps : WEIR_NEVER;
}

static bool deadlock_search(struct sim *sim, struct deadlock *d, bool last)
{
    /* Every wait there is now. */
    memset(d->waiting, 0, d->waits * sizeof *d->waiting);
    for (uint32_t i = 0; i < d->ports; i++) {
        const struct deadlock_port *at = &d->port[i];
        if (!sim_has_switch(sim, at->sw))
            continue;
        const struct switch_port *port = &sim->switches[at->sw].port[at->port];
        uint32_t classes = port->state->paused_mask & port->state->backlog_mask & deadlock_mask(sim, at->sw);
        if (!classes || at->peer == DEADLOCK_NONE || !port->out->up)
            continue;
        for (; classes; classes &= classes - 1)
            d->waiting[i * PFC_CLASSES + (uint32_t)__builtin_ctz(classes)] = true;
    }
    bool found = lasting_find(sim, d, last);
    if (sim->ranks && !lasting_share(sim, d, &found))
        sim->failed = true;
    if (found) {
        /* Of the switches of this process that somebody waits for. */
        for (uint32_t wait = 0; wait < d->waits; wait++) {
            const struct deadlock_port *at = &d->port[wait / PFC_CLASSES];
            uint32_t tc = wait % PFC_CLASSES, mask = deadlock_mask(sim, at->sw);
            if (!d->asked[at->sw] || !mask || !sim_has_switch(sim, at->sw))
                continue;
            if (tc == 0)
                pauses_find(sim, d, wait / PFC_CLASSES);
            d->decided_ps[wait] = sim->measure.sw[at->sw].pfc->queue[at->port * PFC_CLASSES + tc].decided_ps;
            if (mask & 1u << tc)
                held_find(sim, d, wait);
        }
        if (sim->ranks && !held_share(sim, d))
            sim->failed = true;
        /* Takes away what has a way out, until nothing has; true when anything is left. */
        bool *set = d->lasting;
        bool changed = true, any = false;
        while (changed) {
            changed = any = false;
            for (uint32_t wait = 0; wait < d->waits; wait++) {
                if (!set[wait])
                    continue;
                set[wait] = wait_classes(sim, d, set, wait) != 0;
                changed = changed || !set[wait];
                any = any || set[wait];
            }
        }
        found = any;
    }
    /* The one that was reported is over when any part of it is. */
    bool over = false;
    for (uint32_t wait = 0; d->reported && wait < d->waits; wait++)
        over = over || (d->dead[wait] && !d->lasting[wait]);
    d->reported = d->reported && !over;
    if (over && sim->measure.deadlock.ended_ps == WEIR_NEVER)
        sim->measure.deadlock.ended_ps = sim->now;
    if (found && !d->reported)
        deadlock_report(sim, d);
    return found;
}

bool deadlock_look(struct sim *sim)
{
    struct deadlock *d = sim->deadlock;
    if (deadlock_next(sim) > sim->now)
        return false;
    d->next_ps += sim->config.pfc.look_ps;
    return deadlock_search(sim, d, false) && sim->config.pfc.deadlock_stops;
}

void deadlock_look_last(struct sim *sim)
{
    if (sim->deadlock)
        deadlock_search(sim, sim->deadlock, true);
}
