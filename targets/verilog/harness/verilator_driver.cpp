// Runs inferences on a verilated model. Arguments: samples, elements of an input, cycles that an inference may take, and a
// seed: unless it is 0, the input and the receiver of outputs pause at random. Reads the elements of all inputs and writes,
// for each sample, its outputs, its label and its cycles from start to done, -1 if it took more: integers, one a line.
#include "Vmodel.h"
#include "verilated.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static uint32_t seed;

static bool pauses() {
    if (seed == 0)
        return false;
    seed = seed * 1664525u + 1013904223u;
    return seed >> 30 == 0;
}

static void cycle(Vmodel &model) {
    model.clock = 1;
    model.eval();
    model.clock = 0;
    model.eval();
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    const long samples = atol(argv[1]), inputs = atol(argv[2]), limit = atol(argv[3]);
    seed = (uint32_t)atol(argv[4]);
    Vmodel model;
    model.clock = model.start = model.in_valid = model.out_ready = 0;
    model.reset = 1;
    model.eval();
    cycle(model);
    model.reset = 0;
    std::vector<int> given(inputs);
    for (long sample = 0; sample < samples; sample++) {
        for (int &element : given)
            if (scanf("%d", &element) != 1)
                return 3;
        long taken = 0, cycles = 0;
        model.start = 1;
        model.eval();
        cycle(model);
        model.start = 0;
        for (model.eval(); !model.done && cycles < limit; cycles++) {
            model.in_valid = taken < inputs && !pauses();
            model.in_data = model.in_valid ? given[taken] : 0;
            model.out_ready = !pauses();
            model.eval();
            taken += model.in_valid && model.in_ready;
            if (model.out_valid && model.out_ready)
                printf("%lld\n", (long long)((uint64_t)model.out_data << (64 - OUT_BITS)) >> (64 - OUT_BITS));
            cycle(model);
        }
        printf("%d\n%ld\n", (int)LABEL, model.done ? cycles : -1);
    }
    return 0;
}
