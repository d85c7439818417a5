#!/bin/sh
# Compiles the modules of JAX by IREE: to linalg on tensors, and two of them for a Cortex-M4.
# Arguments: iree-compile, and the folder of the object files.
set -e
compile=$1
folder=$2
cd "$(dirname "$0")/../../.."
chip="--iree-hal-target-backends=llvm-cpu --iree-llvmcpu-target-triple=thumbv7em-none-eabi
    --iree-llvmcpu-target-float-abi=hard --iree-llvmcpu-target-cpu-features=+fp16,+vfp4d16sp
    --iree-llvmcpu-disable-distribution"
for name in mlp cnn rnn gru; do
    module=tests/models/mlir/$name-jax.mlir
    "$compile" --iree-input-type=stablehlo --compile-to=input --mlir-print-op-generic "$module" \
        -o "tests/models/mlir/$name-iree.mlir"
done
for name in mlp cnn; do
    module=tests/models/mlir/$name-jax.mlir
    "$compile" --iree-input-type=stablehlo $chip --compile-to=stream "$module" -o "$folder/$name.stream"
    "$compile" --iree-input-type=stablehlo $chip --iree-llvmcpu-link-embedded=false --iree-llvmcpu-link-static \
        --iree-llvmcpu-static-library-output-path="$folder/$name.o" --iree-llvmcpu-debug-symbols=false "$module" \
        -o "$folder/$name.vmfb"
done
