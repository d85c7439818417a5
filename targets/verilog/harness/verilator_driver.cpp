// Runs inferences on a verilated model. Arguments: samples, elements of an input, elements of all outputs, cycles that an
// inference may take, and a seed: unless it is 0, the input and the receiver of outputs pause at random.
// Reads elements as int32_t; writes for each sample the label, the cycles from start to done, and the outputs, as int32_t.
// Cycles include those in which the model waits for the input, one element a cycle.
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
    if (argc != 6)
        return 2;
    const long samples = atol(argv[1]), inputs = atol(argv[2]), outputs = atol(argv[3]), limit = atol(argv[4]);
    seed = (uint32_t)atol(argv[5]);
    Vmodel model;
    model.clock = model.start = model.in_valid = model.out_ready = 0;
    model.reset = 1;
    model.eval();
    cycle(model);
    model.reset = 0;
    std::vector<int32_t> given(inputs), record;
    for (long sample = 0; sample < samples; sample++) {
        if (fread(given.data(), 4, inputs, stdin) != (size_t)inputs)
            return 3;
        record.assign(2, 0);
        long taken = 0, cycles = 0;
        model.start = 1;
        model.eval();
        cycle(model);
        model.start = 0;
        for (model.eval(); !model.done; cycles++) {
            if (cycles == limit)
                return 4;
            model.in_valid = taken < inputs && !pauses();
            model.in_data = model.in_valid ? given[taken] : 0;
            model.out_ready = !pauses();
            model.eval();
            taken += model.in_valid && model.in_ready;
            if (model.out_valid && model.out_ready)
                record.push_back((int32_t)((int64_t)((uint64_t)model.out_data << (64 - OUT_BITS)) >> (64 - OUT_BITS)));
            cycle(model);
        }
        if (taken != inputs || (long)record.size() != 2 + outputs)
            return 5;
        record[0] = HAS_LABEL;
        record[1] = (int32_t)cycles;
        fwrite(record.data(), 4, record.size(), stdout);
    }
    return 0;
}
