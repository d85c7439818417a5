// RUN: tinyml-opt %s -p 'choose-accumulators,receive-input{input=callback},plan-execution{mode=strips extra=47},canonicalize,cse,lower-tdsl-to-scratch,forward-inserts,pack-scratch' | filecheck %s
// RUN: tinyml-opt %s -p 'choose-accumulators,receive-input{input=callback},plan-execution{mode=strips extra=46}' | filecheck %s --check-prefix=LESS

// Ten strips of one row compute 13824 of 30016 products again, 46.1 %. The result overwrites the pixels of the image that
// no later strip needs: both start at address 0. The window of the depthwise convolution contains one channel.
func.func @shrinking(%X: tensor<1x12x12x4x!fixed.q<8, 7>>) -> tensor<1x10x10x4x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<16x1x1x4xi8> -> tensor<16x1x1x4x!fixed.q<8, 7>>
  %G = tdsl.const dense<2> : tensor<16x3x3x1xi8> -> tensor<16x3x3x1x!fixed.q<8, 7>>
  %H = tdsl.const dense<3> : tensor<4x1x1x16xi8> -> tensor<4x1x1x16x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x1x1x4x!fixed.q<8, 7>>, tensor<1x12x12x4x!fixed.q<8, 7>> -> tensor<1x12x12x16x!fixed.q<8, 5>>
  %z = tdsl.conv2d %G, %y {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 16 : i64} : tensor<16x3x3x1x!fixed.q<8, 7>>, tensor<1x12x12x16x!fixed.q<8, 5>> -> tensor<1x10x10x16x!fixed.q<8, 5>>
  %s = tdsl.conv2d %H, %z {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x1x1x16x!fixed.q<8, 7>>, tensor<1x10x10x16x!fixed.q<8, 5>> -> tensor<1x10x10x4x!fixed.q<8, 5>>
  func.return %s : tensor<1x10x10x4x!fixed.q<8, 5>>
}
// CHECK: tinyml.plan = [{first = "y.1", last = "s.3", by = "10 strips of rows, single channels", more_macs = 13824 : i64}]
// CHECK: scratch.arena {{.*}} : memref<745xi8>
// CHECK-DAG: scratch.view %{{.*}}[0 : i64] {{.*}} to memref<1x12x12x4x!fixed.q<8, 7>>
// CHECK-DAG: scratch.view %{{.*}}[0 : i64] {{.*}} to memref<1x10x10x4x!fixed.q<8, 5>>
// CHECK-DAG: scratch.view %{{.*}} to memref<1x3x3x1x!fixed.q<8, 5>>
// LESS: tinyml.plan = [{first = "y.1", last = "s.3", by = "5 strips of rows, single channels", more_macs = 6144 : i64}]
