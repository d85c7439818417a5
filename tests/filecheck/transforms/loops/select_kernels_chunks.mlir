// RUN: tinyml-opt %s -p 'select-kernels{target=uno}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'select-kernels{target=cortex-m4}' --split-input-file | filecheck %s --check-prefix=CORTEX

// The magnitudes of four weights of a row, counted from the last one, add up to 254 at most: 128 times
// that, and a byte more, fits 16 bits.
func.func @by_four(%x: memref<6x!fixed.q<8, 6>>, %i: index) -> !fixed.q<8, 2> {
  %w = scratch.constant dense<[[100, 100, 127, 0, 127, 0], [1, 2, -3, 4, 5, -127]]> : tensor<2x6xi8> -> memref<2x6x!fixed.q<8, 4>, #scratch.flash>
  %n = arith.constant 6 : index
  %at = arith.muli %i, %n : index
  %row = scratch.slice %w[%at] : memref<2x6x!fixed.q<8, 4>, #scratch.flash> to memref<6x!fixed.q<8, 4>, #scratch.flash>
  %zero = num.zero : !fixed.acc<24, 10>
  %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<24, 10>, memref<6x!fixed.q<8, 4>, #scratch.flash>, memref<6x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
  %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %y : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @by_four(%x: memref<6x!fixed.q<8, 6>>, %i: index) -> !fixed.q<8, 2> {
// CHECK-NEXT: %w = scratch.constant dense<{{\[\[}}100, 100, 127, 0, 127, 0], [1, 2, -3, 4, 5, -127]]> : tensor<2x6xi8> -> memref<2x6x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %n = arith.constant 6 : index
// CHECK-NEXT: %at = arith.muli %i, %n : index
// CHECK-NEXT: %row = scratch.slice %w[%at] : memref<2x6x!fixed.q<8, 4>, #scratch.flash> to memref<6x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %zero = num.zero : !fixed.acc<24, 10>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, %row, %x) by #num.kernel<"tm_dot_s8_s8_s24_by4"> : (!fixed.acc<24, 10>, memref<6x!fixed.q<8, 4>, #scratch.flash>, memref<6x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
// CHECK-NEXT: func.return %y : !fixed.q<8, 2>
// CORTEX: num.call #num.dot({{.*}}) by #num.kernel<"tm_cm_dot_s8_s8_s32">

// -----

// Of four they add up to 255, of three to 128.
func.func @by_three(%x: memref<4x!fixed.q<8, 6>>, %i: index) -> !fixed.q<8, 2> {
  %w = scratch.constant dense<[[127, 0, 1, -127]]> : tensor<1x4xi8> -> memref<1x4x!fixed.q<8, 4>, #scratch.flash>
  %n = arith.constant 4 : index
  %at = arith.muli %i, %n : index
  %row = scratch.slice %w[%at] : memref<1x4x!fixed.q<8, 4>, #scratch.flash> to memref<4x!fixed.q<8, 4>, #scratch.flash>
  %zero = num.zero : !fixed.acc<24, 10>
  %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<24, 10>, memref<4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
  %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %y : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @by_three(%x: memref<4x!fixed.q<8, 6>>, %i: index) -> !fixed.q<8, 2> {
// CHECK-NEXT: %w = scratch.constant dense<{{\[\[}}127, 0, 1, -127]]> : tensor<1x4xi8> -> memref<1x4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %n = arith.constant 4 : index
// CHECK-NEXT: %at = arith.muli %i, %n : index
// CHECK-NEXT: %row = scratch.slice %w[%at] : memref<1x4x!fixed.q<8, 4>, #scratch.flash> to memref<4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %zero = num.zero : !fixed.acc<24, 10>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, %row, %x) by #num.kernel<"tm_dot_s8_s8_s24_by3"> : (!fixed.acc<24, 10>, memref<4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
// CHECK-NEXT: func.return %y : !fixed.q<8, 2>

// -----

// All matrices that share a kernel have to fit, so that the program has only one.
func.func @fitting(%x: memref<4x!fixed.q<8, 6>>, %i: index) -> !fixed.q<8, 2> {
  %w = scratch.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi8> -> memref<1x4x!fixed.q<8, 4>, #scratch.flash>
  %n = arith.constant 4 : index
  %at = arith.muli %i, %n : index
  %row = scratch.slice %w[%at] : memref<1x4x!fixed.q<8, 4>, #scratch.flash> to memref<4x!fixed.q<8, 4>, #scratch.flash>
  %zero = num.zero : !fixed.acc<24, 10>
  %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<24, 10>, memref<4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
  %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %y : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @fitting(%x: memref<4x!fixed.q<8, 6>>, %i: index) -> !fixed.q<8, 2> {
// CHECK-NEXT: %w = scratch.constant dense<{{\[\[}}1, 2, 3, 4]]> : tensor<1x4xi8> -> memref<1x4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %n = arith.constant 4 : index
// CHECK-NEXT: %at = arith.muli %i, %n : index
// CHECK-NEXT: %row = scratch.slice %w[%at] : memref<1x4x!fixed.q<8, 4>, #scratch.flash> to memref<4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %zero = num.zero : !fixed.acc<24, 10>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, %row, %x) by #num.kernel<"tm_dot_s8_s8_s24"> : (!fixed.acc<24, 10>, memref<4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
// CHECK-NEXT: func.return %y : !fixed.q<8, 2>
func.func @too_large(%x: memref<4x!fixed.q<8, 6>>, %i: index) -> !fixed.q<8, 2> {
  %w = scratch.constant dense<[[100, -100, 100, 100]]> : tensor<1x4xi8> -> memref<1x4x!fixed.q<8, 4>, #scratch.flash>
  %n = arith.constant 4 : index
  %at = arith.muli %i, %n : index
  %row = scratch.slice %w[%at] : memref<1x4x!fixed.q<8, 4>, #scratch.flash> to memref<4x!fixed.q<8, 4>, #scratch.flash>
  %zero = num.zero : !fixed.acc<24, 10>
  %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<24, 10>, memref<4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
  %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %y : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @too_large(%x: memref<4x!fixed.q<8, 6>>, %i: index) -> !fixed.q<8, 2> {
// CHECK-NEXT: %w = scratch.constant dense<{{\[\[}}100, -100, 100, 100]]> : tensor<1x4xi8> -> memref<1x4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %n = arith.constant 4 : index
// CHECK-NEXT: %at = arith.muli %i, %n : index
// CHECK-NEXT: %row = scratch.slice %w[%at] : memref<1x4x!fixed.q<8, 4>, #scratch.flash> to memref<4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %zero = num.zero : !fixed.acc<24, 10>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, %row, %x) by #num.kernel<"tm_dot_s8_s8_s24"> : (!fixed.acc<24, 10>, memref<4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
// CHECK-NEXT: func.return %y : !fixed.q<8, 2>

// -----

// Nothing is known of these weights.
func.func @unknown(%w: memref<4x!fixed.q<8, 4>, #scratch.flash>, %x: memref<4x!fixed.q<8, 6>>) -> !fixed.q<8, 2> {
  %zero = num.zero : !fixed.acc<24, 10>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<24, 10>, memref<4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
  %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %y : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @unknown(%w: memref<4x!fixed.q<8, 4>, #scratch.flash>, %x: memref<4x!fixed.q<8, 6>>) -> !fixed.q<8, 2> {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<24, 10>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, %w, %x) by #num.kernel<"tm_dot_s8_s8_s24"> : (!fixed.acc<24, 10>, memref<4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
// CHECK-NEXT: func.return %y : !fixed.q<8, 2>
