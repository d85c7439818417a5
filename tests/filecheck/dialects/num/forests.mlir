// Forests over raws read what they print.

// RUN: %roundtrip

func.func @forests(%x: memref<3x!fixed.q<8, 4>>, %sums: memref<2x!fixed.q<16, 7>>, %leaves: memref<1xi16>) {
  num.forest %sums, %x {features = dense<1> : tensor<1xi32>, thresholds = dense<5> : tensor<1xi8>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[0, 300], [1, -1]]> : tensor<2x2xi16>} : memref<2x!fixed.q<16, 7>>, memref<3x!fixed.q<8, 4>>
// CHECK: num.forest %sums, %x {
// CHECK-SAME: thresholds = dense<5> : tensor<1xi8>
// CHECK-SAME: votes = dense<{{\[\[}}0, 300], [1, -1]]> : tensor<2x2xi16>
  num.call #num.coded_forest<{features = dense<1> : tensor<1xi32>, thresholds = dense<5> : tensor<1xi8>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[0], [1]]> : tensor<2x1xi16>}, time = 20, once = 60, call = 12, stack = 4>(%leaves, %x) by #num.code_kernel<"tm_forest_code", "0123"> : (memref<1xi16>, memref<3x!fixed.q<8, 4>>) -> ()
// CHECK: num.call #num.coded_forest<{
// CHECK-SAME: }, time = 20, once = 60, call = 12, stack = 4>(%leaves, %x) by #num.code_kernel<"tm_forest_code", "0123"> :
  func.return
}
