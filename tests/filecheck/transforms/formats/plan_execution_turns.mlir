// RUN: tinyml-opt %s -p 'plan-execution{mode=herringbone}' | filecheck %s --check-prefix=TURNS
// RUN: tinyml-opt %s -p 'plan-execution{mode=single-transpose}' | filecheck %s --check-prefix=SINGLE
// RUN: tinyml-opt %s -p 'plan-execution{mode=replace}' | filecheck %s --check-prefix=REPLACE
// RUN: tinyml-opt %s -p 'plan-execution{mode=herringbone},tile-windows,lower-tdsl-to-scratch,pack-scratch,check-packing' | filecheck %s --check-prefix=PACKED
// RUN: tinyml-opt %s -p 'plan-execution{mode=herringbone},tile-windows,lower-tdsl-to-scratch,pack-scratch,check-packing,lower-tdsl-to-loops' | filecheck %s --check-prefix=LOOPS

// The bias is finer than the products: the filter takes its scale, and the sum starts from it.
func.func @net(%X: tensor<1x6x6x2x!fixed.u<4, 4>>) -> index attributes {tdsl.interface = #tdsl.interface<input = <reused>>} {
  %F = tdsl.const dense<3> : tensor<5x3x3x2xi8> -> tensor<5x3x3x2x!fixed.q<4, 3>>
  %B = tdsl.const dense<5> : tensor<1x1x1x5xi8> -> tensor<1x1x1x5x!fixed.q<8, 8>>
  %s = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<5x3x3x2x!fixed.q<4, 3>>, tensor<1x6x6x2x!fixed.u<4, 4>> -> tensor<1x4x4x5x!fixed.q<16, 7>>
  %y = tdsl.add %s, %B : tensor<1x4x4x5x!fixed.q<16, 7>>, tensor<1x1x1x5x!fixed.q<8, 8>> -> tensor<1x4x4x5x!fixed.u<4, 2>>
  %v = tdsl.reshape %y : tensor<1x4x4x5x!fixed.u<4, 2>> -> tensor<80x1x!fixed.u<4, 2>>
  %l = tdsl.argmax %v : tensor<80x1x!fixed.u<4, 2>>
  func.return %l : index
}
// TURNS: tinyml.plan = [{first = "s.0", last = "s.0", by = "herringbone"}]
// TURNS: [[F:%.*]] = tdsl.const dense<6> : tensor<5x3x3x2xi8> -> tensor<5x3x3x2x!fixed.q<5, 4>>
// TURNS: %y = tdsl.conv2d [[F]], %X from %B : tensor<1x1x1x5x!fixed.q<8, 8>> {{.*}}turns = array<i64: 1, 1, 1, 1, 1, 1, 1>} : {{.*}} -> tensor<1x4x4x5x!fixed.u<4, 2>>
// SINGLE: turns = array<i64: 3, 4>
// REPLACE: turns = array<i64: 4>
// PACKED: [[X:%.*]] = scratch.view %arena[{{.*}}] {live = [-1 : i64, -1 : i64], input}
// PACKED: scratch.move [[X]] to [[Y:%.*]] : memref
// PACKED: tdsl.conv2d %{{.*}}, [[Y]] from
// LOOPS: %turns = scratch.constant dense<{{.*}}> : tensor<7x10xi16>
// LOOPS: num.products
// LOOPS: scratch.turn %{{.*}}[%{{.*}}] : %{{.*}} x %{{.*}} {pixel = 2 : i64, bits = 8 : i64} : memref<1x6x6x2x!fixed.u<4, 4>>
// LOOPS: scratch.turn %{{.*}}[%{{.*}}] : %{{.*}} x %{{.*}} {pixel = 5 : i64, bits = 8 : i64} : memref<1x4x4x5x!fixed.u<4, 2>>
