// RUN: not tinyml-opt %s -p 'select-kernels{target=cortex-m4}' 2>&1 | filecheck %s
// RUN: sed 's/zero = 0/zero = -3/' %s | not tinyml-opt -p 'select-kernels{target=cortex-m0}' 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: sed 's/zero = 0/zero = -3/' %s | tinyml-opt -p 'select-kernels{target=cortex-m4}' | filecheck %s --check-prefix=RIGHT
// RUN: sed 's/by #num.tile_kernel<[^>]*>/by #num.code_kernel<"none", "0">/' %s | not tinyml-opt -p 'select-kernels{target=cortex-m4}' 2>&1 | filecheck %s --check-prefix=CODE
// RUN: sed 's/by #num.tile_kernel<[^>]*> //' %s | tinyml-opt -p 'select-kernels{target=cortex-m4}' | filecheck %s --check-prefix=NO_TILE

func.func @tile(%x: memref<8x!zeroskew.q<8, 1.0, 0>>, %y: memref<2x2x!zeroskew.q<8, 4.0, -3>>) {
  %w = scratch.constant dense<1> : tensor<2x4xi8> -> memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %s = scratch.constant dense<[1, 2]> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 2, 2 by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 1, length = 4, pitch = 0, step = 4, count = 2, zero = 0> {
    %n = memref.load %s[%row] : memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w, %x {spacing = array<i64: 1, 0, 4>} : !zeroskew.acc<32, 1.0>, memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<8x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %result, %y[%window, %row] : memref<2x2x!zeroskew.q<8, 4.0, -3>>
  }
  func.return
}
// CHECK: the kernel of these sums is #num.tile_kernel<"tm_cm_dot_tile_s8", {{.*}} zero = -3>, got #num.tile_kernel<{{.*}} zero = 0>
// OTHER: the target 'cortex-m0' has no kernel #num.tile_kernel<"tm_cm_dot_tile_s8",
// RIGHT: num.call #num.tiles
// CODE: the target 'cortex-m4' has no kernel #num.code_kernel<"none", "0">
// Without a tile there is no other search for one: windows and rows are loops.
// NO_TILE-NOT: num.call #num.tiles
// NO_TILE-COUNT-2: scf.for
// NO_TILE: num.call #num.dot
