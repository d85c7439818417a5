// RUN: tinyml-opt %s -p 'receive-input{input=callback}' | filecheck %s
// RUN: tinyml-opt %s -p receive-input | filecheck %s --check-prefix=MEMORY
// RUN: tinyml-opt %s -p 'receive-input{input=serial},receive-input{input=callback},tile-segment{first=X.0 last=y.2 by=rows}' | filecheck %s --check-prefix=ROWS
// RUN: tinyml-opt %s -p 'receive-input{input=serial},pack-input,tile-segment{first=X.0 last=y.2 by=rows},tile-windows,lower-tdsl-to-scratch,forward-inserts,pack-buffers,unpack-buffers,pack-scratch,check-packing,lower-tdsl-to-loops,canonicalize' | filecheck %s --check-prefix=LOOPS
// RUN: tinyml-opt %s -p 'receive-input{input=serial},lower-tdsl-to-scratch,pack-scratch,lower-tdsl-to-loops' | filecheck %s --check-prefix=WHOLE
// RUN: tinyml-opt %s -p 'receive-input{input=serial},pack-input,tile-segment{first=X.0 last=y.2 by=rows},tile-windows,lower-tdsl-to-scratch,forward-inserts,pack-buffers,pack-scratch,lower-tdsl-to-loops,select-kernels,expand-nests,lower-num-to-exact,lower-exact-to-arith,canonicalize,lower-arith-to-c' -t 'c{file=header}' | filecheck %s --check-prefix=HEADER
// RUN: not tinyml-opt %s -p 'receive-input{input=serial stride=2}' 2>&1 | filecheck %s --check-prefix=STRIDE
// RUN: not tinyml-opt %s -p 'receive-input{input=camera}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tinyml-opt %s -p 'reuse-input,receive-input{input=serial}' 2>&1 | filecheck %s --check-prefix=REUSED

func.func @net(%X: tensor<48x1x!fixed.u<4, 4>>) -> tensor<1x4x4x2x!fixed.u<4, 2>> {
  %F = tdsl.const dense<3> : tensor<2x3x3x1xi8> -> tensor<2x3x3x1x!fixed.q<4, 3>>
  %G = tdsl.const dense<1> : tensor<2x1x1x2xi8> -> tensor<2x1x1x2x!fixed.q<4, 3>>
  %I = tdsl.reshape %X : tensor<48x1x!fixed.u<4, 4>> -> tensor<1x6x8x1x!fixed.u<4, 4>>
  %s = tdsl.conv2d %F, %I {strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x1x!fixed.q<4, 3>>, tensor<1x6x8x1x!fixed.u<4, 4>> -> tensor<1x4x3x2x!fixed.u<4, 2>>
  %p = tdsl.pad %s {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 0>} : tensor<1x4x3x2x!fixed.u<4, 2>> -> tensor<1x4x4x2x!fixed.u<4, 2>>
  %y = tdsl.conv2d %G, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x2x!fixed.q<4, 3>>, tensor<1x4x4x2x!fixed.u<4, 2>> -> tensor<1x4x4x2x!fixed.u<4, 2>>
  func.return %y : tensor<1x4x4x2x!fixed.u<4, 2>>
}
// CHECK-LABEL: func.func @net(%X: tensor<48x1x!fixed.u<4, 4>>) -> tensor<1x4x4x2x!fixed.u<4, 2>> attributes {tdsl.interface = #tdsl.interface<input = <received = 8>>} {
// CHECK-NEXT: %F = tdsl.const dense<3> : tensor<2x3x3x1xi8> -> tensor<2x3x3x1x!fixed.q<4, 3>>
// CHECK-NEXT: %G = tdsl.const dense<1> : tensor<2x1x1x2xi8> -> tensor<2x1x1x2x!fixed.q<4, 3>>
// CHECK-NEXT: %I = tdsl.reshape %X : tensor<48x1x!fixed.u<4, 4>> -> tensor<1x6x8x1x!fixed.u<4, 4>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.receive %I{{\[}}[[v0]]] : tensor<1x6x8x1x!fixed.u<4, 4>> -> tensor<1x6x8x1x!fixed.u<4, 4>>
// CHECK-NEXT: %s = tdsl.conv2d %F, [[vX_1]] {strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x1x!fixed.q<4, 3>>, tensor<1x6x8x1x!fixed.u<4, 4>> -> tensor<1x4x3x2x!fixed.u<4, 2>>
// CHECK-NEXT: %p = tdsl.pad %s {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 0>} : tensor<1x4x3x2x!fixed.u<4, 2>> -> tensor<1x4x4x2x!fixed.u<4, 2>>
// CHECK-NEXT: %y = tdsl.conv2d %G, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x2x!fixed.q<4, 3>>, tensor<1x4x4x2x!fixed.u<4, 2>> -> tensor<1x4x4x2x!fixed.u<4, 2>>
// CHECK-NEXT: func.return %y : tensor<1x4x4x2x!fixed.u<4, 2>>

// MEMORY-NOT: receive

// Of the 6 rows 3 are kept.
// ROWS: tensor.empty() : tensor<1x3x8x1x!fixed.u<4, 4>>
// ROWS: tdsl.receive %{{.*}}[%{{.*}}] : tensor<1x6x8x1x!fixed.u<4, 4>> -> tensor<1x1x8x1x!fixed.u<4, 4>>
// ROWS-NOT: tdsl.receive

// Rows have whole bytes, so that they arrive packed, where they stay.
// LOOPS: scratch.receive %X[%{{.*}}] to %{{.*}} : memref<48x1x!fixed.u<4, 4>, #scratch.packed_ram<4, 8>> to memref<1x1x8x1x!fixed.u<4, 4>, #scratch.packed_ram<4, 8>>

// WHOLE: scratch.view %arena[{{.*}}] {{.*}} to memref<1x6x8x1x!fixed.u<4, 4>>
// WHOLE: scf.for
// WHOLE: scratch.receive %X[%{{.*}}] to %{{.*}} : memref<48x1x!fixed.u<4, 4>> to memref<1x1x8x1x!fixed.u<4, 4>>

// HEADER: #define net_ROW_LENGTH 4
// HEADER: net_predict(void);
// HEADER: void net_row(int8_t *to, uint16_t row);

// STRIDE: --stride is for programs that stream, with --input push
// UNKNOWN: unknown input 'camera' (one of memory, serial, callback, push)
// REUSED: an input from serial arrives row by row: --reuse-input is for one in memory
