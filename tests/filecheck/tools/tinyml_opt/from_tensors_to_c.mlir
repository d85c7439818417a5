// From tensors of reals to C through a search of widths, an exact cover and the dialect `c`. C is that of the module's
// own target; another target is refused, whose kernels the module does not call.
// RUN: tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "profile{data=%S/../../transforms/Inputs/linear.npz},search-demote{data=%S/../../transforms/Inputs/linear.npz metric=error loss=0.1},refine-formats,formats-to-buffers{packer=exact-cover target=uno},buffers-to-loops{target=uno},loops-to-bits,bits-to-c" -t c | filecheck %s --check-prefix=UNO
// RUN: tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "profile{data=%S/../../transforms/Inputs/linear.npz},search-demote{data=%S/../../transforms/Inputs/linear.npz metric=error loss=0.1},refine-formats,formats-to-buffers{packer=exact-cover target=cortex-m4},buffers-to-loops{target=cortex-m4},loops-to-bits,bits-to-c" -t c | filecheck %s --check-prefix=CORTEX
// RUN: tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "profile{data=%S/../../transforms/Inputs/linear.npz},search-demote{data=%S/../../transforms/Inputs/linear.npz metric=error loss=0.1},refine-formats,formats-to-buffers{packer=exact-cover}" | filecheck %s --check-prefix=PACKED
// RUN: not tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno},buffers-to-loops{target=uno},loops-to-bits,bits-to-c" -t c{target=cortex-m4} 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: not tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno},buffers-to-loops{target=uno},loops-to-bits,bits-to-c{target=cortex-m4}" 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: not tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{packer=tightest}" 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno},buffers-to-loops,loops-to-bits,bits-to-c" -t c | filecheck %s --check-prefix=ONCE
// RUN: tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno},buffers-to-loops,loops-to-bits,bits-to-c" -t c --mlir-timing 2>/dev/null | filecheck %s --check-prefix=ONCE
// RUN: tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno},buffers-to-upstream" | filecheck %s --check-prefix=UPSTREAM
// RUN: tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno},buffers-to-upstream" --mlir-timing 2>/dev/null | filecheck %s --check-prefix=UPSTREAM
// RUN: not tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno},buffers-to-loops{target=cortex-m4}" 2>&1 | filecheck %s --check-prefix=LATER
// RUN: not tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno},buffers-to-loops{target=cortex-m4}" --mlir-timing 2>&1 | filecheck %s --check-prefix=LATER
// RUN: not tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno},buffers-to-nests,pack-constants,select-kernels" 2>&1 | filecheck %s --check-prefix=HOST
// RUN: tinyml-opt %S/../../transforms/Inputs/hidden.mlir -p "reals-to-formats{width=8 data=%S/../../transforms/Inputs/linear.npz},formats-to-buffers{target=uno}" --mlir-print-ir-after-all 2>&1 | filecheck %s --check-prefix=DUMP

// UNO: static const int8_t hidden_W1[12] TM_FLASH = {
// UNO: static int8_t hidden_arena[6];
// UNO: tm_limit_i16_i8(tm_dot_s8_s8_s16(hidden_W2, t2, 6, 32), 6, 8);
// CORTEX: static const int8_t hidden_W1[12] __attribute__((__aligned__(4))) = {
// CORTEX: static int8_t hidden_arena[6];
// CORTEX: tm_limit_i16_i8((int16_t)tm_cm_dot_s8_s8_s32(hidden_W2, t2, 6, 32), 6, 8);
// The first target is that of all later pipelines.
// ONCE: tm_limit_i16_i8(tm_dot_s8_s8_s16(hidden_W2, t2, 6, 32), 6, 8);
// UPSTREAM-NOT: tinyml.target
// UPSTREAM: scf.for
// PACKED: scratch.arena {alignment = 1 : i64, lower_bound = 6 : i64, packer = "exact-cover"} : memref<6xi8>
// OTHER: the module is compiled for the target 'uno', not for 'cortex-m4' (tinyml.target)
// LATER: pass 'buffers-to-loops': the module is compiled for the target 'uno', not for 'cortex-m4' (tinyml.target)
// The target belongs to the pipeline that records it.
// DUMP: IR Dump After receive-input
// DUMP-NEXT: builtin.module {
// DUMP: IR Dump After convolve-rows
// DUMP-NEXT: builtin.module attributes {tinyml.target = "uno"} {
// HOST: pass 'select-kernels': the module is compiled for the target 'uno', not for 'host' (tinyml.target)
// UNKNOWN: pass 'formats-to-buffers': unknown packer 'tightest' (one of auto, first-fit, best-fit, shiftry, exact-cover, branch-and-bound, none)
