// RUN: tinyml-opt %s -p 'spend-flash{target=cortex-m4 flash=100000}' | filecheck %s
// RUN: tinyml-opt %s -p 'spend-flash{target=cortex-m4 flash=100000},select-kernels{target=cortex-m4}' | tinyml-opt | filecheck %s --check-prefix=SELECTED
// RUN: tinyml-opt %s -p 'spend-flash{target=cortex-m4 flash=9000}' | tinyml-opt | filecheck %s --check-prefix=LITTLE
// RUN: tinyml-opt %s -p 'spend-flash{target=cortex-m4 flash=9000},pack-constants{target=cortex-m4 packed=always},select-kernels{target=cortex-m4}' | filecheck %s --check-prefix=CALLED
// RUN: tinyml-opt %s -p 'spend-flash{target=cortex-m4}' | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'spend-flash{target=cortex-m4 flash=500}' | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'spend-flash{target=cortex-m4 flash=100000 ram=100}' | filecheck %s --check-prefix=SHALLOW
// RUN: tinyml-opt %s -p 'spend-flash{target=riscv flash=100000}' | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'spend-flash{flash=100000}' | filecheck %s --check-prefix=NONE
// RUN: not tinyml-opt %s -p 'spend-flash{target=toaster flash=100000}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tinyml-opt %s -p 'spend-flash{target=cortex-m4 flash=much}' 2>&1 | filecheck %s --check-prefix=NUMBER

// UNKNOWN: unknown target 'toaster'
// NUMBER: spend-flash

// Windows one pixel apart: twice the start, the sums and differences of three weights, and the first and the last of
// them, halfwords of elements 0 and 2 before those of elements 1 and 3. Windows of the second tile lie two pixels apart;
// sums of the third may not fit twice, and lie where lesser ones give other bytes.
func.func @tiles(%x: memref<24x!zeroskew.q<8, 1.0, 0>>, %y: memref<4x!zeroskew.q<8, 4.0, -3>>, %far: memref<36x!zeroskew.q<8, 1.0, 0>>, %z: memref<4x!zeroskew.q<8, 16646976.0, -3>>) {
  %w = scratch.constant dense<[1, 2, 3, 4, 10, 20, 30, 40, 5, 6, 7, 8]> : tensor<12xi8> -> memref<12x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %s = scratch.constant dense<9> : tensor<1xi32> -> memref<1x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %big = scratch.constant dense<1073730000> : tensor<1xi32> -> memref<1x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %at4 = arith.constant 0 : index
  %y4 = scratch.slice %y[%at4] : memref<4x!zeroskew.q<8, 4.0, -3>> to memref<4x1x!zeroskew.q<8, 4.0, -3>>
  %w4 = scratch.slice %w[%at4] : memref<12x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<1x12x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 4, 1 by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 4, count = 4, zero = -3> {
    %n = memref.load %s[%row] : memref<1x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w4, %x {spacing = array<i64: 1, 0, 4>} : !zeroskew.acc<32, 1.0>, memref<1x12x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<24x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %result, %y4[%window, %row] : memref<4x1x!zeroskew.q<8, 4.0, -3>>
  }
  %at5 = arith.constant 0 : index
  %y5 = scratch.slice %y[%at5] : memref<4x!zeroskew.q<8, 4.0, -3>> to memref<4x1x!zeroskew.q<8, 4.0, -3>>
  %w5 = scratch.slice %w[%at5] : memref<12x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<1x12x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 4, 1 by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 8, count = 4, zero = -3> {
    %n = memref.load %s[%row] : memref<1x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w5, %far {spacing = array<i64: 1, 0, 8>} : !zeroskew.acc<32, 1.0>, memref<1x12x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<36x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %result, %y5[%window, %row] : memref<4x1x!zeroskew.q<8, 4.0, -3>>
  }
  %at6 = arith.constant 0 : index
  %y6 = scratch.slice %z[%at6] : memref<4x!zeroskew.q<8, 16646976.0, -3>> to memref<4x1x!zeroskew.q<8, 16646976.0, -3>>
  %w6 = scratch.slice %w[%at6] : memref<12x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<1x12x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 4, 1 by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 4, count = 4, zero = -3> {
    %n = memref.load %big[%row] : memref<1x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w6, %x {spacing = array<i64: 1, 0, 4>} : !zeroskew.acc<32, 1.0>, memref<1x12x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<24x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 16646976.0, -3>
    memref.store %result, %y6[%window, %row] : memref<4x1x!zeroskew.q<8, 16646976.0, -3>>
  }
  func.return
}

// Two lines of windows of three by three pixels: squares, or each line by itself where that is all that flash allows.
func.func @lines(%x: memref<384x!zeroskew.q<8, 1.0, 0>>, %y: memref<64x!zeroskew.q<8, 4.0, -3>>) {
  %w = scratch.constant dense<3> : tensor<1152xi8> -> memref<1152x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %s = scratch.constant dense<9> : tensor<8xi32> -> memref<8x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %at7 = arith.constant 0 : index
  %y7 = scratch.slice %y[%at7] : memref<64x!zeroskew.q<8, 4.0, -3>> to memref<2x4x8x!zeroskew.q<8, 4.0, -3>>
  %w7 = scratch.slice %w[%at7] : memref<1152x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<8x144x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %line, %window, %row to 2, 4, 8 by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 8, runs = 3, length = 48, pitch = 96, step = 16, count = 4, zero = -3> {
    %n = memref.load %s[%row] : memref<8x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w7, %x {spacing = array<i64: 3, 96, 16>} : !zeroskew.acc<32, 1.0>, memref<8x144x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<384x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %result, %y7[%line, %window, %row] : memref<2x4x8x!zeroskew.q<8, 4.0, -3>>
  }
  func.return
}
// CHECK-LABEL: func.func @tiles
// CHECK: num.contract {{.*}} to 4, 1 by #num.tile_kernel<"tm_cm_winograd_1d_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 4, count = 4, zero = -3> {
// CHECK: num.contract {{.*}} to 4, 1 by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 8, count = 4, zero = -3> {
// CHECK: num.products {{%.*}}, {{%.*}}, %far
// CHECK: num.contract {{.*}} to 4, 1 by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 4, count = 4, zero = -3> {
// CHECK: num.products {{%.*}}, {{%.*}}, %x
// CHECK-LABEL: func.func @lines
// CHECK: num.contract {{.*}} to 2, 4, 8 by #num.tile_kernel<"tm_cm_winograd_2d_s8", rows = 8, runs = 3, length = 48, pitch = 96, step = 16, count = 4, zero = -3, lines = 2> {
// SELECTED-LABEL: func.func @tiles
// SELECTED: [[stream:%.*]] = scratch.constant dense<[18, 0, 0, 0, 16, 0, 40, 0, 28, 0, 52, 0, -4, -1, -20, -1, -12, -1, -28, -1, 1, 0, 3, 0, 2, 0, 4, 0, 0, 0, 0, -128, 0, 0, 0, 0, 5, 0, 7, 0, 6, 0, 8, 0, 0, 0, 0, -128, 0, 0, 0, 0]> : tensor<52xi8>
// SELECTED: num.call #num.tiles<48>({{%.*}}, [[stream]], %x) by #num.tile_kernel<"tm_cm_winograd_1d_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 4, count = 4, zero = -3>
// SELECTED: num.call #num.tiles<{{.*}}>({{.*}}) by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 8, count = 4, zero = -3>
// SELECTED: num.call #num.tiles<{{.*}}>({{.*}}) by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 4, count = 4, zero = -3>
// SELECTED-LABEL: func.func @lines
// SELECTED: num.call #num.tiles<9216>({{%.*}}, {{%.*}}, %x) by #num.tile_kernel<"tm_cm_winograd_2d_s8", rows = 8, runs = 3, length = 48, pitch = 96, step = 16, count = 4, zero = -3, lines = 2>
// LITTLE-LABEL: func.func @lines
// LITTLE: num.contract {{.*}} to 2, 4, 8 by #num.tile_kernel<"tm_cm_winograd_1d_s8", rows = 8, runs = 3, length = 48, pitch = 96, step = 16, count = 4, zero = -3> {
// CALLED-LABEL: func.func @lines
// CALLED: [[stream:%.*]] = scratch.constant {{.*}} : tensor<3184xi8>
// CALLED-COUNT-2: num.call #num.tiles<{{.*}}>({{%.*}}, [[stream]], {{%.*}}) by #num.tile_kernel<"tm_cm_winograd_1d_s8", rows = 8, runs = 3, length = 48, pitch = 96, step = 16, count = 4, zero = -3>
// NONE-NOT: winograd
// NONE-COUNT-3: num.contract {{.*}} to 4, 1 by #num.tile_kernel<"tm_cm_dot_tile_s8",
// NONE-NOT: winograd
// What exceeds the RAM anyway gets no kernel that takes more stack than the deepest one.
// SHALLOW: num.contract {{.*}} by #num.tile_kernel<"tm_cm_winograd_1d_s8", rows = 1, runs = 1, length = 12, pitch = 0, step = 4, count = 4, zero = -3> {
// SHALLOW-LABEL: func.func @lines
// SHALLOW-NOT: winograd
