/*
 * conformance.c - `conformance send FOLDER SEED [lossless]` writes frames to send; `conformance settled FOLDER` tells
 * by the counters whether all of them have come to their end; `conformance check FOLDER` judges the captures, the trace
 * and the counters of the run, and prints what it counted; `conformance doubt FOLDER` tries the judge on wrong
 * captures.
 */
#include "conformance.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FINDINGS_SHOWN 10u

enum { EXIT_WRONG = 1, EXIT_USAGE = 2 };

void find(struct findings *findings, const char *format, ...)
{
    char text[CAPTURE_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (findings->wanted)
        findings->seen |= strstr(text, findings->wanted) != NULL;
    else if (findings->count < FINDINGS_SHOWN)
        printf("%s\n", text);
    findings->count++;
}

static bool run_read_capture(struct capture *capture, const char *folder, const char *name)
{
    char path[PATH_ROOM];
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    bool good = capture_read(capture, path, &error);
    if (!good)
        fprintf(stderr, "%s\n", error.text);
    return good;
}

bool run_read(struct run *run, const char *folder, struct findings *findings)
{
    char path[PATH_ROOM];
    bool good = run_read_capture(&run->drops, folder, "drops.pcapng");
    for (uint32_t port = 0; port < PORTS; port++) {
        char in[16], out[16];
        snprintf(in, sizeof in, "in%u.pcap", port);
        snprintf(out, sizeof out, "out%u.pcap", port);
        good = run_read_capture(&run->in[port], folder, in) && good;
        good = run_read_capture(&run->out[port], folder, out) && good;
    }
    snprintf(path, sizeof path, "%s/run.trace", folder);
    return good && story_read(run, path, findings);
}

void run_free(struct run *run)
{
    for (uint32_t port = 0; port < PORTS; port++) {
        capture_free(&run->in[port]);
        capture_free(&run->out[port]);
    }
    capture_free(&run->drops);
    story_free(&run->story);
}

static void run_print(const struct run *run)
{
    uint64_t in = 0, out = 0, controls = 0;
    for (uint32_t port = 0; port < PORTS; port++) {
        in += run->in[port].count;
        out += run->out[port].count;
        for (uint32_t i = 0; i < run->out[port].count; i++)
            controls += frame_is_control(&run->out[port].frame[i]);
    }
    printf("in=%" PRIu64 " arrivals=%u out=%" PRIu64 " pauses_sent=%" PRIu64 " pauses_heard=%u marked=%u", in,
           run->story.passages, out - controls, controls, run->story.pauses_heard, run->story.marked);
    for (uint32_t cause = 0; cause < WEIR_CAUSE_COUNT; cause++)
        printf(" %s=%u", weir_cause_name((enum weir_cause)cause), run->story.lost_by[cause]);
    printf("\n");
}

static int conformance_settled(const char *folder)
{
    char path[PATH_ROOM], name[16];
    uint64_t frames = 0;
    bool good = true;
    for (uint32_t port = 0; port < PORTS; port++) {
        struct capture in = {.count = 0};
        snprintf(name, sizeof name, "in%u.pcap", port);
        good = run_read_capture(&in, folder, name) && good;
        frames += in.count;
        capture_free(&in);
    }
    snprintf(path, sizeof path, "%s/counters.json", folder);
    return good && counters_are_settled(path, frames) ? EXIT_SUCCESS : EXIT_WRONG;
}

static int conformance_check(const char *folder, bool doubt)
{
    char path[PATH_ROOM];
    struct findings findings = {.count = 0};
    struct run run = {.drops = {.count = 0}};
    bool wrong = !run_read(&run, folder, &findings);
    if (!wrong && doubt) {
        wrong = doubt_captures(&run) > 0;
    } else if (!wrong) {
        compare_captures(&run, &findings);
        snprintf(path, sizeof path, "%s/counters.json", folder);
        compare_counters(&run, path, &findings);
        run_print(&run);
    }
    if (findings.count > FINDINGS_SHOWN)
        printf("and %u more\n", findings.count - FINDINGS_SHOWN);
    run_free(&run);
    return wrong || findings.count > 0 ? EXIT_WRONG : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc >= 4 && argc <= 5 && strcmp(argv[1], "send") == 0) {
        bool lossless = argc == 5 && strcmp(argv[4], "lossless") == 0;
        return traffic_write(argv[2], strtoull(argv[3], NULL, 10), lossless) ? EXIT_SUCCESS : EXIT_WRONG;
    }
    if (argc == 3 && strcmp(argv[1], "settled") == 0)
        return conformance_settled(argv[2]);
    if (argc == 3 && (strcmp(argv[1], "check") == 0 || strcmp(argv[1], "doubt") == 0))
        return conformance_check(argv[2], argv[1][0] == 'd');
    fprintf(stderr, "usage: conformance send FOLDER SEED [lossless] | settled FOLDER | check FOLDER | doubt FOLDER\n");
    return EXIT_USAGE;
}
