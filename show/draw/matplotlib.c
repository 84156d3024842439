/*
 * matplotlib.c - a chart as a Python script with its data inside, which runs as it is where matplotlib is installed and
 * writes NAME.pdf. Texts are literals of Python with everything but plain ASCII escaped.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "show/draw/escape.h"
#include "show/draw/palette.h"
#include "show/draw/scale.h"

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

static void put_list(const char *name, const double *numbers, uint32_t count, FILE *out)
{
    fprintf(out, ", %s=[", name);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", out);
        if (isfinite(numbers[i]))
            fprintf(out, "%.9g", numbers[i]);
        else
            fputs("nan", out);
    }
    fputc(']', out);
}

static bool put_line(const struct chart *chart, const struct chart_line *line, FILE *out)
{
    static const char marks[CHART_COLOURS + 1] = "os^Dvx+d";
    static const char *const dashes[CHART_PATTERNS] = {"-", "--", ":", "-."};
    fputs("    dict(label=", out);
    bool whole = put_text(line->label, out);
    put_list("x", line->x, line->count, out);
    put_list("y", line->y, line->count, out);
    if (line->low != NULL) {
        put_list("low", line->low, line->count, out);
        put_list("high", line->high, line->count, out);
    }
    fprintf(out, ", color=\"%s\", dash=\"%s\", alpha=%.2f", palette_light[line->colour], dashes[line->pattern],
            chart->kind == CHART_BARS ? fmax(palette_fills[line->pattern], 0.1) : 1.0);
    if (line->markers)
        fprintf(out, ", marker=\"%c\"", marks[line->colour]);
    fprintf(out, "%s),\n", line->steps ? ", steps=True" : "");
    return whole;
}

static bool put_names(const struct chart *chart, FILE *out)
{
    bool whole = true;
    fputs("names = ", out);
    if (chart->x_labels == NULL) {
        fputs("None\n", out);
        return true;
    }
    fputs("[", out);
    for (uint32_t i = 0; i < chart->x_label_count; i++) {
        fputs(i > 0 ? ", " : "", out);
        whole &= put_text(chart->x_labels[i], out);
    }
    fputs("]\ncolors = ", out);
    if (chart->x_colours == NULL)
        fputs("None\n", out);
    for (uint32_t i = 0; chart->x_colours != NULL && i < chart->x_label_count; i++)
        fprintf(out, "%s\"%s\"%s", i > 0 ? ", " : "[", palette_light[chart->x_colours[i]],
                i + 1 == chart->x_label_count ? "]\n" : "");
    return whole;
}

static const char bars[] =
    "for n, line in enumerate(lines):\n"
    "    width = 0.8 / len(lines)\n"
    "    xs = [x - 0.4 + (n + 0.5) * width for x in line[\"x\"]]\n"
    "    ax.bar(xs, line[\"y\"], 0.92 * width, color=colors or line[\"color\"], alpha=line[\"alpha\"], "
    "label=line[\"label\"])\n"
    "    if \"low\" in line:\n"
    "        ax.vlines(xs, line[\"low\"], line[\"high\"], color=\"black\", lw=0.8)\n";

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

static const char heat[] = "cells = [line[\"y\"] for line in lines]\n"
                           "image = ax.imshow(cells, aspect=\"auto\", cmap=\"Blues\")\n"
                           "fig.colorbar(image, ax=ax)\n"
                           "for r, row in enumerate(cells):\n"
                           "    for c, value in enumerate(row):\n"
                           "        if value == value:\n"
                           "            ax.text(c, r, f\"{value:.3g}\", ha=\"center\", va=\"center\", "
                           "color=\"white\" if image.norm(value) > 0.6 else \"black\")\n"
                           "ax.set_yticks(range(len(lines)), [line[\"label\"] for line in lines])\n";

/* Those of our own drawing, with its texts. */
static bool put_ticks(char axis, uint32_t (*of)(const struct chart *chart, double *ticks), const struct chart *chart,
                      FILE *out)
{
    double ticks[SCALE_TICKS_MAX];
    uint32_t count = of(chart, ticks);
    bool whole = true;
    fprintf(out, "ax.set_%cticks([", axis);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%.9g", i > 0 ? ", " : "", ticks[i]);
    fputs("], [", out);
    for (uint32_t i = 0; i < count; i++) {
        char text[SCALE_TEXT_MAX];
        scale_text(ticks[i], text);
        fputs(i > 0 ? ", " : "", out);
        whole &= put_text(text, out);
    }
    fputs("])\n", out);
    return whole;
}

static bool put_axes(const struct chart *chart, FILE *out)
{
    bool whole = true;
    struct scale x = scale_room(chart, scale_of_x(chart)), y = scale_of_y(chart);
    if (x.log)
        fputs("ax.set_xscale(\"log\")\n", out);
    if (y.log && chart->kind != CHART_HEAT)
        fputs("ax.set_yscale(\"log\")\n", out);
    if (chart->kind != CHART_HEAT)
        whole &= put_ticks('y', scale_y_ticks, chart, out);
    if (chart->x_labels == NULL)
        whole &= put_ticks('x', scale_x_ticks, chart, out);
    fputs("ax.minorticks_off()\n", out);
    if (chart->kind != CHART_HEAT)
        fprintf(out,
                "ax.set_xlim(%.9g, %.9g)\nax.set_ylim(%.9g, %.9g)\nax.grid(color=\"#dddddd\", lw=0.5)\n"
                "ax.set_axisbelow(True)\n",
                x.min, x.max, y.min, y.max);
    if (chart->x_labels != NULL)
        fputs("ax.set_xticks(range(len(names)), names, rotation=30 if len(names) > 6 else 0)\n", out);
    return whole;
}

/* Where our own drawing has it; below is a row or more of names under the axis. */
static void put_legend(const struct chart *chart, FILE *out)
{
    static const char *const corners[FIGURE_LEGENDS] = {[FIGURE_LEGEND_RIGHT] =
                                                            "\"upper left\", bbox_to_anchor=(1.02, 1)",
                                                        [FIGURE_LEGEND_TOP_LEFT] = "\"upper left\"",
                                                        [FIGURE_LEGEND_TOP_RIGHT] = "\"upper right\"",
                                                        [FIGURE_LEGEND_BOTTOM_LEFT] = "\"lower left\"",
                                                        [FIGURE_LEGEND_BOTTOM_RIGHT] = "\"lower right\""};
    if (chart->line_count < 2 || chart->kind == CHART_HEAT || chart->legend == FIGURE_LEGEND_NONE)
        return;
    if (chart->legend == FIGURE_LEGEND_BELOW)
        fprintf(out,
                "from matplotlib.transforms import ScaledTranslation\n"
                "down = ScaledTranslation(0, -%s * plt.rcParams[\"font.size\"] / 72, fig.dpi_scale_trans)\n"
                "ax.legend(loc=\"upper center\", bbox_to_anchor=(0.5, 0), bbox_transform=ax.transAxes + down, ncol=%u, "
                "frameon=False, fontsize=\"small\")\n",
                chart->x_label_count > 6 ? "6" : "3.2", chart->line_count < 4 ? chart->line_count : 4);
    else
        fprintf(out, "ax.legend(loc=%s, frameon=False, fontsize=\"small\")\n", corners[chart->legend]);
}

bool report_matplotlib(const struct chart *chart, const struct report_style *style, const char *name, FILE *out)
{
    double height = style->height_px > 0 ? style->height_px : 0.63 * style->width_px;
    fputs("#!/usr/bin/env python3\n# Written by weir report: a chart with its data. Needs matplotlib.\n"
          "import matplotlib\nmatplotlib.use(\"Agg\")\nimport matplotlib.pyplot as plt\n\nnan = float(\"nan\")\n"
          "plt.rcParams.update({\"pdf.fonttype\": 42, ",
          out);
    fprintf(out, "\"font.size\": %.4g})\nlines = [\n", style->font_px * 0.75);
    bool whole = true;
    for (uint32_t l = 0; l < chart->line_count; l++)
        whole &= put_line(chart, &chart->lines[l], out);
    fputs("]\n", out);
    whole &= put_names(chart, out);
    fprintf(out, "\nfig, ax = plt.subplots(figsize=(%.4g, %.4g), constrained_layout=True)\n", style->width_px / 96,
            height / 96);
    fputs(chart->kind == CHART_HEAT ? heat : chart->kind == CHART_BARS ? bars : curves, out);
    whole &= put_axes(chart, out);
    fputs("ax.set_xlabel(", out);
    whole &= put_text(chart->x_title, out);
    fputs(")\nax.set_ylabel(", out);
    whole &= put_text(chart->kind == CHART_HEAT ? "" : chart->y_title, out);
    fputs(")\n", out);
    if (!style->no_title) {
        fputs("ax.set_title(", out);
        whole &= put_text(chart->title, out);
        fputs(")\n", out);
    }
    put_legend(chart, out);
    fprintf(out, "fig.savefig(\"%s.pdf\")\n", name);
    return whole;
}
