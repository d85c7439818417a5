// RUN: tinyml-opt %s -p lower-tdsl-to-loops --split-input-file | filecheck %s

// Both factors are computed and have zero points: products of raws, from sums of rows that stand before the loop over
// columns, and with what the column adds. A zero point of -128 takes two steps, since its opposite is no raw.
func.func @both(%A: memref<4x8x!zeroskew.q<8, 0.5, -128>>, %b: memref<8x1x!zeroskew.q<8, 0.5, 5>>, %y: memref<4x1x!zeroskew.q<8, 1.0, 3>>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  scf.for %j = %0 to %2 step %1 {
    tdsl.matmul %A, %b {acc = !zeroskew.acc<32, 0.25>} : memref<4x8x!zeroskew.q<8, 0.5, -128>>, memref<8x1x!zeroskew.q<8, 0.5, 5>> into %y : memref<4x1x!zeroskew.q<8, 1.0, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @both
// CHECK: %row_sums = memref.alloca() : memref<4x!zeroskew.acc<32, 0.25>>
// CHECK: num.call #num.dot({{.*}}, %offset, 
// CHECK: memref.store {{.*}} %row_sums
// CHECK: scf.for %j =
// CHECK: %offsets = scratch.constant dense<-5120> : tensor<1xi32>
// CHECK: num.start
// CHECK-COUNT-2: num.call #num.dot(
// CHECK: num.contract [[row:%.*]] to 4 {
// CHECK-NEXT: %sum = memref.load %row_sums{{\[}}[[row]]]
// CHECK-NEXT: num.products %sum, {{.*}}!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: num.add_shifted
// CHECK-NEXT: num.finish

// -----

// Without a zero point of the columns there are no sums of rows, and no loop is needed.
func.func @matrix_alone(%A: memref<4x8x!zeroskew.q<8, 0.5, 7>>, %b: memref<8x1x!zeroskew.q<8, 0.5, 0>>, %y: memref<4x1x!zeroskew.q<8, 1.0, 3>>) {
  tdsl.matmul %A, %b {acc = !zeroskew.acc<32, 0.25>} : memref<4x8x!zeroskew.q<8, 0.5, 7>>, memref<8x1x!zeroskew.q<8, 0.5, 0>> into %y : memref<4x1x!zeroskew.q<8, 1.0, 3>>
  func.return
}
// CHECK-LABEL: func.func @matrix_alone
// CHECK-NOT: row_sums
// CHECK: num.contract
// CHECK-NEXT: %sum = num.zero
// CHECK-NEXT: num.products
// CHECK-NEXT: num.add_shifted

// -----

// Without one of the matrix a column adds nothing.
func.func @column_alone(%A: memref<4x8x!zeroskew.q<8, 0.5, 0>>, %b: memref<8x1x!zeroskew.q<8, 0.5, 7>>, %y: memref<4x1x!zeroskew.q<8, 1.0, 3>>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  scf.for %j = %0 to %2 step %1 {
    tdsl.matmul %A, %b {acc = !zeroskew.acc<32, 0.25>} : memref<4x8x!zeroskew.q<8, 0.5, 0>>, memref<8x1x!zeroskew.q<8, 0.5, 7>> into %y : memref<4x1x!zeroskew.q<8, 1.0, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @column_alone
// CHECK: num.contract
// CHECK-NEXT: %sum = memref.load %row_sums
// CHECK-NEXT: num.products
// CHECK-NEXT: num.finish

// -----

// One column alone: sums of rows would take as long as the products.
func.func @single_column(%A: memref<4x8x!zeroskew.q<8, 0.5, 7>>, %b: memref<8x1x!zeroskew.q<8, 0.5, 7>>, %y: memref<4x1x!zeroskew.q<8, 1.0, 3>>) {
  tdsl.matmul %A, %b {acc = !zeroskew.acc<32, 0.25>} : memref<4x8x!zeroskew.q<8, 0.5, 7>>, memref<8x1x!zeroskew.q<8, 0.5, 7>> into %y : memref<4x1x!zeroskew.q<8, 1.0, 3>>
  func.return
}
// CHECK-LABEL: func.func @single_column
// CHECK-NOT: row_sums
// CHECK: num.{{products|mac|call}}{{.*}}!zeroskew.q<8, 0.5, 7>

// -----

// A matrix that the loop changes has other sums of rows in each iteration.
func.func @changed(%A: memref<4x8x!zeroskew.q<8, 0.5, 7>>, %b: memref<8x1x!zeroskew.q<8, 0.5, 7>>, %y: memref<4x1x!zeroskew.q<8, 1.0, 3>>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  scf.for %j = %0 to %2 step %1 {
    tdsl.neg %A : memref<4x8x!zeroskew.q<8, 0.5, 7>> into %A : memref<4x8x!zeroskew.q<8, 0.5, 7>>
    tdsl.matmul %A, %b {acc = !zeroskew.acc<32, 0.25>} : memref<4x8x!zeroskew.q<8, 0.5, 7>>, memref<8x1x!zeroskew.q<8, 0.5, 7>> into %y : memref<4x1x!zeroskew.q<8, 1.0, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @changed
// CHECK-NOT: row_sums
// CHECK: num.{{products|mac|call}}{{.*}}!zeroskew.q<8, 0.5, 7>

// -----

// One row, or one product, too few.
func.func @few_rows(%A: memref<3x8x!zeroskew.q<8, 0.5, 7>>, %b: memref<8x1x!zeroskew.q<8, 0.5, 7>>, %y: memref<3x1x!zeroskew.q<8, 1.0, 3>>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  scf.for %j = %0 to %2 step %1 {
    tdsl.matmul %A, %b {acc = !zeroskew.acc<32, 0.25>} : memref<3x8x!zeroskew.q<8, 0.5, 7>>, memref<8x1x!zeroskew.q<8, 0.5, 7>> into %y : memref<3x1x!zeroskew.q<8, 1.0, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: row_sums
// CHECK: func.return

// -----

func.func @few_products(%A: memref<4x7x!zeroskew.q<8, 0.5, 7>>, %b: memref<7x1x!zeroskew.q<8, 0.5, 7>>, %y: memref<4x1x!zeroskew.q<8, 1.0, 3>>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  scf.for %j = %0 to %2 step %1 {
    tdsl.matmul %A, %b {acc = !zeroskew.acc<32, 0.25>} : memref<4x7x!zeroskew.q<8, 0.5, 7>>, memref<7x1x!zeroskew.q<8, 0.5, 7>> into %y : memref<4x1x!zeroskew.q<8, 1.0, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @few_products
// CHECK-NOT: row_sums
// CHECK: func.return
