/*
 * network.c - see network.h. Every kind of topology is drawn by the same rules: from its links and tiers.
 */
#include "show/draw/network.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define WIDTH 560.0
#define BOX_WIDTH 46.0
#define BOX_HEIGHT 22.0
#define LETTER_WIDTH 7.0 /* of a box's text, its margins included */
#define TIER_HEIGHT 66.0
#define SHOWN_MAX 8u /* switches of a tier */
#define ROW_MAX 12u  /* hosts of a single switch */
#define LINKS_TOLD 4u

/* The switches of a tier that are drawn. */
struct tier {
    uint32_t count, shown;
    uint32_t sw[SHOWN_MAX]; /* numbers of switches */
    double x[SHOWN_MAX];    /* middle */
    double y;
};

struct network {
    const struct topology *topology;
    FILE *out;
    struct tier tiers[TOPOLOGY_TIERS_MAX + 1];
    uint32_t tier_count;
    double height;
};

static uint32_t tier_of(const struct topology *topology, uint32_t sw)
{
    return topology->tier[sw] < TOPOLOGY_TIERS_MAX ? topology->tier[sw] : TOPOLOGY_TIERS_MAX;
}

static void choose_switches(struct network *network)
{
    const struct topology *topology = network->topology;
    for (uint32_t sw = 0; sw < topology->switches; sw++) {
        struct tier *tier = &network->tiers[tier_of(topology, sw)];
        tier->sw[tier->count < SHOWN_MAX ? tier->count : SHOWN_MAX - 1] = sw; /* the last place is the last one's */
        tier->count++;
        tier->shown = tier->count < SHOWN_MAX ? tier->count : SHOWN_MAX;
    }
    while (network->tier_count <= TOPOLOGY_TIERS_MAX && network->tiers[network->tier_count].count > 0)
        network->tier_count++;
    for (uint32_t t = 0; t < network->tier_count; t++) {
        struct tier *tier = &network->tiers[t];
        tier->y = 16 + TIER_HEIGHT * (network->tier_count - 1 - t);
        for (uint32_t i = 0; i < tier->shown; i++)
            tier->x[i] = WIDTH * (i + 0.5) / tier->shown;
    }
    network->height = 16 + TIER_HEIGHT * network->tier_count + 24;
}

/* The place of a switch that is drawn; false: it is not. */
static bool find_switch(const struct network *network, uint32_t sw, double at[2])
{
    const struct tier *tier = &network->tiers[tier_of(network->topology, sw)];
    for (uint32_t i = 0; i < tier->shown; i++) {
        if (tier->sw[i] != sw)
            continue;
        at[0] = tier->x[i];
        at[1] = tier->y;
        return true;
    }
    return false;
}

static void put_links(const struct network *network)
{
    const struct topology *topology = network->topology;
    for (uint32_t i = 0; i < topology->link_count; i++) {
        const struct topology_link *link = &topology->links[i];
        double a[2], b[2];
        if (link->a < topology->hosts || link->b < topology->hosts)
            continue;
        if (i > 0 && topology->links[i - 1].a == link->a && topology->links[i - 1].b == link->b)
            continue; /* one of several in parallel */
        if (find_switch(network, link->a - topology->hosts, a) && find_switch(network, link->b - topology->hosts, b))
            fprintf(network->out, "<path class=\"wire\" stroke=\"#8a939c\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", a[0], a[1],
                    b[0], b[1]);
    }
}

static void put_wide_box(const struct network *network, double x, double y, double width, const char *class,
                         const char *text)
{
    fprintf(network->out,
            "<rect class=\"%s\" fill=\"#ffffff\" stroke=\"#566069\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\" rx=\"4\"/>\n<text class=\"ink\" fill=\"#222222\" x=\"%.1f\" y=\"%.1f\" "
            "text-anchor=\"middle\">%s</text>\n",
            class, x - width / 2, y - BOX_HEIGHT / 2, width, BOX_HEIGHT, x, y + 4, text);
}

/* Its hosts as one box: "h0-h7", as wide as its text if there is room for that. */
static void put_hosts(const struct network *network, uint32_t sw, double x, double y, double room)
{
    const struct topology *topology = network->topology;
    uint32_t count = 0, first = 0, last = 0;
    for (uint32_t i = 0; i < topology->link_count; i++) {
        const struct topology_link *link = &topology->links[i];
        uint32_t host = link->a < topology->hosts ? link->a : link->b;
        if (host >= topology->hosts || topology_far_end(link, host) != topology->hosts + sw)
            continue;
        first = count == 0 || host < first ? host : first;
        last = host > last ? host : last;
        count++;
    }
    char text[64];
    if (count == 0)
        return;
    if (count == 1)
        snprintf(text, sizeof text, "h%" PRIu32, first);
    else if (last - first + 1 == count)
        snprintf(text, sizeof text, "h%" PRIu32 "\u2013h%" PRIu32, first, last);
    else
        snprintf(text, sizeof text, "%" PRIu32 " hosts", count);
    fprintf(network->out, "<path class=\"wire\" stroke=\"#8a939c\" d=\"M%.1f %.1fV%.1f\"/>\n", x, y,
            y + TIER_HEIGHT - 22);
    double width = fmax(BOX_WIDTH, LETTER_WIDTH * (double)strlen(text));
    put_wide_box(network, x, y + TIER_HEIGHT - 22, fmin(width, fmax(BOX_WIDTH, room)), "hosts", text);
}

/* Of one switch alone, hosts have boxes of their own as far as there is room. */
static void put_host_row(const struct network *network, double x, double y)
{
    uint32_t hosts = network->topology->hosts, shown = hosts < ROW_MAX ? hosts : ROW_MAX;
    char text[16];
    for (uint32_t i = 0; i < shown; i++) {
        double at = WIDTH * (i + 0.5) / shown;
        fprintf(network->out, "<path class=\"wire\" stroke=\"#8a939c\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", x, y, at,
                y + TIER_HEIGHT - 22);
    }
    for (uint32_t i = 0; i < shown; i++) {
        uint32_t host = i + 1 == shown ? hosts - 1 : i;
        snprintf(text, sizeof text, "%sh%" PRIu32, host != i ? "\u2026" : "", host);
        put_wide_box(network, WIDTH * (i + 0.5) / shown, y + TIER_HEIGHT - 22, fmin(BOX_WIDTH, WIDTH / shown - 6),
                     "hosts", text);
    }
}

static void put_tier(const struct network *network, const struct tier *tier)
{
    char text[64];
    for (uint32_t i = 0; i < tier->shown; i++) {
        bool last = i + 1 == tier->shown;
        if (network->topology->switches == 1)
            put_host_row(network, tier->x[i], tier->y);
        else
            put_hosts(network, tier->sw[i], tier->x[i], tier->y, WIDTH / tier->shown - 6);
        snprintf(text, sizeof text, "s%" PRIu32, tier->sw[i]);
        put_wide_box(network, tier->x[i], tier->y, BOX_WIDTH, "switch", text);
        if (last && tier->count > tier->shown)
            fprintf(network->out,
                    "<text class=\"ink\" fill=\"#222222\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">\u2026</text>\n",
                    (tier->x[i] + tier->x[i - 1]) / 2, tier->y + 4);
    }
}

void network_put_inline(const struct topology *topology, FILE *out)
{
    struct network network = {.topology = topology, .out = out};
    char text[NETWORK_TEXT_MAX];
    choose_switches(&network);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"network\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
            "font-family=\"sans-serif\" font-size=\"11\" aria-label=\"The network: %s\">\n",
            WIDTH, network.height, network_text(topology, text));
    put_links(&network);
    for (uint32_t t = 0; t < network.tier_count; t++)
        put_tier(&network, &network.tiers[t]);
    fputs("</svg>\n", out);
}

static void delay_text(weir_ps delay, char text[32])
{
    double number = (double)delay;
    if (number >= 1e9)
        snprintf(text, 32, "%.4g ms", number / 1e9);
    else if (number >= 1e6)
        snprintf(text, 32, "%.4g \u00b5s", number / 1e6);
    else
        snprintf(text, 32, "%.4g ns", number / 1e3);
}

/* True where links of this kind were told: those to hosts apart from those between switches. */
static bool was_told(const struct topology *topology, uint32_t link)
{
    const struct topology_link *own = &topology->links[link];
    for (uint32_t i = 0; i < link; i++) {
        const struct topology_link *other = &topology->links[i];
        bool same_kind = (own->a < topology->hosts || own->b < topology->hosts) ==
                         (other->a < topology->hosts || other->b < topology->hosts);
        if (same_kind && own->rate_bps == other->rate_bps && own->delay_ps == other->delay_ps)
            return true;
        if (i > 4096) /* so many hosts: what is beyond is like them */
            return true;
    }
    return false;
}

const char *network_text(const struct topology *topology, char text[NETWORK_TEXT_MAX])
{
    int used = snprintf(text, NETWORK_TEXT_MAX, "%" PRIu32 " host%s, %" PRIu32 " switch%s", topology->hosts,
                        topology->hosts == 1 ? "" : "s", topology->switches, topology->switches == 1 ? "" : "es");
    uint32_t told = 0;
    for (uint32_t i = 0; i < topology->link_count && told <= LINKS_TOLD; i++) {
        const struct topology_link *link = &topology->links[i];
        char rate[32], delay[32];
        if (was_told(topology, i))
            continue;
        if (told++ == LINKS_TOLD) {
            snprintf(text + used, NETWORK_TEXT_MAX - (size_t)used, ", \u2026");
            break;
        }
        double number = (double)link->rate_bps;
        const char *unit = number >= 1e9 ? "Gbit/s" : number >= 1e6 ? "Mbit/s" : "bit/s";
        snprintf(rate, 32, "%.4g %s", number / (number >= 1e9 ? 1e9 : number >= 1e6 ? 1e6 : 1), unit);
        delay_text(link->delay_ps, delay);
        bool to_host = link->a < topology->hosts || link->b < topology->hosts;
        used += snprintf(text + used, NETWORK_TEXT_MAX - (size_t)used, "%s %s %s, %s", told == 1 ? "; links" : ",",
                         to_host ? "to hosts" : "between switches", rate, delay);
    }
    return text;
}
