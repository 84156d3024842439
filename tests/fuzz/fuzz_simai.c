/*
 * fuzz_simai.c - any bytes at all as a workload text: a job that can be run, or a complaint with its line.
 */
#include <stdlib.h>

#include "sim/jobs/simai.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct collective_choice choice = {.usual = {.chunks = 1}};
    const struct simai_setup setup = {.ranks = 8, .room = 8, .choice = &choice};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct simai_about about;
    struct goal goal;
    size_t image_size;
    simai_is((const char *)data, size);
    unsigned char *image = simai_to_goal((const char *)data, size, &setup, &image_size, &about, &error);
    if (!image && error.code == WEIR_ERROR_NONE)
        abort();
    if (image && !goal_open(&goal, image, image_size, NULL, &error))
        abort();
    if (image)
        goal_close(&goal);
    free(image);
    return 0;
}
