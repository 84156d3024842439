/*
 * line.c - see line.h. How large a line has to be, which is asked once.
 */
#include "switch/dpdk/line.h"

#define LINE_SMALLEST_FRAME 60u /* bytes in memory, without check sequence */
#define LINE_SPARE_FRAMES 1024u /* for polls that are late, and bursts of a sender that is not paced */
#define LINE_PACED_FRAMES 4096u /* what may wait at the sender's end: a queue of a host */
#define LINE_FRAMES_MAX 65536u

uint32_t line_frames(const struct line_settings *settings)
{
    weir_wide bytes = (weir_wide)settings->delay_ps * (weir_wide)settings->rate_bps / (8 * WEIR_PS_PER_S);
    weir_wide frames = bytes / (LINE_SMALLEST_FRAME + settings->gap_bytes) + LINE_SPARE_FRAMES;
    if (settings->paced)
        frames += LINE_PACED_FRAMES;
    return frames < LINE_FRAMES_MAX ? weir_next_power_of_two((uint32_t)frames) : LINE_FRAMES_MAX;
}

size_t line_size(const struct line_settings *settings)
{
    return weir_next_power_of_two(settings->frames) * sizeof(struct line_slot);
}

void line_init(struct line *line, const struct line_settings *settings, void *memory)
{
    *line = (struct line){
        .slot = memory,
        .mask = weir_next_power_of_two(settings->frames) - 1,
        .paced = settings->paced,
        .delay_ps = settings->delay_ps,
    };
    shaper_init(&line->sender, settings->rate_bps, settings->gap_bytes);
}
