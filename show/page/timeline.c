/*
 * timeline.c - see timeline.h. A strip is a drawing without letters that is as wide as its place, one unit per step;
 * what it shows is written beside it, so that it is readable at any width.
 */
#include "show/page/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/draw/escape.h"
#include "show/draw/scale.h"
#include "show/page/page.h"

#define ROWS_MAX 24u                    /* queues with a row of their own; the others have one together */
#define STACKED_MAX (CHART_COLOURS - 1) /* of these, with a colour; the last one is of all others */
#define NAME_MAX_BYTES 48u

static const struct {
    const char *key, *name, *title;
} fates[TIMELINE_FATES] = {
    [TIMELINE_ARRIVED] = {"arrived", "arrived", "Arrived"},
    [TIMELINE_REFUSED] = {"refused", "refused", "Refused"},
    [TIMELINE_PUSHED_OUT] = {"pushed", "pushed out", "Pushed out"},
    [TIMELINE_EXPELLED] = {"expelled", "expelled", "Expelled"},
    [TIMELINE_DROPPED] = {"dropped", "dropped at the head or flushed", "Dropped"},
    [TIMELINE_SENT] = {"sent", "sent", "Sent"},
};

/* A row of the page: a queue, or all that have no row of their own. */
struct row {
    uint32_t account;
    uint32_t queues; /* in it: 1, or those of the last row */
    int64_t weight;  /* cells held, over all steps; 0: too few to be seen */
    uint64_t packets[TIMELINE_FATES];
    weir_ps paused_ps;
    struct timeline_cell *cells; /* [steps] */
};

struct view {
    const struct timeline *t;
    struct row *rows;
    uint32_t row_count, fullest; /* step */
    uint64_t packets[TIMELINE_FATES];
    weir_ps paused_ps, input_paused_ps;
    struct timeline_cell *cells; /* of the rows */
    int32_t *bottoms, *tops;     /* [steps] of what is being drawn; tops lie behind bottoms */
    const char *unit;            /* of what is held */
    double scale;                /* units of a cell */
    const char *time_unit;
    double time_scale; /* ps of it */
    int time_digits, held_digits;
    FILE *out;
};

static int by_weight(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->account < y->account ? -1 : 1;
}

/* Those with something to see first, by what they hold; returns how many these are, `count` is of all that had
 * packets. */
static uint32_t rank_queues(const struct timeline *t, struct row *ranked, uint32_t *count)
{
    uint32_t seen = 0;
    int64_t least = t->buffer_cells / 200;
    *count = 0;
    for (uint32_t a = 0; a < t->accounts; a++) {
        struct row row = {.account = a, .queues = 1};
        uint64_t packets = 0, lost = 0;
        int32_t peak = 0;
        for (uint32_t step = 0; step < t->steps; step++) {
            const struct timeline_cell *cell = timeline_at(t, step, a);
            row.weight += cell->held;
            peak = cell->held > peak ? cell->held : peak;
            packets += cell->packets[TIMELINE_ARRIVED] + cell->packets[TIMELINE_SENT] + (uint32_t)cell->held;
            for (uint32_t f = TIMELINE_REFUSED; f <= TIMELINE_DROPPED; f++)
                lost += cell->packets[f];
            lost += cell->paused_ps > 0;
        }
        bool shown = peak > least || lost > 0;
        row.weight = shown ? row.weight + 1 : 0;
        seen += shown;
        if (packets + lost > 0)
            ranked[(*count)++] = row;
    }
    qsort(ranked, *count, sizeof *ranked, by_weight);
    return seen < ROWS_MAX ? seen : ROWS_MAX;
}

static bool view_rows(struct view *v)
{
    const struct timeline *t = v->t;
    struct row *ranked = calloc(t->accounts, sizeof *ranked);
    if (ranked == NULL)
        return false;
    uint32_t count, own = rank_queues(t, ranked, &count);
    v->row_count = count > own ? own + 1 : own;
    v->rows = ranked;
    v->cells = calloc((size_t)v->row_count * t->steps + 1, sizeof *v->cells);
    if (v->cells == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct row *row = &ranked[i < own ? i : own];
        row->cells = &v->cells[(size_t)(row - ranked) * t->steps];
        row->queues = i < own ? 1 : count - own;
        for (uint32_t step = 0; step < t->steps; step++) {
            const struct timeline_cell *from = timeline_at(t, step, ranked[i].account);
            struct timeline_cell *to = &row->cells[step];
            to->held += from->held;
            to->limit = row->queues == 1 ? from->limit : TIMELINE_NO_LIMIT;
            to->paused_ps += from->paused_ps;
            row->paused_ps += from->paused_ps;
            for (uint32_t f = 0; f < TIMELINE_FATES; f++) {
                to->packets[f] += from->packets[f];
                row->packets[f] += from->packets[f];
            }
        }
    }
    for (uint32_t i = 0; i < v->row_count; i++) {
        v->paused_ps += v->rows[i].paused_ps;
        for (uint32_t f = 0; f < TIMELINE_FATES; f++)
            v->packets[f] += v->rows[i].packets[f];
    }
    return true;
}

/* The unit of all times, and as many digits as tell one step from the next. */
static void view_units(struct view *v)
{
    const struct timeline *t = v->t;
    double end = (double)t->start + (double)t->steps * (double)t->step_ps,
           bytes = (double)t->buffer_cells * t->cell_bytes;
    v->time_unit = end >= 1e12 ? "s" : end >= 1e9 ? "ms" : end >= 1e6 ? "&#181;s" : "ns";
    v->time_scale = end >= 1e12 ? 1e12 : end >= 1e9 ? 1e9 : end >= 1e6 ? 1e6 : 1e3;
    while (v->time_digits < 9 && (double)t->step_ps * pow(10, v->time_digits) < v->time_scale)
        v->time_digits++;
    v->unit = bytes >= 1e7 ? "MB" : bytes >= 1e4 ? "KB" : "B";
    v->scale = t->cell_bytes / (bytes >= 1e7 ? 1e6 : bytes >= 1e4 ? 1e3 : 1);
    v->held_digits = bytes >= 1e7 ? 2 : bytes >= 1e4 ? 1 : 0;
}

static const char *row_name(const struct view *v, uint32_t i, char name[NAME_MAX_BYTES])
{
    const struct row *row = &v->rows[i];
    uint32_t ports = v->t->ports;
    if (row->queues > 1)
        snprintf(name, NAME_MAX_BYTES, "%" PRIu32 " others", row->queues);
    else if (v->t->classes == 1)
        snprintf(name, NAME_MAX_BYTES, "port %" PRIu32, row->account);
    else
        snprintf(name, NAME_MAX_BYTES, "port %" PRIu32 " class %" PRIu32, row->account % ports, row->account / ports);
    return name;
}

static uint32_t row_colour(uint32_t i)
{
    return i < STACKED_MAX ? i : STACKED_MAX;
}

static void put_held(const struct view *v, double cells)
{
    fprintf(v->out, "%.*f", v->held_digits, cells * v->scale);
}

/* Without its unit. */
static const char *time_text(const struct view *v, uint32_t step, char text[64])
{
    snprintf(text, 64, "%.*f", v->time_digits, (double)(v->t->start + step * v->t->step_ps) / v->time_scale);
    return text;
}

/* A row of the timeline up to its drawing: `height` units high and as wide as there are steps. */
static void begin_strip(const struct view *v, const char *kind, const char *name, uint32_t height)
{
    fprintf(v->out,
            "<div class=\"row %s\"><div class=\"name\">%s</div><div class=\"strip\"><svg viewBox=\"0 0 %" PRIu32
            " %" PRIu32 "\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
            kind, name, v->t->steps, height);
}

static void end_strip(const struct view *v)
{
    fputs("</svg></div></div>\n", v->out);
}

/* The area between bottoms and tops, which are heights in 1/1000 of the strip. */
static void put_area(const struct view *v, const char *class)
{
    const int32_t *bottoms = v->bottoms, *tops = v->tops;
    uint32_t steps = v->t->steps;
    fprintf(v->out, "<path class=\"%s\" d=\"M0 %" PRId32, class, 1000 - tops[0]);
    for (uint32_t i = 0; i < steps; i++) {
        if (i + 1 == steps)
            fprintf(v->out, "H%" PRIu32, steps);
        else if (tops[i + 1] != tops[i])
            fprintf(v->out, "H%" PRIu32 "V%" PRId32, i + 1, 1000 - tops[i + 1]);
    }
    fprintf(v->out, "V%" PRId32, 1000 - bottoms[steps - 1]);
    for (uint32_t i = steps; i-- > 0;) {
        if (i == 0)
            fputs("H0Z\"/>", v->out);
        else if (bottoms[i - 1] != bottoms[i])
            fprintf(v->out, "H%" PRIu32 "V%" PRId32, i, 1000 - bottoms[i - 1]);
    }
}

static int32_t per_mille(double part, double whole)
{
    double share = whole > 0 ? 1000 * part / whole : 0;
    return (int32_t)(share < 1000 ? share + 0.5 : 1000);
}

static void clear_bottoms(const struct view *v)
{
    memset(v->bottoms, 0, v->t->steps * sizeof *v->bottoms);
}

/* Who holds the buffer: queues on each other, those without a colour of their own on top. */
static void put_stack(const struct view *v)
{
    char name[128], class[16];
    const struct timeline *t = v->t;
    snprintf(name, sizeof name, "<strong>Held</strong><small>full height: all %.4g&#160;%s</small>",
             (double)t->buffer_cells * v->scale, v->unit);
    begin_strip(v, "stack", name, 1000);
    clear_bottoms(v);
    for (uint32_t i = 0; i < v->row_count && i <= STACKED_MAX; i++) {
        for (uint32_t step = 0; step < t->steps; step++) {
            int64_t below = 0;
            for (uint32_t j = 0; j < (i < STACKED_MAX ? i + 1 : v->row_count); j++)
                below += v->rows[j].cells[step].held;
            v->tops[step] = per_mille((double)below, (double)t->buffer_cells);
        }
        snprintf(class, sizeof class, "f%" PRIu32, row_colour(i));
        put_area(v, class);
        memcpy(v->bottoms, v->tops, t->steps * sizeof *v->tops);
    }
    end_strip(v);
}

/* How many packets met a fate in each step. */
static void put_fate(const struct view *v, uint32_t fate)
{
    char name[128];
    uint64_t most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t step = 0; step < v->t->steps; step++) {
            uint64_t count = 0;
            for (uint32_t i = 0; i < v->row_count; i++)
                count += v->rows[i].cells[step].packets[fate];
            most = pass == 0 && count > most ? count : most;
            int32_t height = per_mille((double)count, (double)most);
            v->tops[step] = count > 0 && height < 80 ? 80 : height; /* a single packet is seen */
        }
    snprintf(name, sizeof name, "<strong>%s</strong><small>%" PRIu64 ", up to %" PRIu64 " in a step</small>",
             fates[fate].title, v->packets[fate], most);
    begin_strip(v, "lane", name, 1000);
    clear_bottoms(v);
    put_area(v, fates[fate].key);
    end_strip(v);
}

static void put_paused_inputs(const struct view *v)
{
    const struct timeline *t = v->t;
    for (uint32_t i = 0; v->input_paused_ps > 0 && i < t->inputs; i++) {
        char name[192];
        weir_ps sum = 0;
        for (uint32_t step = 0; step < t->steps; step++) {
            weir_ps paused = t->input_paused[(size_t)step * t->inputs + i];
            v->tops[step] = per_mille((double)paused, (double)t->step_ps);
            sum += paused;
        }
        if (sum == 0)
            continue;
        snprintf(name, sizeof name, "<strong>input %" PRIu32 " pauses</strong><small>its sender, for %.3g %s</small>",
                 i, (double)sum / v->time_scale, v->time_unit);
        begin_strip(v, "lane", name, 1000);
        clear_bottoms(v);
        put_area(v, "paused");
        end_strip(v);
    }
}

static void put_queue(const struct view *v, uint32_t i, int64_t most)
{
    char name[NAME_MAX_BYTES], text[400], class[16];
    const struct row *row = &v->rows[i];
    int used = snprintf(text, sizeof text,
                        "<strong><svg class=\"swatch\" viewBox=\"0 0 1 1\" aria-hidden=\"true\">"
                        "<rect class=\"f%" PRIu32 "\" width=\"1\" height=\"1\"/></svg>%s</strong><small>",
                        row_colour(i), row_name(v, i, name));
    const char *between = "";
    for (uint32_t f = TIMELINE_REFUSED; f <= TIMELINE_DROPPED; f++)
        if (row->packets[f] > 0) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRIu64 " %s", between, row->packets[f],
                             f == TIMELINE_DROPPED ? "dropped" : fates[f].name);
            between = ", ";
        }
    snprintf(text + used, sizeof text - (size_t)used, "%s%s</small>", row->paused_ps > 0 ? between : "",
             row->paused_ps > 0 ? "paused by its peer" : "");
    begin_strip(v, "queue", text, 1000);
    for (uint32_t step = 0; step < v->t->steps; step++)
        v->tops[step] = per_mille(row->cells[step].held, (double)most);
    clear_bottoms(v);
    snprintf(class, sizeof class, "f%" PRIu32, row_colour(i));
    put_area(v, class);
    /* What is drawn on top of a queue: its limit, and when it lost packets or was paused. */
    bool line = false;
    for (uint32_t step = 0; step < v->t->steps; step++)
        if (row->cells[step].limit != TIMELINE_NO_LIMIT) {
            int32_t y = 1000 - per_mille((double)row->cells[step].limit, (double)most);
            fprintf(v->out, line ? "V%" PRId32 "H%" PRIu32 : "<path class=\"limit\" d=\"M0 %" PRId32 "H%" PRIu32, y,
                    step + 1);
            line = true;
        }
    fputs(line ? "\"/>" : "", v->out);
    for (uint32_t step = 0; step < v->t->steps; step++) {
        const struct timeline_cell *cell = &row->cells[step];
        if (row->queues == 1 && cell->paused_ps > 0)
            fprintf(v->out, "<path class=\"paused\" d=\"M%" PRIu32 " 900h1v100h-1Z\"/>", step);
        for (uint32_t f = TIMELINE_REFUSED; f <= TIMELINE_DROPPED; f++)
            if (cell->packets[f] > 0)
                fprintf(v->out, "<path class=\"%s\" d=\"M%" PRIu32 " %uh1v120h-1Z\"/>", fates[f].key, step,
                        130 * (f - TIMELINE_REFUSED));
    }
    end_strip(v);
}

static void put_queues(const struct view *v)
{
    int64_t most = 1;
    for (uint32_t i = 0; i < v->row_count; i++)
        for (uint32_t step = 0; step < v->t->steps; step++)
            most = v->rows[i].cells[step].held > most ? v->rows[i].cells[step].held : most;
    fputs("<h3>Queues</h3>\n<p>Those that hold most come first; full height is ", v->out);
    put_held(v, (double)most);
    fprintf(v->out,
            "&#160;%s in each.%s Marks at the top are packets that were lost, one row of marks each: refused, "
            "pushed out, expelled, dropped.%s</p>\n",
            v->unit, v->t->limits ? " The line is the limit that the policy set." : "",
            v->paused_ps > 0 ? " Marks at the bottom: its peer paused it." : "");
    for (uint32_t i = 0; i < v->row_count; i++)
        put_queue(v, i, most);
}

static void put_table(const struct view *v)
{
    char name[NAME_MAX_BYTES], text[64];
    fprintf(v->out,
            "<section id=\"moment\" aria-labelledby=\"moment-title\">\n<h2 id=\"moment-title\">Step at <span "
            "id=\"moment-time\">%s</span> %s</h2>\n<p>What each queue held at the fullest moment of the step, and its "
            "packets in the whole step.</p>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">Queue</th>"
            "<th scope=\"col\" data-of=\"held\">Held (%s)</th>",
            time_text(v, v->fullest, text), v->time_unit, v->unit);
    if (v->t->limits)
        fprintf(v->out, "<th scope=\"col\" data-of=\"limit\">Limit (%s)</th>", v->unit);
    for (uint32_t f = 0; f < TIMELINE_FATES; f++)
        if (v->packets[f] > 0)
            fprintf(v->out, "<th scope=\"col\" data-of=\"%s\">%s</th>", fates[f].key, fates[f].title);
    fputs("</tr></thead>\n<tbody>\n", v->out);
    for (uint32_t i = 0; i < v->row_count; i++) {
        const struct timeline_cell *cell = &v->rows[i].cells[v->fullest];
        fprintf(v->out, "<tr><th scope=\"row\">%s</th><td>", row_name(v, i, name));
        put_held(v, cell->held);
        fputs(v->t->limits ? "</td><td>" : "", v->out);
        if (v->t->limits && cell->limit == TIMELINE_NO_LIMIT)
            fputs("&#8211;", v->out);
        else if (v->t->limits)
            put_held(v, cell->limit);
        for (uint32_t f = 0; f < TIMELINE_FATES; f++)
            if (v->packets[f] > 0)
                fprintf(v->out, "</td><td>%" PRIu32, cell->packets[f]);
        fputs("</td></tr>\n", v->out);
    }
    fputs("</tbody></table></div>\n</section>\n", v->out);
}

static void put_lead(const struct view *v, const struct timeline_page *page)
{
    char text[64];
    const struct replay_report *r = page->replay;
    fputs("<header>\n<button type=\"button\" id=\"theme\" hidden>Dark</button>\n", v->out);
    page_put_element("h1", page->title, v->out);
    fputs(
        "<p class=\"lead\">The buffer of one switch over time: who holds it, and who is refused, pushed out, expelled "
        "or paused.</p>\n</header>\n<main id=\"main\">\n<section class=\"what\" aria-labelledby=\"what-title\">\n<h2 "
        "id=\"what-title\">What was recorded</h2>\n<dl>\n<dt>Policy</dt><dd>",
        v->out);
    escape_markup(r->egress, v->out);
    if (r->ingress != NULL) {
        fputs("</dd>\n<dt>Headroom</dt><dd>", v->out);
        escape_markup(r->ingress, v->out);
    }
    fprintf(v->out, "</dd>\n<dt>Switch</dt><dd>%" PRIu32 " ports, %" PRIu32 " class%s, buffer %.4g %s</dd>\n", r->ports,
            r->classes, r->classes == 1 ? "" : "es", (double)r->buffer_cells * v->scale, v->unit);
    fprintf(v->out, "<dt>Time</dt><dd>%" PRIu32 " steps of %.3g %s</dd>\n", v->t->steps,
            (double)v->t->step_ps / v->time_scale, v->time_unit);
    fputs("<dt>Fullest</dt><dd>", v->out);
    put_held(v, (double)v->t->used[v->fullest]);
    fprintf(v->out, " %s, %.3g %% of the buffer, at %s %s</dd>\n", v->unit,
            100.0 * (double)v->t->used[v->fullest] / (double)v->t->buffer_cells, time_text(v, v->fullest, text),
            v->time_unit);
    for (uint32_t f = 0; f < TIMELINE_FATES; f++)
        if (v->packets[f] > 0) {
            scale_text((double)v->packets[f], text);
            fprintf(v->out, "<dt>%s</dt><dd>%s packets</dd>\n", fates[f].title, text);
        }
    fputs("</dl>\n</section>\n", v->out);
}

/* What the script needs beyond the markup: numbers, and names that are our own. */
static void put_numbers(const struct view *v, const char *key, const struct row *row, int fate)
{
    fprintf(v->out, ",\"%s\":[", key);
    for (uint32_t step = 0; step < v->t->steps; step++) {
        const struct timeline_cell *cell = &row->cells[step];
        int64_t number = fate == -2 ? cell->held : fate == -1 ? cell->limit : (int64_t)cell->packets[fate];
        fprintf(v->out, "%s%" PRId64, step > 0 ? "," : "", number);
    }
    fputc(']', v->out);
}

static void put_data(const struct view *v)
{
    char text[64], name[NAME_MAX_BYTES];
    fprintf(v->out,
            "<script type=\"application/json\" id=\"timeline-data\">{\"unit\":\"%s\",\"scale\":%.9g,\"digits\":%d,"
            "\"buffer\":%" PRId64 ",\"timeUnit\":\"%s\",\"times\":[",
            v->unit, v->scale, v->held_digits, (int64_t)v->t->buffer_cells,
            strcmp(v->time_unit, "&#181;s") == 0 ? "\\u00b5s" : v->time_unit);
    for (uint32_t step = 0; step < v->t->steps; step++)
        fprintf(v->out, "%s\"%s\"", step > 0 ? "," : "", time_text(v, step, text));
    fputs("],\"used\":[", v->out);
    for (uint32_t step = 0; step < v->t->steps; step++)
        fprintf(v->out, "%s%" PRId64, step > 0 ? "," : "", (int64_t)v->t->used[step]);
    fputs("],\"paused\":[", v->out);
    for (uint32_t step = 0; step < v->t->steps; step++) {
        uint32_t inputs = 0;
        for (uint32_t i = 0; i < v->t->inputs; i++)
            inputs += v->t->input_paused[(size_t)step * v->t->inputs + i] > 0;
        fprintf(v->out, "%s%" PRIu32, step > 0 ? "," : "", inputs);
    }
    fputs("],\"queues\":[", v->out);
    for (uint32_t i = 0; i < v->row_count; i++) {
        fprintf(v->out, "%s{\"name\":\"%s\"", i > 0 ? ",\n" : "", row_name(v, i, name));
        put_numbers(v, "held", &v->rows[i], -2);
        if (v->t->limits)
            put_numbers(v, "limit", &v->rows[i], -1);
        for (uint32_t f = 0; f < TIMELINE_FATES; f++)
            if (v->packets[f] > 0)
                put_numbers(v, fates[f].key, &v->rows[i], (int)f);
        fputc('}', v->out);
    }
    fputs("]}</script>\n", v->out);
}

bool timeline_page_put(const struct timeline_page *page, FILE *out)
{
    struct view v = {.t = page->timeline, .out = out};
    const struct timeline *t = v.t;
    view_units(&v);
    for (uint32_t step = 0; step < t->steps; step++) {
        v.fullest = t->used[step] > t->used[v.fullest] ? step : v.fullest;
        for (uint32_t i = 0; i < t->inputs; i++)
            v.input_paused_ps += t->input_paused[(size_t)step * t->inputs + i];
    }
    v.bottoms = calloc(2 * (size_t)t->steps, sizeof *v.bottoms);
    v.tops = v.bottoms + t->steps;
    bool whole = v.bottoms != NULL && view_rows(&v);
    if (whole) {
        page_put_head(page->title, out);
        put_lead(&v, page);
        fputs("<section aria-labelledby=\"buffer-title\">\n<h2 id=\"buffer-title\">The buffer</h2>\n<div "
              "class=\"timeline\" id=\"timeline\">\n",
              out);
        uint64_t lost = 0;
        for (uint32_t f = TIMELINE_REFUSED; f <= TIMELINE_DROPPED; f++)
            lost += v.packets[f];
        fprintf(
            v.out,
            "<div class=\"row scrub live-only\"><div class=\"name\"><label for=\"step\">Move through time</label></div>"
            "<div><input type=\"range\" id=\"step\" min=\"0\" max=\"%" PRIu32 "\" value=\"%" PRIu32 "\">"
            "<p><output id=\"now\" for=\"step\"></output></p><p class=\"jumps\">%s<button type=\"button\" "
            "id=\"fullest\">Fullest moment</button></p></div></div>\n",
            v.t->steps - 1, v.fullest,
            lost > 0 ? "<button type=\"button\" id=\"earlier\">Earlier loss</button><button type=\"button\" "
                       "id=\"later\">Later loss</button>"
                     : "");
        put_stack(&v);
        for (uint32_t f = TIMELINE_REFUSED; f <= TIMELINE_DROPPED; f++)
            if (v.packets[f] > 0)
                put_fate(&v, f);
        put_paused_inputs(&v);
        char text[64];
        fputs("<div class=\"row time\"><div class=\"name\">Time</div><div class=\"strip\">", v.out);
        for (uint32_t i = 0; i < 4; i++)
            fprintf(v.out, "<span>%s&#160;%s</span>", time_text(&v, (uint32_t)((uint64_t)v.t->steps * i / 3), text),
                    v.time_unit);
        fputs("</div></div>\n", v.out);
        put_queues(&v);
        fputs("</div>\n</section>\n", out);
        put_table(&v);
        fputs("</main>\n", out);
        page_put_foot(page->version, out);
        put_data(&v);
        page_put_script(out);
    }
    free(v.rows);
    free(v.cells);
    free(v.bottoms);
    return whole;
}
