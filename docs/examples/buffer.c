/*
 * buffer.c - a shared buffer of 10,000 bytes under Dynamic Threshold, in a program of one's own.
 *
 *   cc buffer.c $(pkg-config --cflags --libs weir) -o buffer
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir/mmu.h>
#include <weir/version.h>

int main(void)
{
    struct weir_mmu_config config;
    struct weir_values values;
    struct weir_error error;
    weir_mmu_config_init(&config, 4, 1, 10000); /* ports, classes, cells of a byte */
    config.egress = weir_policy_find("dt");
    config.egress_values = &values;
    weir_values_init(&values, config.egress);
    if (!weir_values_set(&values, config.egress, "alpha", "0.5", &error) || !weir_mmu_config_check(&config, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    void *memory = aligned_alloc(64, weir_mmu_size(&config));
    struct weir_mmu *mmu = memory != NULL ? weir_mmu_init(memory, &config) : NULL;
    if (mmu == NULL)
        return 1;
    unsigned accepted = 0, sent = 0;
    for (unsigned i = 0; i < 100; i++) { /* 100 packets of 100 B to port 2, one each 10 ns */
        const struct weir_packet packet = {.handle = i, .output = {2}, .bytes = 100};
        accepted += weir_mmu_arrive(mmu, &packet, i * 10000)->accepted;
    }
    while (weir_mmu_depart(mmu, (weir_port){2}, 1000000)->departed)
        sent++;
    printf("weir %s, %s: %u of 100 packets accepted, %u sent\n", weir_version(), config.egress->title, accepted, sent);
    free(memory);
    return 0;
}
