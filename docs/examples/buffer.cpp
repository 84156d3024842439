// buffer.cpp - a shared buffer of 10,000 bytes under every policy that needs no oracle, in C++.
//
//   c++ buffer.cpp $(pkg-config --cflags --libs weir) -o buffer
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <weir/mmu.h>
#include <weir/version.h>

struct Freed {
    void operator()(void *memory) const { std::free(memory); }
};

static unsigned accepted(const weir_policy *policy)
{
    weir_mmu_config config;
    weir_error error;
    weir_mmu_config_init(&config, 4, 1, 10000); // ports, classes, cells of a byte
    config.egress = policy;
    if (!weir_mmu_config_check(&config, &error)) {
        std::fprintf(stderr, "%s: %s\n", policy->name, error.text);
        std::exit(1);
    }
    std::unique_ptr<void, Freed> memory(std::aligned_alloc(64, weir_mmu_size(&config)));
    weir_mmu *mmu = weir_mmu_init(memory.get(), &config);
    unsigned count = 0;
    for (unsigned i = 0; i < 200; i++) {
        weir_packet packet = {i, {2}, {0}, {0}, 100, 0, 0, nullptr};
        count += weir_mmu_arrive(mmu, &packet, 0)->accepted;
    }
    return count;
}

int main()
{
    std::printf("weir %s\n", weir_version());
    for (uint32_t i = 0; i < weir_policy_count; i++)
        if (!(weir_policies[i]->needs & (WEIR_NEED_INGRESS | WEIR_NEED_ORACLE)))
            std::printf("%s: %u of 200\n", weir_policies[i]->name, accepted(weir_policies[i]));
}
