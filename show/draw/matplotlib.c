/*
 * matplotlib.c - a picture as a Python script with its data inside, which runs as it is where matplotlib is installed
 * and writes NAME.pdf. Texts are literals of Python with everything but plain ASCII escaped.
 */
#include <math.h>
#include <stdlib.h>

#include "show/draw/escape.h"
#include "show/draw/panels.h"

/* UTF-8 that escape_clean has made valid, as a literal. */
static bool put_text(const char *text, FILE *out)
{
    char *clean = escape_clean(text);
    if (clean == NULL)
        return false;
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)clean; *at != '\0'; at++) {
        uint32_t character = *at;
        uint32_t more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 0;
        if (more > 0)
            character &= 0x3fu >> more;
        for (; more > 0; more--)
            character = character << 6 | (*++at & 0x3fu);
        if (character >= 0x20 && character < 0x7f && character != '"' && character != '\\' && character != '$')
            fputc((int)character, out);
        else
            fprintf(out, character == '$' ? "\\\\$" : "\\U%08x", character);
    }
    fputc('"', out);
    free(clean);
    return true;
}

/* `name`=[...] of one number of each point. */
static void put_list(const char *name, const struct picture_series *series, size_t offset, FILE *out)
{
    fprintf(out, ", %s=[", name);
    for (uint32_t i = 0; i < series->count; i++) {
        double number = *(const double *)((const char *)&series->points[i] + offset);
        fputs(i > 0 ? ", " : "", out);
        if (isfinite(number))
            fprintf(out, "%.9g", number);
        else
            fputs("nan", out);
    }
    fputc(']', out);
}

static bool put_series(const struct picture *picture, const struct picture_series *series, FILE *out)
{
    static const char marks[CHART_COLOURS + 1] = "os^Dvx+d";
    static const char *const dashes[CHART_PATTERNS] = {"-", "--", ":", "-."};
    fputs("    dict(label=", out);
    bool whole = put_text(picture->legend_of_series ? series->label : "_nolegend_", out);
    put_list("x", series, offsetof(struct picture_point, x), out);
    put_list("y", series, offsetof(struct picture_point, y), out);
    if (series->intervals) {
        put_list("low", series, offsetof(struct picture_point, low), out);
        put_list("high", series, offsetof(struct picture_point, high), out);
    }
    fputs(", signs=[", out);
    for (uint32_t i = 0; series->signs && i < series->count; i++) {
        fputs(i > 0 ? ", " : "", out);
        whole &= put_text(series->points[i].sign, out);
    }
    fputs("], colors=[", out);
    for (uint32_t i = 0; picture->kind == CHART_BARS && i < series->count; i++)
        fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", palette_light[series->points[i].colour]);
    fprintf(out, "], color=\"%s\", dash=\"%s\", fill=%.2f", palette_light[series->colour], dashes[series->pattern],
            palette_fills[series->pattern]);
    if (series->markers)
        fprintf(out, ", marker=\"%c\"", marks[series->colour]);
    fprintf(out, "%s),\n", series->steps ? ", steps=True" : "");
    return whole;
}

static bool put_cells(const struct picture *picture, FILE *out)
{
    bool whole = true;
    fputs("cells = [\n", out);
    for (uint32_t i = 0; i < picture->cell_count; i++) {
        const struct picture_cell *cell = &picture->cells[i];
        fprintf(out, "    (%u, %u, \"%s\", \"%s\", ", cell->column, cell->row, cell->ground, cell->ink);
        whole &= put_text(cell->text, out);
        fputs("),\n", out);
    }
    fputs("]\n", out);
    return whole;
}

static const char bars[] =
    "for line in lines:\n"
    "    faces = [(*to_rgb(color), line[\"fill\"]) for color in line[\"colors\"]]\n"
    "    ax.bar(line[\"x\"], line[\"y\"], width, color=faces, edgecolor=line[\"colors\"], lw=0.6, "
    "label=line[\"label\"])\n"
    "    if \"low\" in line:\n"
    "        ax.vlines(line[\"x\"], line[\"low\"], line[\"high\"], color=\"black\", lw=0.8)\n";

static const char curves[] =
    "for line in lines:\n"
    "    style = dict(color=line[\"color\"], ls=line[\"dash\"], marker=line.get(\"marker\"), ms=3, lw=1.2, "
    "label=line[\"label\"])\n"
    "    if line.get(\"steps\"):\n"
    "        ax.step(line[\"x\"], line[\"y\"], where=\"post\", **style)\n"
    "    elif \"low\" in line:\n"
    "        errors = [[y - l for y, l in zip(line[\"y\"], line[\"low\"])], [h - y for y, h in zip(line[\"y\"], "
    "line[\"high\"])]]\n"
    "        ax.errorbar(line[\"x\"], line[\"y\"], yerr=errors, capsize=2, elinewidth=0.8, **style)\n"
    "    else:\n"
    "        ax.plot(line[\"x\"], line[\"y\"], **style)\n";

static const char signs[] = "for line in lines:\n"
                            "    for x, y, sign in zip(line[\"x\"], line[\"y\"], line[\"signs\"]):\n"
                            "        ax.annotate(sign, (x, y), xytext=(2, 2), textcoords=\"offset points\")\n";

static const char heat[] = "for column, row, ground, ink, text in cells:\n"
                           "    ax.add_patch(plt.Rectangle((column - 0.5, row - 0.5), 1, 1, color=ground))\n"
                           "    ax.text(column, row, text, ha=\"center\", va=\"center\", color=ink)\n";

static bool put_ticks(char name, const struct picture_axis *axis, FILE *out)
{
    bool whole = true;
    fprintf(out, "ax.set_%cticks([", name);
    for (uint32_t i = 0; i < axis->tick_count; i++)
        fprintf(out, "%s%.9g", i > 0 ? ", " : "", axis->ticks[i].at);
    fputs("], [", out);
    for (uint32_t i = 0; i < axis->tick_count; i++) {
        fputs(i > 0 ? ", " : "", out);
        whole &= put_text(axis->ticks[i].text, out);
    }
    fprintf(out, "]%s)\n", name == 'x' && axis->places && axis->tick_count > 6 ? ", rotation=30" : "");
    return whole;
}

static bool put_axes(const struct picture *picture, FILE *out)
{
    const struct scale *x = &picture->x.scale, *y = &picture->y.scale;
    bool heat_map = picture->kind == CHART_HEAT;
    if (x->log)
        fputs("ax.set_xscale(\"log\")\n", out);
    if (y->log && !heat_map)
        fputs("ax.set_yscale(\"log\")\n", out);
    bool whole = put_ticks('x', &picture->x, out) && put_ticks('y', &picture->y, out);
    fprintf(out, "ax.minorticks_off()\nax.set_xlim(%.9g, %.9g)\n", x->min, x->max);
    if (heat_map) /* rows from the top down */
        fprintf(out, "ax.set_ylim(%.1f, -0.5)\n", picture->y.tick_count - 0.5);
    else
        fprintf(out, "ax.set_ylim(%.9g, %.9g)\nax.grid(color=\"#dddddd\", lw=0.5)\nax.set_axisbelow(True)\n", y->min,
                y->max);
    return whole;
}

/* Along a side of this length, smaller where it would be cut. */
static bool put_title(const char *name, const char *text, double room, const struct report_style *style, FILE *out)
{
    fprintf(out, "ax.set_%s(", name);
    bool whole = put_text(text, out);
    fprintf(out, ", fontsize=%.3g)\n", 0.75 * picture_letters(text, style->font_px, room));
    return whole;
}

/* Where our own drawing has it; below is a row or more of names under the axis. */
static bool put_legend(const struct picture *picture, const struct report_style *style, FILE *out)
{
    static const char *const places[FIGURE_LEGENDS] = {[FIGURE_LEGEND_RIGHT] =
                                                           "\"upper left\", bbox_to_anchor=(1.02, 1)",
                                                       [FIGURE_LEGEND_TOP_LEFT] = "\"upper left\"",
                                                       [FIGURE_LEGEND_TOP_RIGHT] = "\"upper right\"",
                                                       [FIGURE_LEGEND_BOTTOM_LEFT] = "\"lower left\"",
                                                       [FIGURE_LEGEND_BOTTOM_RIGHT] = "\"lower right\""};
    uint32_t columns = picture_legend_columns(picture, style);
    bool whole = true;
    for (uint32_t i = 0; i < picture->legend_count; i++)
        if (picture->legend[i].series == NULL) {
            /* Legends have containers behind lines: a sign is one too, so that it comes last. */
            fputs("ax.errorbar([], [], ls=\"none\", color=\"" PICTURE_INK "\", marker=\"$\" + ", out);
            whole &= put_text(picture->legend[i].sign, out);
            fputs(" + \"$\", label=", out);
            whole &= put_text(picture->legend[i].label, out);
            fputs(")\n", out);
        }
    if (picture->legend_count == 0)
        return whole;
    if (picture->legend_at == FIGURE_LEGEND_BELOW)
        fprintf(out,
                "from matplotlib.transforms import ScaledTranslation\n"
                "down = ScaledTranslation(0, -%s * plt.rcParams[\"font.size\"] / 72, fig.dpi_scale_trans)\n"
                "ax.legend(loc=\"upper center\", bbox_to_anchor=(0.5, 0), bbox_transform=ax.transAxes + down, ncol=%u, "
                "frameon=False, fontsize=\"small\")\n",
                picture->x.places && picture->x.tick_count > 6 ? "6" : "3.2",
                columns < picture->legend_count ? columns : picture->legend_count);
    else
        fprintf(out, "ax.legend(loc=%s, frameon=False, fontsize=\"small\")\n", places[picture->legend_at]);
    return whole;
}

/* One chart into the axes `ax`. */
static bool put_chart(const struct chart *chart, const struct report_style *style, FILE *out)
{
    struct picture drawn, *picture = &drawn;
    double height = picture_height(style);
    bool whole = picture_make(picture, chart, style);
    fputs("lines = [\n", out);
    for (uint32_t i = 0; whole && i < picture->series_count; i++)
        whole &= put_series(picture, &picture->series[i], out);
    fputs("]\n", out);
    if (whole && picture->kind == CHART_HEAT)
        whole &= put_cells(picture, out);
    if (whole) {
        fprintf(out, "width = %.6g\n", picture->bar_width);
        fputs(picture->kind == CHART_HEAT ? heat : picture->kind == CHART_BARS ? bars : curves, out);
        fputs(signs, out);
        whole &= put_axes(picture, out);
        whole &= put_title("xlabel", picture->x.title, 0.8 * style->width_px, style, out);
        whole &= put_title("ylabel", picture->y.title, 0.75 * height, style, out);
        if (!style->no_title)
            whole &= put_title("title", picture->title, 0.85 * style->width_px, style, out);
        whole &= put_legend(picture, style, out);
    }
    picture_free(picture);
    return whole;
}

bool report_matplotlib(const struct chart *chart, const struct report_style *style, const char *name, FILE *out)
{
    const struct report_style own = panels_style(style);
    const uint32_t columns = panels_columns(style), rows = panels_rows(style);
    char title[PANELS_TITLE_MAX];
    bool whole = true;
    fputs("#!/usr/bin/env python3\n# Written by weir report: a chart with its data. Needs matplotlib.\n"
          "import matplotlib\nmatplotlib.use(\"Agg\")\nimport matplotlib.pyplot as plt\n"
          "from matplotlib.colors import to_rgb\n\nnan = float(\"nan\")\nplt.rcParams.update({\"pdf.fonttype\": 42, ",
          out);
    fprintf(out,
            "\"font.size\": %.4g})\nfig, panels = plt.subplots(%u, %u, figsize=(%.4g, %.4g), constrained_layout=True, "
            "squeeze=False)\n",
            style->font_px * 0.75, rows, columns, style->width_px / 96, picture_height(&own) * rows / 96);
    for (uint32_t i = 0; whole && i < panels_count(style); i++) {
        const struct chart panel = panels_chart(chart, style, i, title);
        fprintf(out, "\nax = panels[%u][%u]\n", i / columns, i % columns);
        whole = put_chart(&panel, &own, out);
    }
    for (uint32_t i = panels_count(style); i < rows * columns; i++)
        fprintf(out, "panels[%u][%u].axis(\"off\")\n", i / columns, i % columns);
    fprintf(out, "fig.savefig(\"%s.pdf\")\n", name);
    return whole;
}
