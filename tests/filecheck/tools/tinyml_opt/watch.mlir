// RUN: tinyml-opt %s -p canonicalize,buffers-to-loops --mlir-print-ir-after-all 2>&1 | filecheck %s --check-prefix=DUMP
// RUN: tinyml-opt %s -p canonicalize,buffers-to-loops --mlir-print-ir-after-change 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: tinyml-opt %s -p canonicalize --mlir-print-ir-after-all --print-debuginfo 2>&1 | filecheck %s --check-prefix=PLACE
// RUN: tinyml-opt %s -p canonicalize --mlir-print-ir-after-all --print-op-generic 2>&1 | filecheck %s --check-prefix=GENERIC
// RUN: tinyml-opt %s -p canonicalize,buffers-to-loops --mlir-timing 2>&1 | filecheck %s --check-prefix=TIME
// RUN: not tinyml-opt %s --verify-each=maybe 2>&1 | filecheck %s --check-prefix=EACH

// Every pass is watched, those of a named pipeline too.
func.func @f(%x: memref<1x2x!fixed.q<8, 7>>) -> memref<1x2x!fixed.q<8, 7>> {
  %y = scratch.alloc : memref<1x2x!fixed.q<8, 7>>
  tdsl.relu %x : memref<1x2x!fixed.q<8, 7>> into %y : memref<1x2x!fixed.q<8, 7>>
  func.return %y : memref<1x2x!fixed.q<8, 7>>
}
// DUMP: // -----// IR Dump After canonicalize //----- //
// DUMP: tdsl.relu
// DUMP: // -----// IR Dump After lower-tdsl-to-loops //----- //
// DUMP: num.nest
// DUMP: // -----// IR Dump After select-kernels //----- //
// canonicalize finds nothing to change.
// CHANGE-NOT: IR Dump After canonicalize
// CHANGE: // -----// IR Dump After lower-tdsl-to-loops //----- //
// CHANGE: num.nest
// PLACE: // -----// IR Dump After canonicalize //----- //
// PLACE: tdsl.relu {{.*}} loc("{{.*}}watch.mlir":
// GENERIC: // -----// IR Dump After canonicalize //----- //
// GENERIC: "tdsl.relu"(
// TIME: {{[0-9.]+}} s  canonicalize
// TIME: {{[0-9.]+}} s  lower-tdsl-to-loops
// TIME: {{[0-9.]+}} s  select-kernels
// EACH: error: argument --verify-each: invalid choice: 'maybe' (choose from
