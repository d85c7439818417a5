// RUN: tinyml-opt %s -p spread-maps --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p spread-maps,fuse-elementwise,spread-maps --split-input-file | filecheck %s --check-prefix=AGAIN

// Each step is an op on tensors, of the shape of what it reads, with its name; the last one has the name of the map.
func.func @chain(%x: tensor<2x3xf32>, %w: tensor<3xf32>) -> tensor<2x3xf32> {
  %y = tdsl.map %x, %w : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32> {
  ^bb0(%a: f32, %b: f32):
    %e = num.exp %b : f32 -> f32
    %p = num.mul %a, %e : f32, f32 -> f32
    %one = num.constant {value = 1.0 : f64} -> f32
    %s = num.sub %p, %one : f32, f32 -> f32
    %l = num.leaky_relu %s {slope = 0.5 : f64} : f32 -> f32
    tdsl.yield %l : f32
  }
  func.return %y : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @chain(%x: tensor<2x3xf32>, %w: tensor<3xf32>) -> tensor<2x3xf32> {
// CHECK-NEXT: %e = tdsl.exp %w : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: %p = tdsl.mul %x, %e : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %one = tdsl.const dense<1.000000e+00> : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %s = tdsl.sub %p, %one : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT: %y = tdsl.leaky_relu %s {slope = 5.000000e-01 : f64} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: func.return %y : tensor<2x3xf32>
// AGAIN: %p = tdsl.mul %x, %e : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// AGAIN-NEXT: %s = tdsl.sub %p, %one
// AGAIN-NEXT: %y = tdsl.leaky_relu %s

// -----

// Limits are the op that has them: relu, relu6, clip, and a maximum for one limit other than 0.
func.func @limits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tdsl.map %x : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %r = num.clamp %a {low = 0.0 : f64} : f32 -> f32
    %s = num.clamp %r {low = 0.0 : f64, high = 6.0 : f64} : f32 -> f32
    %c = num.clamp %s {low = 0.0 : f64, high = 5.0 : f64} : f32 -> f32
    %m = num.clamp %c {low = 0.5 : f64} : f32 -> f32
    tdsl.yield %m : f32
  }
  func.return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func @limits(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %r = tdsl.relu %x : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %s = tdsl.relu6 %r : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %c = tdsl.clip %s {low = 0.000000e+00 : f64, high = 5.000000e+00 : f64} : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: [[v0:%.*]] = tdsl.const dense<5.000000e-01> : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %y = tdsl.maximum %c, [[v0]] : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return %y : tensor<4xf32>

// -----

// In number formats each tensor has the format to which its step rounds, and a conversion is a cast.
func.func @formats(%x: tensor<2x!fixed.q<8, 4>>, %w: tensor<2x!fixed.q<8, 6>>) -> tensor<2x!fixed.q<16, 8>> {
  %y = tdsl.map %x, %w : tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 6>> -> tensor<2x!fixed.q<16, 8>> {
  ^bb0(%a: !fixed.q<8, 4>, %b: !fixed.q<8, 6>):
    %p = num.mul %a, %b : !fixed.q<8, 4>, !fixed.q<8, 6> -> !fixed.q<16, 10>
    %c = num.convert %p : !fixed.q<16, 10> -> !fixed.q<16, 8>
    tdsl.yield %c : !fixed.q<16, 8>
  }
  func.return %y : tensor<2x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @formats(%x: tensor<2x!fixed.q<8, 4>>, %w: tensor<2x!fixed.q<8, 6>>) -> tensor<2x!fixed.q<16, 8>> {
// CHECK-NEXT: %p = tdsl.mul %x, %w : tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 6>> -> tensor<2x!fixed.q<16, 10>>
// CHECK-NEXT: %y = tdsl.cast %p : tensor<2x!fixed.q<16, 10>> -> tensor<2x!fixed.q<16, 8>>
// CHECK-NEXT: func.return %y : tensor<2x!fixed.q<16, 8>>

// -----

// A map that yields what it takes is that.
func.func @nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = tdsl.map %x : tensor<2xf32> -> tensor<2xf32> {
  ^bb0(%a: f32):
    tdsl.yield %a : f32
  }
  func.return %y : tensor<2xf32>
}
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: func.return %x : tensor<2xf32>

// -----

// A map that gives what it reads: the step before keeps its name.
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = tdsl.tanh %x : tensor<4xf32> -> tensor<4xf32>
  %y = tdsl.map %t : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    tdsl.yield %a : f32
  }
  func.return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func @same
// CHECK-NEXT: %t = tdsl.tanh %x : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: func.return %t
