// RUN: not tinyml-opt %s -p 'select-kernels{target=cortex-m55}' 2>&1 | filecheck %s

func.func @sparse(%v: memref<5x!fixed.q<8, 4>>, %gaps: memref<5xi8>, %lengths: memref<2xi8>, %x: memref<8x!fixed.q<8, 6>>, %y: memref<2x!fixed.acc<32, 10>>) {
  num.contract %row to 2 {
    %zero = num.zero : !fixed.acc<32, 10>
    %sum = num.sparse_products %zero, %v, %gaps, %lengths, %x : !fixed.acc<32, 10>, memref<5x!fixed.q<8, 4>>, memref<5xi8>, memref<2xi8>, memref<8x!fixed.q<8, 6>> -> !fixed.acc<32, 10>
    memref.store %sum, %y[%row] : memref<2x!fixed.acc<32, 10>>
  }
  func.return
}
// CHECK-NOT: Traceback
// CHECK: sparse_rows_invalid.mlir:6:{{.*}}the values, gaps and lengths of compressed rows must be constants
