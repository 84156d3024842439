/*
 * fuzz_chakra.c - any bytes at all as a trace of Chakra, the same for two ranks: a job that can be checked, or a
 * complaint.
 */
#include <stdlib.h>

#include "sim/jobs/chakra.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct chakra_file files[2] = {{data, size}, {data, size}};
    const struct collective_choice usual = {.usual = {.chunks = 1}};
    struct weir_error error = {.code = WEIR_ERROR_NONE};
    struct goal goal;
    size_t image_size;
    uint32_t wrong;
    unsigned char *image = chakra_to_goal(files, 2, &usual, &image_size, &wrong, &error);
    if (!image && error.code == WEIR_ERROR_NONE)
        abort();
    if (image && !goal_open(&goal, image, image_size, NULL, &error) && error.code == WEIR_ERROR_NONE)
        abort();
    if (image)
        goal_close(&goal);
    free(image);
    return 0;
}
