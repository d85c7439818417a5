// What the verifiers of the tensor DSL say.

// RUN: %invalid

%a = "test.op"() : () -> (tensor<2xi8>)
%r = tdsl.exp %a : tensor<2xi8> -> tensor<2xi8>
// CHECK: elements must be of a number format, got i8

// -----

%a = "test.op"() : () -> (tensor<?xf32>)
%r = tdsl.exp %a : tensor<?xf32> -> tensor<?xf32>
// CHECK: shapes must be static, got tensor<?xf32>

// -----

%a = "test.op"() : () -> (tensor<2x3xf32>)
tdsl.exp %a : tensor<2x3xf32>
// CHECK: expected either a tensor result or an `into` memref

// -----

%a = "test.op"() : () -> (memref<2xf32>)
%r = tdsl.exp %a : memref<2xf32> into %a : memref<2xf32> -> tensor<2xf32>
// CHECK: expected either a tensor result or an `into` memref

// -----

%a = "test.op"() : () -> (memref<2xf32>)
%r = tdsl.exp %a : memref<2xf32> -> tensor<2xf32>
// CHECK: mixes tensors and memrefs: memref<2xf32>

// -----

%a, %b = "test.op"() : () -> (tensor<2xf32>, memref<2xf32>)
tdsl.add %a, %b : tensor<2xf32>, memref<2xf32> into %b : memref<2xf32>
// CHECK: mixes tensors and memrefs: tensor<2xf32>

// -----

%a = "test.op"() : () -> (tensor<2x3xf32>)
%r = tdsl.exp %a : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK: result has shape 3x2, expected 2x3 from the operands

// -----

%a = "test.op"() : () -> (tensor<f32>)
%r = tdsl.exp %a : tensor<f32> -> tensor<1xf32>
// CHECK: result has shape 1, expected scalar from the operands

// -----

%a, %b = "test.op"() : () -> (memref<2xf32>, memref<3xf32>)
tdsl.neg %a : memref<2xf32> into %b : memref<3xf32>
// CHECK: result has shape 3, expected 2 from the operands

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<2x3x!fixed.q<16, 12>>)
%r = tdsl.add %a, %b : tensor<2x3xf32>, tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<16, 12>>
// CHECK: formats of different families (exact, float) need a tdsl.cast

// -----

%a = "test.op"() : () -> (tensor<2x3x!fixed.q<16, 12>>)
%r = tdsl.exp %a : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3xf32>
// CHECK: formats of different families (exact, float) need a tdsl.cast

// -----

%a = "test.op"() : () -> (tensor<2x3x!fixed.q<16, 12>>)
%r = tdsl.relu %a : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<16, 13>>
// CHECK: moves bits unchanged, so formats must be equal, got !fixed.q<16, 12> and !fixed.q<16, 13>

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<2xf32>)
%r = tdsl.mul %a, %b : tensor<2x3xf32>, tensor<2xf32> -> tensor<2x3xf32>
// CHECK: shapes 2x3 and 2 do not broadcast

// -----

%a, %b, %c = "test.op"() : () -> (i1, tensor<2x3xf32>, tensor<3x2xf32>)
%r = tdsl.select %a, %b, %c : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x3xf32>
// CHECK: branches have shapes 2x3 and 3x2

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<3xf32>)
%r = tdsl.matmul %a, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2xf32>
// CHECK: multiplies matrices, got shapes 2x3 and 3

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<2x3xf32>)
%r = tdsl.matmul %a, %b : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: inner dimensions differ: 2x3 times 2x3

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<3x1xf32>)
%r = tdsl.matmul %a, %b {acc = i32} : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK: acc must be an accumulator type, got i32

// -----

%a, %b = "test.op"() : () -> (tensor<2x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<16, 8>>)
%r = tdsl.matmul %a, %b {acc = f32} : tensor<2x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<16, 8>> -> tensor<2x1x!fixed.q<16, 8>>
// CHECK: f32 does not sum products of !fixed.q<16, 12> and !fixed.q<16, 8>: FAMILY of the accumulator is 'float', that of !fixed.q<16, 12> is 'exact'

// -----

%a, %b = "test.op"() : () -> (tensor<2x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<16, 8>>)
%r = tdsl.matmul %a, %b {acc = !fixed.acc<32, 19>} : tensor<2x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<16, 8>> -> tensor<2x1x!fixed.q<16, 8>>
// CHECK: !fixed.acc<32, 19> does not sum products of !fixed.q<16, 12> and !fixed.q<16, 8>

// -----

%a, %b = "test.op"() : () -> (tensor<2x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<32, 8>>)
%r = tdsl.matmul %a, %b {acc = !fixed.acc<32, 20>} : tensor<2x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<32, 8>> -> tensor<2x1x!fixed.q<16, 8>>
// CHECK: !fixed.acc<32, 20> does not sum products of !fixed.q<16, 12> and !fixed.q<32, 8>

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<3x1xf32>)
%r = tdsl.spmv %a, %b : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK: the matrix must be sparse: expected the encoding #tdsl.csr

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32, #tdsl.csr>, tensor<3x2xf32>)
%r = tdsl.spmv %a, %b : tensor<2x3xf32, #tdsl.csr>, tensor<3x2xf32> -> tensor<2x2xf32>
// CHECK: multiplies a column vector, got 3x2

// -----

%a = "test.op"() : () -> (tensor<0x3xf32>)
%r = tdsl.argmax %a : tensor<0x3xf32>
// CHECK: needs at least one element

// -----

%a = "test.op"() : () -> (tensor<3xi32>)
%r = tdsl.argmax %a : tensor<3xi32>
// CHECK: elements must be of a number format, got i32

// -----

%r = tdsl.const dense<[127, -128]> : tensor<2xi8> -> tensor<2x!fixed.q<8, 4>>
// CHECK: -128 is not the raw value of any !fixed.q<8, 4>

// -----

%r = tdsl.const dense<"0x0000803F0000C07F"> : tensor<2xf32> -> tensor<2xf32>
// CHECK: nan is not the raw value of any f32

// -----

%a = "test.op"() : () -> (tensor<1x2xf32>)
%r = tdsl.sign %a : tensor<1x2xf32>
// CHECK: expects a single element, got shape 1x2

// -----

%a = "test.op"() : () -> (tensor<1x2xf32>)
%r = tdsl.at_least %a {threshold = 0.5 : f64} : tensor<1x2xf32>
// CHECK: expects a single element, got shape 1x2

// -----

%r = tdsl.const dense<[1, 2]> : tensor<2xi8> -> tensor<2x!fixed.q<16, 4>>
// CHECK: value must be of type tensor<2xi16>, got tensor<2xi8>

// -----

%r = tdsl.const dense<[1, 2]> : tensor<2xi32> -> tensor<2xi32>
// CHECK: elements must be of a number format, got i32

// -----

%a = "test.op"() : () -> (tensor<2x3xf32>)
%r = tdsl.reshape %a : tensor<2x3xf32> -> tensor<5xf32>
// CHECK: cannot reshape 2x3 to 5: the number of elements differs

// -----

%a = "test.op"() : () -> (tensor<2x3xf32>)
%r = tdsl.transpose %a {permutation = array<i64: 0, 0>} : tensor<2x3xf32> -> tensor<2x2xf32>
// CHECK: permutation [0, 0] does not order the 2 axes

// -----

%a = "test.op"() : () -> (tensor<2x3x4xf32>)
%r = tdsl.transpose %a {permutation = array<i64: 2, 1, 0>, in_place} : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
// CHECK: permutation [2, 1, 0] is not that of a matrix, which is transposed in place

// -----

%a = "test.op"() : () -> (tensor<2x3xf32>)
%r = tdsl.transpose %a {permutation = array<i64: 1, 0>, in_place} : tensor<2x3xf32> -> tensor<3x2xf32>
%s = tdsl.relu %a : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: a transposition in place destroys its input, which has another reader

// -----

%a = "test.op"() : () -> tensor<6x1xf32>
%b = tdsl.reshape %a : tensor<6x1xf32> -> tensor<2x3xf32>
%r = tdsl.transpose %b {permutation = array<i64: 1, 0>, in_place} : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK: a transposition in place destroys its input, which may be a view by 'tdsl.reshape'

// -----

%a = "test.op"() : () -> tensor<2x3xf32>
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
scf.for %i = %c0 to %c1 step %c1 {
  %r = tdsl.transpose %a {permutation = array<i64: 1, 0>, in_place} : tensor<2x3xf32> -> tensor<3x2xf32>
}
// CHECK: a transposition in place destroys its input, which is of another block

// -----

%a = "test.op"() : () -> (tensor<2x3xf32>)
%r = tdsl.reverse %a {axis = 2 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: axis 2 is not one of the 2 axes

// -----

%a, %b = "test.op"() : () -> (tensor<f32>, index)
%r = tdsl.index %a[%b] : tensor<f32> -> tensor<f32>
// CHECK: cannot index a scalar

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, index)
%r = tdsl.slice %a[%b] : tensor<2x3xf32> -> tensor<1x1xf32>
// CHECK: slice of 2x3 needs 2 offsets and sizes

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, index)
%r = tdsl.slice %a[%b, %b] : tensor<2x3xf32> -> tensor<1x4xf32>
// CHECK: a slice of shape 1x4 does not fit in 2x3

// -----

%a, %b, %c = "test.op"() : () -> (tensor<2x3xf32>, index, tensor<3x3xf32>)
%r = tdsl.insert_slice %c, %a[%b, %b] : tensor<3x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: a slice of shape 3x3 does not fit in 2x3

// -----

%a = "test.op"() : () -> (tensor<2x3xf32>)
%r = tdsl.max_pool %a {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: pools images of shape NxHxWxC, got 2x3

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.max_pool %a {kernel = array<i64: 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: kernel needs 2 values, got 1

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.max_pool %a {kernel = array<i64: 5, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: a window of 5 does not fit in 4 elements with this padding

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.max_pool %a {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 0, 1>} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: windows, strides and dilations are at least 1, padding at least 0

// -----

%a, %b = "test.op"() : () -> (tensor<2x3xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: convolves NxHxWxC images with OxKHxKWxC filters, got a filter 2x3, an image 1x4x4x3

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x2xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<5x3x3x2xf32>, tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: 3 channels do not match 1 groups of filters of 2 channels

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 0 : i64} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: 3 channels do not match 0 groups of filters of 3 channels

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x1xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 3 : i64} : tensor<5x3x3x1xf32>, tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: 5 filters do not split into 3 groups

// -----

%a, %b = "test.op"() : () -> (tensor<5x5x3x3xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<5x5x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: a window of 5 does not fit in 4 elements with this padding

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: strides needs 2 values, got 1

// -----

%a, %b, %c = "test.op"() : () -> (tensor<2x3x3x3xf32>, tensor<1x4x4x3xf32>, tensor<3xf32>)
%r = tdsl.conv2d %a, %b from %c : tensor<3xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x2xf32>
// CHECK: shapes 3 and 1x2x2x2 do not broadcast

// -----

%a, %b, %c = "test.op"() : () -> (tensor<1x3x3x3xf32>, tensor<1x4x4x3xf32>, tensor<3xf32>)
%r = tdsl.conv2d %a, %b from %c : tensor<3xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x1xf32>
// CHECK: sums of shape 1x2x2x1 start from 3

// -----

%a, %b = "test.op"() : () -> (tensor<2x3x3x3xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, row_shifts = array<i8: 1>} : tensor<2x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x2xf32>
// CHECK: needs a shift for each of 2 rows, got 1

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.max_pool %a {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 2, 0>, strides = array<i64: 1, 1>} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: padding {{\[}}0, 0, 2, 0] leaves windows of 2x2 without elements

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.pad %a {low = array<i64: 0, -1, 0, 0>, high = array<i64: 0, 0, 0, 0>} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: padding is at least 0

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.pad %a {low = array<i64: 0, 0>, high = array<i64: 0, 0, 0, 0>} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: low needs 4 values, got 2

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.pad %a {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 0, 0>, value = 0x7FF0000000000000 : f64} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: value must be finite, got inf

// -----

%a, %b = "test.op"() : () -> (tensor<1x4x4x3xf32>, tensor<1x4x3x3xf32>)
%r = tdsl.concat %a, %b {axis = 1 : i64} : tensor<1x4x4x3xf32>, tensor<1x4x3x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: parts differ only along axis 1, got 1x4x4x3 and 1x4x3x3

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.concat %a {axis = 4 : i64} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: axis 4 is not one of the 4 axes

// -----

"test.op"() : () -> ()
%r = tdsl.concat {axis = 0 : i64} : -> tensor<1x4x4x3xf32>
// CHECK: needs at least one part

// -----

%a, %i = "test.op"() : () -> (tensor<1x4x4x3xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : tensor<1x4x4x3xf32> -> tensor<1x2x2x2xf32>
// CHECK: gathers windows NxKHxKWxC of images 1xHxWxC, got 1x2x2x2 of 1x4x4x3

// -----

%a, %i = "test.op"() : () -> (tensor<1x3x4x4xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, axes = array<i64: 0, 2, 2, 1>} : tensor<1x3x4x4xf32> -> tensor<1x2x2x3xf32>
// CHECK: axes [0, 2, 2, 1] do not order those of an image after the first

// -----

%a, %p, %i = "test.op"() : () -> (tensor<1x3x4x4xf32>, tensor<1x1x2x3xf32>, index)
%r = tdsl.insert_slice %p, %a[%i, %i, %i, %i] {axes = array<i64: 0, 2, 3, 3>} : tensor<1x1x2x3xf32>, tensor<1x3x4x4xf32> -> tensor<1x3x4x4xf32>
// CHECK: axes [0, 2, 3, 3] do not order the 4 axes of the part

// -----

%a, %i = "test.op"() : () -> (tensor<1x2x3x3xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, ring = array<i64: 4, 4>, axes = array<i64: 0, 1, 3, 2>} : tensor<1x2x3x3xf32> -> tensor<1x2x2x3xf32>
// CHECK: a ring in another order of axes holds whole rows of 4 pixels, got 3

// -----

%a, %i = "test.op"() : () -> (tensor<1x4x4x3xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : tensor<1x4x4x3xf32> -> tensor<2x2x2x3xf32>
// CHECK: needs the distance of windows, at least 1, if there are several of them

// -----

%a, %i = "test.op"() : () -> (tensor<1x4x4x3xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, ring = array<i64: 9, 4>, across = 1 : i64} : tensor<1x4x4x3xf32> -> tensor<2x2x2x3xf32>
// CHECK: windows of a ring are gathered one at a time

// -----

%a, %i = "test.op"() : () -> (tensor<1x4x4x3xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : tensor<1x4x4x3xf32> -> tensor<1x2x5x3xf32>
// CHECK: a window of 5 does not fit in 4 elements with this padding

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.pad %a {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 0, 0>, interior = array<i64: 0, -1, 0, 0>} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: padding is at least 0

// -----

%a = "test.op"() : () -> (tensor<1x4x4x3xf32>)
%r = tdsl.resize_nearest %a : tensor<1x4x4x3xf32> -> tensor<1x4x4x2xf32>
// CHECK: resizes images NxHxWxC, got 1x4x4x3 and 1x4x4x2

// -----

"test.op"() {range = #tdsl.range<1.0, 0.5>} : () -> ()
// CHECK: range must have low <= high, got [1.0, 0.5]

// -----

"test.op"() {range = #tdsl.range<0.0, 1.0e+999>} : () -> ()
// CHECK: range must be finite, got [0.0, inf]

// -----

"test.op"() {range = #tdsl.range<0.0>} : () -> ()
// CHECK: Expected ','

// -----

"test.op"() {profile = #tdsl.profile<2.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>} : () -> ()
// CHECK: profile must have low <= high, got [2.0, 1.0]

// -----

"test.op"() {profile = #tdsl.profile<0.0, 1.0, [0.0, 0.0]>} : () -> ()
// CHECK: expected a profile of 5 percentiles, got 2

// -----

%a = "test.op"() : () -> (tensor<2x3xf32>)
%r = tdsl.transpose %a {permutation = array<f32: 1.0, 0.0>} : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK: Expected attribute i64 but got f32

// -----

func.func @map(%a: tensor<2xf32>) {
  %y = tdsl.map %a : tensor<2xf32> -> tensor<2x!fixed.q<16, 9>> {
  ^bb0(%0: f32):
    tdsl.yield %0 : f32
  }
  func.return
}
// CHECK: yields f32, the result has !fixed.q<16, 9>

// -----

func.func @map(%a: tensor<2xf32>) {
  %y = tdsl.map %a : tensor<2xf32> -> tensor<2xf32> {
  ^bb0(%0: !fixed.q<16, 9>):
    tdsl.yield %0 : !fixed.q<16, 9>
  }
  func.return
}
// CHECK: expected a block with one scalar for each input, in the input's format

// -----

func.func @mac(%s: tensor<2x!fixed.acc<32, 20>>, %a: tensor<2x!fixed.q<16, 9>>) {
  %y = tdsl.mac %s, %a, %a : tensor<2x!fixed.acc<32, 20>>, tensor<2x!fixed.q<16, 9>>, tensor<2x!fixed.q<16, 9>> -> tensor<2x!fixed.acc<32, 20>>
  func.return
}
// CHECK: !fixed.acc<32, 20> does not sum products of !fixed.q<16, 9> and !fixed.q<16, 9>

// -----

func.func @finish(%s: tensor<2x!fixed.acc<32, 20>>) {
  %y = tdsl.finish %s : tensor<2x!fixed.acc<32, 20>> -> tensor<2xf32>
  func.return
}
// CHECK: cannot finish !fixed.acc<32, 20> in f32

// -----

func.func @finish(%s: tensor<1x2x!fixed.acc<32, 20>>) {
  %y = tdsl.finish %s {row_shifts = array<i8: 1, 2, 3>} : tensor<1x2x!fixed.acc<32, 20>> -> tensor<1x2x!fixed.q<8, 4>>
  func.return
}
// CHECK: needs a shift for each of 2 rows, got 3

// -----

func.func @start(%b: tensor<2x2x!fixed.q<8, 7>>) {
  %s = tdsl.start %b : tensor<2x2x!fixed.q<8, 7>> -> tensor<1x2x!fixed.acc<32, 14>>
  func.return
}
// CHECK: 2x2 does not broadcast to 1x2

// -----

func.func @start(%b: tensor<3x!fixed.q<8, 7>>) {
  %s = tdsl.start %b : tensor<3x!fixed.q<8, 7>> -> tensor<3x!fixed.acc<32, 6>>
  func.return
}
// CHECK: no sum in !fixed.acc<32, 6> starts from !fixed.q<8, 7>

// -----

func.func @row(%w: tensor<3x4xf32>, %x: tensor<3x1xf32>, %i: index) {
  %r = tdsl.row_product %w[%i], %x : tensor<3x4xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return
}
// CHECK: multiplies a row of a matrix and a matrix, got 3x4 and 3x1

// -----

func.func @row(%w: tensor<3x4xf32>, %x: tensor<4x1xf32>, %b: tensor<2x1xf32>, %i: index) {
  %r = tdsl.row_product %w[%i], %x from %b : tensor<2x1xf32> : tensor<3x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  func.return
}
// CHECK: shapes 2x1 and 3x1 do not broadcast

// -----

func.func @slice(%s: tensor<4x!fixed.acc<24, 20>>, %i: index) {
  %r = tdsl.slice %s[%i] : tensor<4x!fixed.acc<24, 20>> -> tensor<2x!fixed.acc<24, 20>>
  func.return
}
// CHECK: !fixed.acc<24, 20> lies only in registers, !fixed.acc<32, 20> also in memory

// -----

func.func @slice(%s: tensor<4x!fixed.acc<32, 20>>, %i: index) {
  %r = tdsl.slice %s[%i] : tensor<4x!fixed.acc<32, 20>> -> tensor<2x!fixed.acc<32, 21>>
  func.return
}
// CHECK: moves bits unchanged, so types must be equal, got !fixed.acc<32, 20> and !fixed.acc<32, 21>

// -----

func.func @distance(%a: tensor<3x1x!fixed.q<14, 9>>, %b: tensor<3x1x!fixed.q<14, 8>>) {
  %d = tdsl.squared_distance %a, %b {acc = !fixed.acc<32, 18>} : tensor<3x1x!fixed.q<14, 9>>, tensor<3x1x!fixed.q<14, 8>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return
}
// CHECK: !fixed.q<14, 9> and !fixed.q<14, 8> have no exact difference

// -----

func.func @distance(%a: tensor<3x1x!fixed.q<16, 9>>) {
  %d = tdsl.squared_distance %a, %a {acc = !fixed.acc<32, 18>} : tensor<3x1x!fixed.q<16, 9>>, tensor<3x1x!fixed.q<16, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return
}
// CHECK: !fixed.acc<32, 18> does not sum products of !fixed.q<17, 9> and !fixed.q<17, 9>

// -----

func.func @distance(%a: tensor<3x2xf32>) {
  %d = tdsl.squared_distance %a, %a {acc = f32} : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<1x1xf32>
  func.return
}
// CHECK: expected two column vectors of one length, got 3x2 and 3x2

// -----

func.func @accumulate(%s: tensor<2x1x!fixed.acc<32, 20>>, %a: tensor<2x3x!fixed.q<16, 10>>, %x: tensor<2x1x!fixed.q<16, 10>>) {
  %r = tdsl.accumulate %s, %a, %x : tensor<2x1x!fixed.acc<32, 20>>, tensor<2x3x!fixed.q<16, 10>>, tensor<2x1x!fixed.q<16, 10>> -> tensor<2x1x!fixed.acc<32, 20>>
  func.return
}
// CHECK: adds a matrix times a column vector, got 2x3 times 2x1

// -----

func.func @accumulate(%s: tensor<2x1x!fixed.acc<32, 21>>, %a: tensor<2x3x!fixed.q<16, 10>>, %x: tensor<3x1x!fixed.q<16, 10>>) {
  %r = tdsl.accumulate %s, %a, %x : tensor<2x1x!fixed.acc<32, 21>>, tensor<2x3x!fixed.q<16, 10>>, tensor<3x1x!fixed.q<16, 10>> -> tensor<2x1x!fixed.acc<32, 21>>
  func.return
}
// CHECK: !fixed.acc<32, 21> does not sum products of !fixed.q<16, 10> and !fixed.q<16, 10>

// -----

func.func @rows(%a: tensor<2x3xf32>, %x: tensor<3x1xf32>) {
  %r = tdsl.matmul %a, %x {row_shifts = array<i8: 0, 3, 1>} : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  func.return
}
// CHECK: needs a shift for each of 2 rows, got 3

// -----

func.func @rows(%a: tensor<2x3xf32>, %x: tensor<3x1xf32>) {
  %r = tdsl.matmul %a, %x {row_shifts = array<i8: 0, -1>} : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  func.return
}
// CHECK: row_shifts lie in [0, 15], got [0, -1]

// -----

func.func @products(%a: tensor<2x3xf32>, %x: tensor<3x1xf32>) {
  %r = tdsl.matmul_sum %a, %x, %a, %x {left_shifts = array<i8: 0, 1, 16, 0>} : tensor<2x3xf32>, tensor<3x1xf32>, tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  func.return
}
// CHECK: left_shifts lie in [0, 15], got [0, 1, 16, 0]

// -----

func.func @mac_in_memory(%a: tensor<2x!fixed.q<8, 4>>) {
  %s = tdsl.zero -> tensor<2x!fixed.acc<24, 8>>
  func.return
}
// CHECK: !fixed.acc<24, 8> lies only in registers, !fixed.acc<32, 8> also in memory

// -----

// Proofs are checked before the constant that they rest on.
func.func @used_before(%x: tensor<2x1x!fixed.q<8, 4>>) {
  %y = tdsl.matmul %w, %x {acc = !fixed.acc<16, 8>, bound = array<i64: -635, 634>} : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  %w = tdsl.const dense<[1, 0]> : tensor<2xi8> -> tensor<2x2x!fixed.q<8, 4>>
  func.return
}
// CHECK: value must have 4 elements of 1 bytes

// -----

func.func @used_without_value(%x: tensor<2x1x!fixed.q<8, 4>>) {
  %w = "tdsl.const"() : () -> tensor<2x2x!fixed.q<8, 4>>
  %y = tdsl.matmul %w, %x {acc = !fixed.acc<16, 8>, bound = array<i64: -635, 634>} : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  func.return
}
// CHECK: property 'value' expected

// -----

func.func @used_before_without_value(%x: tensor<2x1x!fixed.q<8, 4>>) {
  %y = tdsl.matmul %w, %x {acc = !fixed.acc<16, 8>, bound = array<i64: -635, 634>} : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  %w = "tdsl.const"() : () -> tensor<2x2x!fixed.q<8, 4>>
  func.return
}
// CHECK: value must have 4 elements of 1 bytes

// -----

// Forged proofs: 2 * 127 + 3 * 127 = 635 with constants in sight.
func.func @bound_of_a_constant(%x: tensor<2x1x!fixed.q<8, 4>>) {
  %w = tdsl.const dense<[[1, 0], [2, -3]]> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 4>>
  %y = tdsl.matmul %w, %x {acc = !fixed.acc<16, 8>, bound = array<i64: -635, 634>} : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  func.return
}
// CHECK: sums go from -635 to 635, beyond the bound

// -----

func.func @bound_of_variables(%w: tensor<1x2x!fixed.q<8, 4>>, %x: tensor<2x1x!fixed.q<8, 4>>) {
  %y = tdsl.matmul %w, %x {acc = !fixed.acc<24, 8>, bound = array<i64: -9, 9>} : tensor<1x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return
}
// CHECK: sums go from -32258 to 32258, beyond the bound

// -----

// The sum fits in 16 bits, but not with the half that is added to round it.
func.func @room(%w: tensor<1x2x!fixed.q<8, 4>>, %x: tensor<2x1x!fixed.q<8, 4>>) {
  %y = tdsl.matmul %w, %x {acc = !fixed.acc<16, 8>, bound = array<i64: -32258, 32258>} : tensor<1x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, -2>>
  func.return
}
// CHECK: !fixed.acc<16, 8> cannot hold sums from -32258 to 32258 and round them into !fixed.q<8, -2>

// -----

func.func @no_proof(%w: tensor<1x3x!fixed.q<8, 4>>, %x: tensor<3x1x!fixed.q<8, 4>>) {
  %y = tdsl.matmul %w, %x {acc = !fixed.acc<16, 8>} : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return
}
// CHECK: !fixed.acc<16, 8> cannot hold sums from -48387 to 48387

// -----

func.func @no_interval(%w: tensor<1x2x!fixed.q<8, 4>>, %x: tensor<2x1x!fixed.q<8, 4>>) {
  %y = tdsl.matmul %w, %x {acc = !fixed.acc<24, 8>, bound = array<i64: 9, -9>} : tensor<1x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return
}
// CHECK: bound must be the least and the greatest of a sum

// -----

// A loop over three weights, 1 + 2 + 4, times 127.
func.func @carried(%x: tensor<1x!fixed.q<8, 4>>) {
  %w = tdsl.const dense<[[1], [2], [4]]> : tensor<3x1xi8> -> tensor<3x1x!fixed.q<8, 4>>
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %step = arith.constant 1 : index
  %zero = tdsl.zero -> tensor<1x!fixed.acc<16, 8>>
  %sum = scf.for %i = %from to %to step %step iter_args(%s = %zero) -> (tensor<1x!fixed.acc<16, 8>>) {
    %wi = tdsl.index %w[%i] : tensor<3x1x!fixed.q<8, 4>> -> tensor<1x!fixed.q<8, 4>>
    %t = tdsl.mac %s, %wi, %x : tensor<1x!fixed.acc<16, 8>>, tensor<1x!fixed.q<8, 4>>, tensor<1x!fixed.q<8, 4>> -> tensor<1x!fixed.acc<16, 8>>
    scf.yield %t : tensor<1x!fixed.acc<16, 8>>
  }
  %y = tdsl.finish %sum {bound = array<i64: -888, 889>} : tensor<1x!fixed.acc<16, 8>> -> tensor<1x!fixed.q<8, 4>>
  func.return
}
// CHECK: sums go from -889 to 889, beyond the bound

// -----

func.func @scheme(%a: tensor<3x!fixed.q<16, 9>>) {
  %d = tdsl.tanh %a {scheme = "nobody's"} : tensor<3x!fixed.q<16, 9>> -> tensor<3x!fixed.q<16, 15>>
  func.return
}
// CHECK: !fixed.q<16, 15> has no scheme 'nobody's' for functions

// -----

func.func @pairs(%w: tensor<1x2xf32>) {
  %y = tdsl.matmul_sum %w : tensor<1x2xf32> -> tensor<1x2xf32>
  func.return
}
// CHECK: expected pairs of matrices, got 1 factors

// -----

func.func @shapes(%w: tensor<1x2xf32>, %x: tensor<2x1xf32>, %b: tensor<2x1xf32>) {
  %y = tdsl.matmul_sum %w, %x from %b : tensor<2x1xf32> : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return
}
// CHECK: sums have one shape, got 1x1 and 2x1

// -----

// In units of 2^-8 the first product cannot be held exactly.
func.func @finer_first(%w: tensor<1x2x!fixed.q<8, 5>>, %u: tensor<1x2x!fixed.q<8, 4>>, %x: tensor<2x1x!fixed.q<8, 4>>) {
  %y = tdsl.matmul_sum %w, %x, %u, %x {acc = !fixed.acc<24, 8>} : tensor<1x2x!fixed.q<8, 5>>, tensor<2x1x!fixed.q<8, 4>>, tensor<1x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return
}
// CHECK: a sum in !fixed.acc<24, 9> does not continue in !fixed.acc<24, 8>, which sums products of !fixed.q<8, 4> and !fixed.q<8, 4>

// -----

// 2 * 127 * 127 in units of 2^-8, the same in units of 2^-9, and 127 * 2^5 in units of 2^-9.
func.func @bound_of_a_sum(%w: tensor<1x2x!fixed.q<8, 4>>, %u: tensor<1x2x!fixed.q<8, 5>>, %x: tensor<2x1x!fixed.q<8, 4>>, %b: tensor<1x1x!fixed.q<8, 4>>) {
  %y = tdsl.matmul_sum %w, %x, %u, %x from %b : tensor<1x1x!fixed.q<8, 4>> {acc = !fixed.acc<24, 9>, bound = array<i64: -100837, 100838>} : tensor<1x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>>, tensor<1x2x!fixed.q<8, 5>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return
}
// CHECK: sums go from -100838 to 100838, beyond the bound

// -----

func.func @fine_start(%w: tensor<1x2x!fixed.q<8, 1>>, %x: tensor<2x1x!fixed.q<8, 1>>, %b: tensor<1x1x!fixed.q<8, 3>>) {
  %y = tdsl.matmul_sum %w, %x from %b : tensor<1x1x!fixed.q<8, 3>> {acc = !fixed.acc<32, 2>} : tensor<1x2x!fixed.q<8, 1>>, tensor<2x1x!fixed.q<8, 1>> -> tensor<1x1x!fixed.q<8, 1>>
  func.return
}
// CHECK: no sum of the first products starts from !fixed.q<8, 3>

// -----

// Sums of squares beyond 64 bits are still counted right.
// CHECK: sums go from 0 to 18446744039349813264, beyond the bound
func.func @huge(%x: tensor<4x1x!fixed.q<31, 9>>) -> tensor<1x1x!fixed.q<16, 6>> {
  %b = tdsl.const dense<1073741823> : tensor<4x1xi32> -> tensor<4x1x!fixed.q<31, 9>>
  %d = tdsl.squared_distance %x, %b {acc = !fixed.acc<64, 18>, bound = array<i64: 0, 4>} : tensor<4x1x!fixed.q<31, 9>>, tensor<4x1x!fixed.q<31, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}

// -----

%a, %b = "test.op"() : () -> (tensor<2x5xf32>, index)
%r = tdsl.slice %a[%b, %b] {strides = array<i64: 1, -2>} : tensor<2x5xf32> -> tensor<1x4xf32>
// CHECK: a slice of shape 1x4 in steps of 1x-2 does not fit in 2x5

// -----

%a, %b = "test.op"() : () -> (tensor<2x5xf32>, index)
%r = tdsl.slice %a[%b, %b] {strides = array<i64: 1, 0>} : tensor<2x5xf32> -> tensor<1x2xf32>
// CHECK: slice of 2x5 needs 2 strides other than 0

// -----

%a, %i = "test.op"() : () -> (tensor<1x4x4x3xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, ring = array<i64: 4, 4>} : tensor<1x4x4x3xf32> -> tensor<1x2x2x3xf32>
// CHECK: a ring holds a part of 16 pixels, got 4x4

// -----

%a, %i = "test.op"() : () -> (tensor<1x2x1x3xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, ring = array<i64: 4, 4>} : tensor<1x2x1x3xf32> -> tensor<1x2x2x3xf32>
// CHECK: windows reach over 2x2 pixels, the ring holds 2x1

// -----

%a, %i = "test.op"() : () -> (tensor<1x2x4x3xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 2, 1>, margins = array<i64: 0, 0, 0, 0>, ring = array<i64: 4, 4>} : tensor<1x2x4x3xf32> -> tensor<1x2x2x3xf32>
// CHECK: windows reach over 3x2 pixels, the ring holds 2x4

// -----

%a, %i = "test.op"() : () -> (tensor<1x1x5x3xf32>, index)
%r = tdsl.window %a[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, ring = array<i64: 4, 4>} : tensor<1x1x5x3xf32> -> tensor<1x2x2x3xf32>
// CHECK: windows reach over 1x6 pixels, the ring holds 1x5

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x2xf32>, tensor<1x6x6x2xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, turns = array<i64: 2, 1>} : tensor<5x3x3x2xf32>, tensor<1x6x6x2xf32> -> tensor<1x4x4x5xf32>
// CHECK: turns of [2, 1] rows leave

// -----

%a, %b = "test.op"() : () -> (tensor<4x3x3x2xf32>, tensor<1x6x6x4xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, turns = array<i64: 4>} : tensor<4x3x3x2xf32>, tensor<1x6x6x4xf32> -> tensor<1x4x4x4xf32>
// CHECK: only convolutions of a single image, undilated, and in one group or with one for each channel, run in turns

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x2xf32>, tensor<1x6x6x2xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, turns = array<i64: 4>} : tensor<5x3x3x2xf32>, tensor<1x6x6x2xf32> -> tensor<1x4x4x5xf32>
%s = tdsl.neg %b : tensor<1x6x6x2xf32> -> tensor<1x6x6x2xf32>
// CHECK: a convolution in turns destroys its image, which has another reader

// -----

%a, %i = "test.op"() : () -> (tensor<1x4x4x3xf32>, index)
%r = tdsl.receive %a[%i] : tensor<1x4x4x3xf32> -> tensor<1x2x3x3xf32>
// CHECK: result has shape 1x2x3x3, expected 1x2x4x3 from the operands

// -----

%a, %i = "test.op"() : () -> (tensor<1x4x4x3xf32>, index)
%r = tdsl.receive %a[%i] : tensor<1x4x4x3xf32> -> tensor<1x5x4x3xf32>
// CHECK: 5 rows are not part of 1x4x4x3

// -----

%a, %i = "test.op"() : () -> (tensor<4x4x3xf32>, index)
%r = tdsl.receive %a[%i] : tensor<4x4x3xf32> -> tensor<1x4x3xf32>
// CHECK: expected an image 1xHxWxC, got 4x4x3

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x2xf32>, tensor<1x6x6x2xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1, 1, 1>} : tensor<5x3x3x2xf32>, tensor<1x6x6x2xf32> -> tensor<1x6x6x5xf32>
// CHECK: only convolutions in place pad their image

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x2xf32>, tensor<1x6x6x2xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, turns = array<i64: 8>, padding = array<i64: 3, 1, 1, 1>} : tensor<5x3x3x2xf32>, tensor<1x6x6x2xf32> -> tensor<1x8x6x5xf32>
// CHECK: padding [3, 1, 1, 1] is negative, or not less than the windows of 3x3

// -----

"test.op"() {interface = #tdsl.interface<input = <packed = 33>>} : () -> ()
// CHECK: 'packed': expected a number of bits, 1 to 7 or 9 to 15, got 33

// -----

"test.op"() {interface = #tdsl.interface<input = <packd = 3>>} : () -> ()
// CHECK: unknown field 'packd' of an interface, did you mean 'packed'?

// -----

"test.op"() {interface = #tdsl.interface<input = <scales = [1.0, 3.0, 2.0]>>} : () -> ()
// CHECK: 'scales' and 'offsets' of the input belong together

// -----

"test.op"() {interface = #tdsl.interface<input = <points = [3.0]>>} : () -> ()
// CHECK: 'points' of the input need 'scales' and 'offsets'

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 4, runs = 3, length = 9, pitch = 12, step = 3, count = 2, zero = 0>} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
// CHECK: 4 pixels of 5 channels do not consist of tiles of (1, 2, 4)

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 9, pitch = 12, step = 3, count = 3, zero = 0>} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
// CHECK: 4 pixels of 5 channels do not consist of tiles of (1, 3, 5)

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 8, pitch = 12, step = 3, count = 2, zero = 0>} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
// CHECK: runs, their length, pitch and step are (3, 9, 12, 3), those of the tile (3, 8, 12, 3)

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x3xf32>, tensor<2x3x3x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 9, pitch = 9, step = 27, count = 2, zero = 0>} : tensor<5x3x3x3xf32>, tensor<2x3x3x3xf32> -> tensor<2x1x1x5xf32>
// CHECK: runs, their length, pitch and step are (1, 27, 0, 27), those of the tile (3, 9, 9, 27)

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x3xf32>, tensor<1x5x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 9, pitch = 12, step = 3, count = 2, zero = 0>} : tensor<5x3x3x3xf32>, tensor<1x5x4x3xf32> -> tensor<1x2x2x5xf32>
// CHECK: only windows at even distances, of all channels or of each by itself, form tiles

// -----

%a, %b = "test.op"() : () -> (tensor<6x3x3x1xf32>, tensor<1x3x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 3 : i64, tile = #num.tile_kernel<"tm_tile", rows = 6, runs = 3, length = 9, pitch = 12, step = 3, count = 2, zero = 0>} : tensor<6x3x3x1xf32>, tensor<1x3x4x3xf32> -> tensor<1x1x2x6xf32>
// CHECK: channels have 2 filters, those of the tile 1

// -----

%a, %b = "test.op"() : () -> (tensor<4x3x3x2xf32>, tensor<1x3x4x4xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, tile = #num.tile_kernel<"tm_tile", rows = 4, runs = 3, length = 12, pitch = 16, step = 4, count = 2, zero = 0>} : tensor<4x3x3x2xf32>, tensor<1x3x4x4xf32> -> tensor<1x1x2x4xf32>
// CHECK: only windows at even distances, of all channels or of each by itself, form tiles

// -----

%a, %b = "test.op"() : () -> (tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32>)
%r = tdsl.conv2d %a, %b {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = 4 : i64} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
// CHECK: expected the kernel of a tile, as in #num.tile_kernel<...>

// -----

%a = "test.op"() : () -> tensor<2x!fixed.q<8, 4>>
%r = tdsl.reinterpret %a : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<16, 4>>
// CHECK: elements of !fixed.q<8, 4> are not stored as those of !fixed.q<16, 4>

// -----

%a = "test.op"() : () -> tensor<2x!fixed.q<8, 4>>
%r = tdsl.reinterpret %a : tensor<2x!fixed.q<8, 4>> -> tensor<3x!fixed.q<8, 5>>
// CHECK: result has shape 3, expected 2 from the operands
