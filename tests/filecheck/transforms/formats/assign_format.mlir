// RUN: tinyml-opt %s -p "assign-format{width=8}" --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "assign-format{format=f32}" --split-input-file | filecheck %s --check-prefix=F32
// RUN: tinyml-opt %s -p "assign-format{width=16}" --split-input-file | filecheck %s --check-prefix=SIXTEEN
// RUN: tinyml-opt %s -p "assign-format{width=8 functions=seedot}" --split-input-file | filecheck %s --check-prefix=SEEDOT
// RUN: not tinyml-opt %s -p "assign-format{width=8 widths=X:16,W:4}" --split-input-file 2>&1 | filecheck %s --check-prefix=MIXED
// RUN: not tinyml-opt %s -p "assign-format{width=8 widths=X:16,W:4}" --split-input-file 2>&1 | filecheck %s --check-prefix=NAMES
// RUN: not tinyml-opt %s -p "assign-format{functions=nonsense}" --split-input-file 2>&1 | filecheck %s --check-prefix=SCHEME
// RUN: not tinyml-opt %s -p "assign-format{format=nonsense}" --split-input-file 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tinyml-opt %s -p "assign-format{width=33}" --split-input-file 2>&1 | filecheck %s --check-prefix=WIDTH
// RUN: not tinyml-opt %s -p "assign-format{format=f32 width=16}" --split-input-file 2>&1 | filecheck %s --check-prefix=FIXEDSIZE

// SCHEME: pass 'assign-format': format 'fixed' has no scheme 'nonsense' for functions (one of seedot, shiftry, math)
// NAMES-LABEL: func.func @scales(
// NAMES: pass 'assign-format': expected TENSOR:BITS with one of the tensors X, e, got 'W:4'
// UNKNOWN: pass 'assign-format': unknown number format 'nonsense'
// WIDTH: pass 'assign-format': fixed point has widths from 2 to 32, got 33
// FIXEDSIZE: pass 'assign-format': f32 is 32 bits wide, got width 16

// Greatest magnitudes 3 (declared, above the measured 2), 1 (which saturates by one unit), 6: 2, 0 and 3 bits before the
// point.
func.func @scales(%X: tensor<2x1xf32> {tdsl.profile = #tdsl.profile<-2.0, 2.0, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> (index, tensor<2x1xf32>) attributes {tdsl.interface = #tdsl.interface<input = <range = [-3.0, 3.0]>>} {
  %W = tdsl.const dense<[[1.0, 0.5], [-0.25, 0.0]]> : tensor<2x2xf32> {tdsl.profile = [#tdsl.profile<-0.25, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x2xf32>
  %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-6.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %l = tdsl.argmax %p : tensor<2x1xf32>
  func.return %l, %p : index, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @scales(%X: tensor<2x1x!fixed.q<8, 5>> {{.*}} -> (index, tensor<2x1x!fixed.q<8, 4>>)
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}127, 64], [-32, 0]]> : tensor<2x2xi8> {{.*}} -> tensor<2x2x!fixed.q<8, 7>>
// CHECK-NEXT: %p = tdsl.matmul {{.*}} -> tensor<2x1x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.argmax %p : tensor<2x1x!fixed.q<8, 4>>
// MIXED-LABEL: func.func @scales(%X: tensor<2x1x!fixed.q<16, 13>> {{.*}} -> (index, tensor<2x1x!fixed.q<8, 4>>)
// MIXED-NEXT: %W = tdsl.const dense<{{\[\[}}7, 4], [-2, 0]]> : tensor<2x2xi8> {{.*}} -> tensor<2x2x!fixed.q<4, 3>>
// MIXED-NEXT: %p = tdsl.matmul {{.*}} -> tensor<2x1x!fixed.q<8, 4>>
// F32-LABEL: func.func @scales(%X: tensor<2x1xf32>
// F32: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 5.000000e-01], [-2.500000e-01, 0.000000e+00]]>

// -----

// Tensors that share bits share a format, that of the widest range: what a loop carries, what an op only moves.
func.func @shared(%X: tensor<2x1xf32> {tdsl.profile = #tdsl.profile<-1.5, 1.5, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X) -> (tensor<2x1xf32>) {
    %b = tdsl.add %a, %a {tdsl.profile = [#tdsl.profile<-12.0, 12.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %b : tensor<2x1xf32>
  } {tdsl.profile = [#tdsl.profile<-12.0, 12.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]}
  %r = tdsl.reshape %s : tensor<2x1xf32> -> tensor<2xf32>
  %e = tdsl.exp %r {tdsl.profile = [#tdsl.profile<0.0, 0.75, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2xf32> -> tensor<2xf32>
  func.return %e : tensor<2xf32>
}
// CHECK-LABEL: func.func @shared(%X: tensor<2x1x!fixed.q<8, 3>>
// CHECK: scf.for {{.*}} -> (tensor<2x1x!fixed.q<8, 3>>)
// CHECK: tdsl.reshape {{.*}} -> tensor<2x!fixed.q<8, 3>>
// CHECK-NEXT: tdsl.exp {{.*}} -> tensor<2x!fixed.q<8, 7>>
// SEEDOT: tdsl.exp {{.*}}, scheme = "seedot"} : tensor<2x!fixed.q<8, 3>> -> tensor<2x!fixed.q<8, 7>>

// -----

// Four products of full 16-bit numbers do not fit in 32 bits, with one bit less in the constant they are proven to.
func.func @spare(%X: tensor<4x1xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[0.9, -0.9, 0.9, 0.9]]> : tensor<1x4xf32> {tdsl.profile = [#tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<1x4xf32>
  %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-3.0, 3.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  func.return %p : tensor<1x1xf32>
}
// SIXTEEN-LABEL: func.func @spare(%X: tensor<4x1x!fixed.q<16, 15>>
// SIXTEEN-NEXT: %W = tdsl.const dense<{{.*}}> : tensor<1x4xi16> {{.*}} -> tensor<1x4x!fixed.q<15, 14>>

// -----

// The four products of a window are as many.
func.func @spare_window(%X: tensor<1x2x2x1xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1x1x1xf32> {
  %F = tdsl.const dense<[[[[0.9], [-0.9]], [[0.9], [0.9]]]]> : tensor<1x2x2x1xf32> {tdsl.profile = [#tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<1x2x2x1xf32>
  %p = tdsl.conv2d %F, %X {tdsl.profile = [#tdsl.profile<-3.0, 3.0, [0.0, 0.0, 0.0, 0.0, 0.0]>], strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x1x1x1xf32>
  func.return %p : tensor<1x1x1x1xf32>
}
// SIXTEEN-LABEL: func.func @spare_window(%X: tensor<1x2x2x1x!fixed.q<16, 15>>
// SIXTEEN-NEXT: %F = tdsl.const dense<{{.*}}> : tensor<1x2x2x1xi16> {{.*}} -> tensor<1x2x2x1x!fixed.q<15, 14>>

// -----

// What only tanh reads needs no scale for 30, where tanh has long been 1; a reader of another kind needs it.
func.func @arguments(%X: tensor<2xf32> {tdsl.profile = #tdsl.profile<-30.0, 30.0, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = tdsl.add %X, %X {tdsl.profile = [#tdsl.profile<-60.0, 60.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %t = tdsl.tanh %a {tdsl.profile = [#tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2xf32> -> tensor<2xf32>
  %e = tdsl.sigmoid %X {tdsl.profile = [#tdsl.profile<0.0, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2xf32> -> tensor<2xf32>
  func.return %t, %e : tensor<2xf32>, tensor<2xf32>
}
// CHECK-LABEL: func.func @arguments(%X: tensor<2x!fixed.q<8, 2>>
// CHECK: tdsl.add {{.*}} -> tensor<2x!fixed.q<8, 5>>
// SIXTEEN-LABEL: func.func @arguments(%X: tensor<2x!fixed.q<16, 10>>
// SIXTEEN: tdsl.add {{.*}} -> tensor<2x!fixed.q<16, 12>>

// -----

// Single numbers are held in registers. The square is wide, and so is the factor that nothing but it is multiplied by;
// the argument of exp is as precise as the result, which is multiplied by a vector and stays narrow.
func.func @scalars(%X: tensor<1x4xf32> {tdsl.profile = #tdsl.profile<-4.5, 4.5, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x4xf32> {
  %g = tdsl.const dense<-0.3> : tensor<f32> {tdsl.profile = [#tdsl.profile<-0.3, -0.3, [-0.3, -0.3, -0.3, -0.3, -0.3]>]} -> tensor<f32>
  %Y = tdsl.reshape %X {tdsl.profile = [#tdsl.profile<-4.5, 4.5, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x4xf32> -> tensor<4x1xf32>
  %d = tdsl.matmul %X, %Y {tdsl.profile = [#tdsl.profile<1.0, 80.0, [1.0, 1.0, 30.0, 70.0, 80.0]>]} : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  %m = tdsl.mul %g, %d {tdsl.profile = [#tdsl.profile<-24.0, -0.3, [-24.0, -20.0, -9.0, -0.4, -0.3]>]} : tensor<f32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %e = tdsl.exp %m {tdsl.profile = [#tdsl.profile<0.0, 0.7, [0.0, 0.0, 0.01, 0.6, 0.7]>]} : tensor<1x1xf32> -> tensor<1x1xf32>
  %r = tdsl.mul %X, %e {tdsl.profile = [#tdsl.profile<-3.0, 3.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x4xf32>, tensor<1x1xf32> -> tensor<1x4xf32>
  func.return %r : tensor<1x4xf32>
}
// CHECK-LABEL: func.func @scalars(%X: tensor<1x4x!fixed.q<8, 4>>
// CHECK-NEXT: %g = tdsl.const dense<-19661> : tensor<i16> {{.*}} -> tensor<!fixed.q<16, 16>>
// CHECK: tdsl.matmul {{.*}} -> tensor<1x1x!fixed.q<16, 8>>
// CHECK-NEXT: tdsl.mul {{.*}} -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.exp {{.*}} -> tensor<1x1x!fixed.q<8, 7>>
// CHECK-NEXT: tdsl.mul {{.*}} -> tensor<1x4x!fixed.q<8, 5>>

// -----

// Here most values of exp would be zero in 8 bits: the few that exceed 0.1 may saturate, result and argument get the
// precision of a register.
func.func @vanishing(%X: tensor<1x1xf32> {tdsl.profile = #tdsl.profile<1.0, 20.0, [1.0, 1.0, 11.0, 19.0, 20.0]>}) -> tensor<4xf32> {
  %m = tdsl.neg %X {tdsl.profile = [#tdsl.profile<-20.0, -1.0, [-20.0, -19.0, -11.0, -1.0, -1.0]>]} : tensor<1x1xf32> -> tensor<1x1xf32>
  %e = tdsl.exp %m {tdsl.profile = [#tdsl.profile<0.0, 0.4, [0.0, 0.0, 0.00002, 0.05, 0.1]>]} : tensor<1x1xf32> -> tensor<1x1xf32>
  %w = tdsl.const dense<[1.0, -1.5, 0.5, 1.25]> : tensor<4xf32> {tdsl.profile = [#tdsl.profile<-1.5, 1.25, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<4xf32>
  %r = tdsl.mul %w, %e {tdsl.profile = [#tdsl.profile<-0.6, 0.6, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<4xf32>, tensor<1x1xf32> -> tensor<1x4xf32>
  %s = tdsl.reshape %r : tensor<1x4xf32> -> tensor<4xf32>
  func.return %s : tensor<4xf32>
}
// CHECK-LABEL: func.func @vanishing(%X: tensor<1x1x!fixed.q<8, 2>>
// CHECK-NEXT: tdsl.neg {{.*}} -> tensor<1x1x!fixed.q<16, 11>>
// CHECK-NEXT: tdsl.exp {{.*}} -> tensor<1x1x!fixed.q<16, 18>>
// CHECK: tdsl.mul {{.*}} -> tensor<1x4x!fixed.q<8, 7>>

// -----

// Sixteen products take three bits more, which the operands give up in turn.
func.func @in_turn(%X: tensor<16x1xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %W = tdsl.const dense<0.9> : tensor<1x16xf32> {tdsl.profile = [#tdsl.profile<0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<1x16xf32>
  %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-12.0, 12.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x16xf32>, tensor<16x1xf32> -> tensor<1x1xf32>
  func.return %p : tensor<1x1xf32>
}
// SIXTEEN-LABEL: func.func @in_turn(%X: tensor<16x1x!fixed.q<15, 14>>
// SIXTEEN-NEXT: %W = tdsl.const dense<{{.*}}> : tensor<1x16xi16> {{.*}} -> tensor<1x16x!fixed.q<14, 13>>

// -----

// What products start from may be less than their last place, even with two bits: then it is nothing.
func.func @tiny(%x: tensor<2x1xf32> {tdsl.profile = #tdsl.profile<-90.0, 90.0, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %w = tdsl.const dense<[[90.0, 80.0]]> : tensor<1x2xf32> {tdsl.profile = [#tdsl.profile<80.0, 90.0, [80.0, 80.0, 85.0, 90.0, 90.0]>]} -> tensor<1x2xf32>
  %b = tdsl.const dense<1.0e-9> : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<1.0e-9, 1.0e-9, [1.0e-9, 1.0e-9, 1.0e-9, 1.0e-9, 1.0e-9]>]} -> tensor<1x1xf32>
  %y = tdsl.matmul_sum %w, %x from %b : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<-9000.0, 9000.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @tiny
// CHECK: tdsl.const dense<0> : tensor<1x1xi8> {{.*}} -> tensor<1x1x!fixed.q<2, 0>>
