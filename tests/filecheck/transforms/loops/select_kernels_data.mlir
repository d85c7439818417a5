// RUN: tinyml-opt %s -p 'select-kernels{target=uno}' | filecheck %s
// RUN: tinyml-opt %s -p 'select-kernels{target=cortex-m4}' | filecheck %s --check-prefix=ROWS
// RUN: sed 's/attributes {tinyml.weights_as_data}//' %s | tinyml-opt -p 'select-kernels{target=uno}' | filecheck %s --check-prefix=KNOWN

// The length of a stream depends on the entries: without a kernel that reads compressed rows, data is read by a loop.
func.func @sparse(%x: memref<8x!fixed.q<8, 6>>, %y: memref<2x!fixed.q<8, 4>>) attributes {tinyml.weights_as_data} {
  %v = scratch.constant dense<[1, 2, 3]> : tensor<3xi8> {tinyml.data} -> memref<3x!fixed.q<8, 4>, #scratch.flash>
  %gaps = scratch.constant dense<[1, 2, 3]> : tensor<3xi8> {tinyml.data} -> memref<3xi8, #scratch.flash>
  %lengths = scratch.constant dense<[2, 1]> : tensor<2xi8> {tinyml.data} -> memref<2xi8, #scratch.flash>
  num.contract %i to 2 {
    %zero = num.zero : !fixed.acc<32, 10>
    %sum = num.sparse_products %zero, %v, %gaps, %lengths, %x : !fixed.acc<32, 10>, memref<3x!fixed.q<8, 4>, #scratch.flash>, memref<3xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!fixed.q<8, 6>> -> !fixed.acc<32, 10>
    %z = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 4>
    memref.store %z, %y[%i] : memref<2x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-NOT: by #num.kernel
// CHECK: memref.load %v[
// CHECK-NEXT: memref.load %x[
// ROWS: num.call #num.sparse_dot({{.*}} by #num.kernel<"tm_cm_
// KNOWN: %v_rows = scratch.constant
// KNOWN: num.call #num.packed_dot({{.*}} by #num.kernel<"tm_
