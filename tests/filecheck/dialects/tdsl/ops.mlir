// Every op, attribute and form of the tensor DSL reads what it prints.

// RUN: %roundtrip
// RUN: %generic

// Reals and formats side by side: the ops are the same.
func.func @elementwise(%x: tensor<2x3xf32>, %row: tensor<3xf32>, %s: tensor<f32>, %q: tensor<2x3x!fixed.q<16, 12>>, %p: tensor<1x3x!fixed.q<8, 4>>, %c: i1) {
  %add = tdsl.add %x, %row : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK: %add = tdsl.add %x, %row : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %sub = tdsl.sub %s, %x : tensor<f32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: %sub = tdsl.sub %s, %x : tensor<f32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %most = tdsl.maximum %s, %x : tensor<f32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: %most = tdsl.maximum %s, %x : tensor<f32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %least = tdsl.minimum %q, %p : tensor<2x3x!fixed.q<16, 12>>, tensor<1x3x!fixed.q<8, 4>> -> tensor<2x3x!fixed.q<16, 11>>
// CHECK: %least = tdsl.minimum %q, %p : tensor<2x3x!fixed.q<16, 12>>, tensor<1x3x!fixed.q<8, 4>> -> tensor<2x3x!fixed.q<16, 11>>
  %mul = tdsl.mul %q, %p : tensor<2x3x!fixed.q<16, 12>>, tensor<1x3x!fixed.q<8, 4>> -> tensor<2x3x!fixed.q<32, 20>>
// CHECK: %mul = tdsl.mul %q, %p : tensor<2x3x!fixed.q<16, 12>>, tensor<1x3x!fixed.q<8, 4>> -> tensor<2x3x!fixed.q<32, 20>>
  %neg = tdsl.neg %q : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<16, 11>>
// CHECK: %neg = tdsl.neg %q : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<16, 11>>
  %exp = tdsl.exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: %exp = tdsl.exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %tanh = tdsl.tanh %q : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<8, 7>>
// CHECK: %tanh = tdsl.tanh %q : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<8, 7>>
  %sigmoid = tdsl.sigmoid %s : tensor<f32> -> tensor<f32>
// CHECK: %sigmoid = tdsl.sigmoid %s : tensor<f32> -> tensor<f32>
  %erf = tdsl.erf %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: %erf = tdsl.erf %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %log = tdsl.log %q : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<16, 11>>
// CHECK: %log = tdsl.log %q : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<16, 11>>
  %softplus = tdsl.softplus %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: %softplus = tdsl.softplus %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %relu = tdsl.relu %q : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<16, 12>>
// CHECK: %relu = tdsl.relu %q : tensor<2x3x!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<16, 12>>
  %relu6 = tdsl.relu6 %x : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: %relu6 = tdsl.relu6 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %cast = tdsl.cast %x : tensor<2x3xf32> -> tensor<2x3x!fixed.q<16, 12>>
// CHECK: %cast = tdsl.cast %x : tensor<2x3xf32> -> tensor<2x3x!fixed.q<16, 12>>
  %select = tdsl.select %c, %x, %add : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK: %select = tdsl.select %c, %x, %add : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

func.func @movement(%x: tensor<2x3xf32>, %q: tensor<4x2x!fixed.q<8, 4>>, %i: index, %j: index) {
  %const = tdsl.const dense<[1, -2]> : tensor<2xi16> -> tensor<2x!fixed.q<12, 8>>
// CHECK: %const = tdsl.const dense<[1, -2]> : tensor<2xi16> -> tensor<2x!fixed.q<12, 8>>
  %real = tdsl.const dense<5.000000e-01> : tensor<f32> -> tensor<f32>
// CHECK: %real = tdsl.const dense<5.000000e-01> : tensor<f32> -> tensor<f32>
  %sparse = tdsl.const dense<[0, 3]> : tensor<2xi8> -> tensor<2x!fixed.q<8, 4>, #tdsl.csr>
// CHECK: %sparse = tdsl.const dense<[0, 3]> : tensor<2xi8> -> tensor<2x!fixed.q<8, 4>, #tdsl.csr>
  %fill = tdsl.fill {value = 5.000000e-01 : f64} -> tensor<2x3xf32>
// CHECK: %fill = tdsl.fill {value = 5.000000e-01 : f64} -> tensor<2x3xf32>
  %raws = tdsl.reinterpret %q : tensor<4x2x!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 7>>
// CHECK: %raws = tdsl.reinterpret %q : tensor<4x2x!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 7>>
  %reshape = tdsl.reshape %x : tensor<2x3xf32> -> tensor<6x1xf32>
// CHECK: %reshape = tdsl.reshape %x : tensor<2x3xf32> -> tensor<6x1xf32>
  %transpose = tdsl.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK: %transpose = tdsl.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
  %computed = tdsl.relu %transpose : tensor<3x2xf32> -> tensor<3x2xf32>
  %turned = tdsl.transpose %computed {permutation = array<i64: 1, 0>, in_place} : tensor<3x2xf32> -> tensor<2x3xf32>
// CHECK: %turned = tdsl.transpose %computed {permutation = array<i64: 1, 0>, in_place} : tensor<3x2xf32> -> tensor<2x3xf32>
  %reverse = tdsl.reverse %q {axis = 1 : i64} : tensor<4x2x!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 4>>
// CHECK: %reverse = tdsl.reverse %q {axis = 1 : i64} : tensor<4x2x!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 4>>
  %move_up = tdsl.move_up %q {axis = 0 : i64, count = 1 : i64} : tensor<4x2x!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 4>>
// CHECK: %move_up = tdsl.move_up %q {axis = 0 : i64, count = 1 : i64} : tensor<4x2x!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 4>>
  %index = tdsl.index %q[%i] : tensor<4x2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
// CHECK: %index = tdsl.index %q[%i] : tensor<4x2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
  %slice = tdsl.slice %q[%i, %j] : tensor<4x2x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
// CHECK: %slice = tdsl.slice %q[%i, %j] : tensor<4x2x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  %strided = tdsl.slice %q[%i, %j] {strides = array<i64: -3, 1>} : tensor<4x2x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
// CHECK: %strided = tdsl.slice %q[%i, %j] {strides = array<i64: -3, 1>} : tensor<4x2x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  %insert = tdsl.insert_slice %slice, %q[%i, %j] : tensor<2x1x!fixed.q<8, 4>>, tensor<4x2x!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 4>>
// CHECK: %insert = tdsl.insert_slice %slice, %q[%i, %j] : tensor<2x1x!fixed.q<8, 4>>, tensor<4x2x!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 4>>
  func.return
}

func.func @contraction(%w: tensor<2x4x!fixed.q<16, 14>>, %x: tensor<4x1x!fixed.q<16, 12>>, %a: tensor<2x4xf32>, %b: tensor<4x3xf32>, %m: tensor<2x4x!fixed.q<8, 4>, #tdsl.csr>, %one: tensor<1x1xf32>, %bias: tensor<2x1x!fixed.q<16, 10>>) {
  %matmul = tdsl.matmul %a, %b : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
// CHECK: %matmul = tdsl.matmul %a, %b : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %proven = tdsl.matmul %w, %x {acc = !fixed.acc<64, 26>, bound = array<i64: -4294705156, 4294705156>} : tensor<2x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK: %proven = tdsl.matmul %w, %x {acc = !fixed.acc<64, 26>, bound = array<i64: -4294705156, 4294705156>} : tensor<2x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
  %sum = tdsl.matmul_sum %w, %x, %w, %x from %bias : tensor<2x1x!fixed.q<16, 10>> {acc = !fixed.acc<64, 26>} : tensor<2x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 12>>, tensor<2x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK: %sum = tdsl.matmul_sum %w, %x, %w, %x from %bias : tensor<2x1x!fixed.q<16, 10>> {acc = !fixed.acc<64, 26>} : tensor<2x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 12>>, tensor<2x4x!fixed.q<16, 14>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
  %two = tdsl.matmul_sum %a, %b, %a, %b : tensor<2x4xf32>, tensor<4x3xf32>, tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
// CHECK: %two = tdsl.matmul_sum %a, %b, %a, %b : tensor<2x4xf32>, tensor<4x3xf32>, tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %float = tdsl.matmul %a, %b {acc = f32} : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
// CHECK: %float = tdsl.matmul %a, %b {acc = f32} : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %spmv = tdsl.spmv %m, %x : tensor<2x4x!fixed.q<8, 4>, #tdsl.csr>, tensor<4x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK: %spmv = tdsl.spmv %m, %x : tensor<2x4x!fixed.q<8, 4>, #tdsl.csr>, tensor<4x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
  %argmax = tdsl.argmax %x : tensor<4x1x!fixed.q<16, 12>>
// CHECK: %argmax = tdsl.argmax %x : tensor<4x1x!fixed.q<16, 12>>
  %sign = tdsl.sign %one : tensor<1x1xf32>
// CHECK: %sign = tdsl.sign %one : tensor<1x1xf32>
  %at_least = tdsl.at_least %one {threshold = 5.000000e-01 : f64} : tensor<1x1xf32>
// CHECK: %at_least = tdsl.at_least %one {threshold = 5.000000e-01 : f64} : tensor<1x1xf32>
  func.return
}

func.func @images(%x: tensor<1x4x4x3xf32>, %f: tensor<5x3x3x3xf32>, %g: tensor<6x2x2x1xf32>, %b: tensor<6xf32>, %w: tensor<2x1x1x2x!fixed.q<8, 4>>, %q: tensor<1x4x4x2x!fixed.q<8, 4>>, %i: index) {
  %maxpool = tdsl.max_pool %x {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 0>, strides = array<i64: 2, 1>} : tensor<1x4x4x3xf32> -> tensor<1x2x4x3xf32>
// CHECK: %maxpool = tdsl.max_pool %x {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 0>, strides = array<i64: 2, 1>} : tensor<1x4x4x3xf32> -> tensor<1x2x4x3xf32>
  %conv2d = tdsl.conv2d %f, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
// CHECK: %conv2d = tdsl.conv2d %f, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
  %tiled = tdsl.conv2d %f, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 9, pitch = 12, step = 3, count = 2, zero = 0>} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
// CHECK: %tiled = tdsl.conv2d %f, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 9, pitch = 12, step = 3, count = 2, zero = 0>} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
  %depthwise = tdsl.conv2d %g, %x from %b : tensor<6xf32> {strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>, groups = 3 : i64} : tensor<6x2x2x1xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x6xf32>
// CHECK: %depthwise = tdsl.conv2d %g, %x from %b : tensor<6xf32> {strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>, groups = 3 : i64} : tensor<6x2x2x1xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x6xf32>
  %proven = tdsl.conv2d %w, %q {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 8>, bound = array<i64: -32512, 32512>, row_shifts = array<i8: 0, 3>} : tensor<2x1x1x2x!fixed.q<8, 4>>, tensor<1x4x4x2x!fixed.q<8, 4>> -> tensor<1x4x4x2x!fixed.q<8, 4>>
// CHECK: %proven = tdsl.conv2d %w, %q {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 8>, bound = array<i64: -32512, 32512>, row_shifts = array<i8: 0, 3>} : tensor<2x1x1x2x!fixed.q<8, 4>>, tensor<1x4x4x2x!fixed.q<8, 4>> -> tensor<1x4x4x2x!fixed.q<8, 4>>
  %pad = tdsl.pad %x {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 2, 0>} : tensor<1x4x4x3xf32> -> tensor<1x5x6x3xf32>
// CHECK: %pad = tdsl.pad %x {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 2, 0>} : tensor<1x4x4x3xf32> -> tensor<1x5x6x3xf32>
  %minus = tdsl.pad %q {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 2, 0>, value = -1.500000e+00 : f64} : tensor<1x4x4x2x!fixed.q<8, 4>> -> tensor<1x5x6x2x!fixed.q<8, 4>>
// CHECK: %minus = tdsl.pad %q {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 2, 0>, value = -1.500000e+00 : f64} : tensor<1x4x4x2x!fixed.q<8, 4>> -> tensor<1x5x6x2x!fixed.q<8, 4>>
  %window = tdsl.window %x[%i, %i] {dilations = array<i64: 1, 2>, margins = array<i64: 1, 0, 0, 2>, value = 1.500000e+00 : f64} : tensor<1x4x4x3xf32> -> tensor<1x3x2x3xf32>
// CHECK: %window = tdsl.window %x[%i, %i] {dilations = array<i64: 1, 2>, margins = array<i64: 1, 0, 0, 2>, value = 1.500000e+00 : f64} : tensor<1x4x4x3xf32> -> tensor<1x3x2x3xf32>
  %receive = tdsl.receive %x[%i] : tensor<1x4x4x3xf32> -> tensor<1x2x4x3xf32>
// CHECK: %receive = tdsl.receive %x[%i] : tensor<1x4x4x3xf32> -> tensor<1x2x4x3xf32>
  %two = tdsl.window %x[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 1>, across = 2 : i64} : tensor<1x4x4x3xf32> -> tensor<2x3x2x3xf32>
// CHECK: %two = tdsl.window %x[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 1>, across = 2 : i64} : tensor<1x4x4x3xf32> -> tensor<2x3x2x3xf32>
  %planes = tdsl.window %x[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, axes = array<i64: 0, 2, 3, 1>} : tensor<1x4x4x3xf32> -> tensor<1x3x2x4xf32>
// CHECK: %planes = tdsl.window %x[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, axes = array<i64: 0, 2, 3, 1>} : tensor<1x4x4x3xf32> -> tensor<1x3x2x4xf32>
  %ring = tdsl.window %x[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 1, 0, 0>, ring = array<i64: 9, 4>} : tensor<1x4x4x3xf32> -> tensor<1x3x2x3xf32>
// CHECK: %ring = tdsl.window %x[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 1, 0, 0>, ring = array<i64: 9, 4>} : tensor<1x4x4x3xf32> -> tensor<1x3x2x3xf32>
  %none = tdsl.no_total -> tensor<1x1x1x2xi32>
// CHECK: %none = tdsl.no_total -> tensor<1x1x1x2xi32>
  %tally = tdsl.tally %none, %q : tensor<1x1x1x2xi32>, tensor<1x4x4x2x!fixed.q<8, 4>> -> tensor<1x1x1x2xi32>
// CHECK: %tally = tdsl.tally %none, %q : tensor<1x1x1x2xi32>, tensor<1x4x4x2x!fixed.q<8, 4>> -> tensor<1x1x1x2xi32>
  %quotient = tdsl.quotient %tally {count = 16 : i64, of = !fixed.q<8, 4>, over_axes} : tensor<1x1x1x2xi32> -> tensor<1x1x1x2x!fixed.q<8, 4>>
// CHECK: %quotient = tdsl.quotient %tally {count = 16 : i64, of = !fixed.q<8, 4>, over_axes} : tensor<1x1x1x2xi32> -> tensor<1x1x1x2x!fixed.q<8, 4>>
  %spread = tdsl.pad %x {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 2, 0>, interior = array<i64: 0, 1, 2, 0>} : tensor<1x4x4x3xf32> -> tensor<1x8x12x3xf32>
// CHECK: %spread = tdsl.pad %x {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 2, 0>, interior = array<i64: 0, 1, 2, 0>} : tensor<1x4x4x3xf32> -> tensor<1x8x12x3xf32>
  %resized = tdsl.resize_nearest %x : tensor<1x4x4x3xf32> -> tensor<1x6x8x3xf32>
// CHECK: %resized = tdsl.resize_nearest %x : tensor<1x4x4x3xf32> -> tensor<1x6x8x3xf32>
  %concat = tdsl.concat %x, %maxpool, %x {axis = 1 : i64} : tensor<1x4x4x3xf32>, tensor<1x2x4x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x10x4x3xf32>
// CHECK: %concat = tdsl.concat %x, %maxpool, %x {axis = 1 : i64} : tensor<1x4x4x3xf32>, tensor<1x2x4x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x10x4x3xf32>
  func.return
}

// With a destination, on buffers.
func.func @memrefs(%x: memref<2x3xf32>, %y: memref<2x3xf32>, %t: memref<3x2xf32>, %q: memref<2x4x!fixed.q<8, 4>, #scratch.flash>, %m: memref<2x4x!fixed.q<8, 4>, #scratch.csr>, %v: memref<4x1x!fixed.q<16, 12>>, %r: memref<2x1x!fixed.q<16, 12>>, %e: memref<4x!fixed.q<8, 4>>, %p: memref<1x2x!fixed.q<8, 4>>, %b: memref<2x4x!fixed.q<8, 4>>, %one: memref<f32>, %c: i1, %i: index) {
  tdsl.add %x, %one : memref<2x3xf32>, memref<f32> into %y : memref<2x3xf32>
// CHECK: tdsl.add %x, %one : memref<2x3xf32>, memref<f32> into %y : memref<2x3xf32>
  tdsl.sub %one, %x : memref<f32>, memref<2x3xf32> into %y : memref<2x3xf32>
// CHECK: tdsl.sub %one, %x : memref<f32>, memref<2x3xf32> into %y : memref<2x3xf32>
  tdsl.mul %x, %y : memref<2x3xf32>, memref<2x3xf32> into %y : memref<2x3xf32>
// CHECK: tdsl.mul %x, %y : memref<2x3xf32>, memref<2x3xf32> into %y : memref<2x3xf32>
  tdsl.neg %x : memref<2x3xf32> into %y : memref<2x3xf32>
// CHECK: tdsl.neg %x : memref<2x3xf32> into %y : memref<2x3xf32>
  tdsl.exp %x : memref<2x3xf32> into %x : memref<2x3xf32>
// CHECK: tdsl.exp %x : memref<2x3xf32> into %x : memref<2x3xf32>
  tdsl.tanh %v : memref<4x1x!fixed.q<16, 12>> into %v : memref<4x1x!fixed.q<16, 12>>
// CHECK: tdsl.tanh %v : memref<4x1x!fixed.q<16, 12>> into %v : memref<4x1x!fixed.q<16, 12>>
  tdsl.sigmoid %x : memref<2x3xf32> into %x : memref<2x3xf32>
// CHECK: tdsl.sigmoid %x : memref<2x3xf32> into %x : memref<2x3xf32>
  tdsl.relu %x : memref<2x3xf32> into %y : memref<2x3xf32>
// CHECK: tdsl.relu %x : memref<2x3xf32> into %y : memref<2x3xf32>
  tdsl.relu6 %v : memref<4x1x!fixed.q<16, 12>> into %v : memref<4x1x!fixed.q<16, 12>>
// CHECK: tdsl.relu6 %v : memref<4x1x!fixed.q<16, 12>> into %v : memref<4x1x!fixed.q<16, 12>>
  tdsl.cast %v : memref<4x1x!fixed.q<16, 12>> into %v : memref<4x1x!fixed.q<16, 12>>
// CHECK: tdsl.cast %v : memref<4x1x!fixed.q<16, 12>> into %v : memref<4x1x!fixed.q<16, 12>>
  tdsl.select %c, %x, %y : memref<2x3xf32>, memref<2x3xf32> into %y : memref<2x3xf32>
// CHECK: tdsl.select %c, %x, %y : memref<2x3xf32>, memref<2x3xf32> into %y : memref<2x3xf32>
  tdsl.fill {value = 0.000000e+00 : f64} into %y : memref<2x3xf32>
// CHECK: tdsl.fill {value = 0.000000e+00 : f64} into %y : memref<2x3xf32>
  tdsl.reinterpret %x : memref<2x3xf32> into %y : memref<2x3xf32>
// CHECK: tdsl.reinterpret %x : memref<2x3xf32> into %y : memref<2x3xf32>
  tdsl.reshape %x : memref<2x3xf32> into %t : memref<3x2xf32>
// CHECK: tdsl.reshape %x : memref<2x3xf32> into %t : memref<3x2xf32>
  tdsl.transpose %x {permutation = array<i64: 1, 0>} : memref<2x3xf32> into %t : memref<3x2xf32>
// CHECK: tdsl.transpose %x {permutation = array<i64: 1, 0>} : memref<2x3xf32> into %t : memref<3x2xf32>
  tdsl.reverse %x {axis = 0 : i64} : memref<2x3xf32> into %y : memref<2x3xf32>
// CHECK: tdsl.reverse %x {axis = 0 : i64} : memref<2x3xf32> into %y : memref<2x3xf32>
  tdsl.index %q[%i] : memref<2x4x!fixed.q<8, 4>, #scratch.flash> into %e : memref<4x!fixed.q<8, 4>>
// CHECK: tdsl.index %q[%i] : memref<2x4x!fixed.q<8, 4>, #scratch.flash> into %e : memref<4x!fixed.q<8, 4>>
  tdsl.slice %q[%i, %i] : memref<2x4x!fixed.q<8, 4>, #scratch.flash> into %p : memref<1x2x!fixed.q<8, 4>>
// CHECK: tdsl.slice %q[%i, %i] : memref<2x4x!fixed.q<8, 4>, #scratch.flash> into %p : memref<1x2x!fixed.q<8, 4>>
  tdsl.insert_slice %p, %q[%i, %i] : memref<1x2x!fixed.q<8, 4>>, memref<2x4x!fixed.q<8, 4>, #scratch.flash> into %b : memref<2x4x!fixed.q<8, 4>>
// CHECK: tdsl.insert_slice %p, %q[%i, %i] : memref<1x2x!fixed.q<8, 4>>, memref<2x4x!fixed.q<8, 4>, #scratch.flash> into %b : memref<2x4x!fixed.q<8, 4>>
  tdsl.matmul %q, %v {acc = !fixed.acc<32, 16>, bound = array<i64: -8, 8>} : memref<2x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x1x!fixed.q<16, 12>> into %r : memref<2x1x!fixed.q<16, 12>>
// CHECK: tdsl.matmul %q, %v {acc = !fixed.acc<32, 16>, bound = array<i64: -8, 8>} : memref<2x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x1x!fixed.q<16, 12>> into %r : memref<2x1x!fixed.q<16, 12>>
  tdsl.spmv %m, %v : memref<2x4x!fixed.q<8, 4>, #scratch.csr>, memref<4x1x!fixed.q<16, 12>> into %r : memref<2x1x!fixed.q<16, 12>>
// CHECK: tdsl.spmv %m, %v : memref<2x4x!fixed.q<8, 4>, #scratch.csr>, memref<4x1x!fixed.q<16, 12>> into %r : memref<2x1x!fixed.q<16, 12>>
  %argmax = tdsl.argmax %r : memref<2x1x!fixed.q<16, 12>>
// CHECK: %argmax = tdsl.argmax %r : memref<2x1x!fixed.q<16, 12>>
  %sign = tdsl.sign %one : memref<f32>
// CHECK: %sign = tdsl.sign %one : memref<f32>
  %at_least = tdsl.at_least %one {threshold = 1.000000e+00 : f64} : memref<f32>
// CHECK: %at_least = tdsl.at_least %one {threshold = 1.000000e+00 : f64} : memref<f32>
  func.return
}
// GENERIC: "tdsl.matmul"(%q, %v, %r) <{acc = !fixed.acc<32, 16>, bound = array<i64: -8, 8>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (memref<2x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x1x!fixed.q<16, 12>>, memref<2x1x!fixed.q<16, 12>>) -> ()

func.func @image_memrefs(%image: memref<1x4x4x1xf32>, %pooled: memref<1x2x2x1xf32>, %filter: memref<1x2x2x1xf32>, %bias: memref<1xf32>, %both: memref<2x2x2x1xf32>, %i: index) {
  tdsl.max_pool %image {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : memref<1x4x4x1xf32> into %pooled : memref<1x2x2x1xf32>
// CHECK: tdsl.max_pool %image {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : memref<1x4x4x1xf32> into %pooled : memref<1x2x2x1xf32>
  tdsl.conv2d %filter, %image from %bias : memref<1xf32> {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : memref<1x2x2x1xf32>, memref<1x4x4x1xf32> into %pooled : memref<1x2x2x1xf32>
// CHECK: tdsl.conv2d %filter, %image from %bias : memref<1xf32> {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : memref<1x2x2x1xf32>, memref<1x4x4x1xf32> into %pooled : memref<1x2x2x1xf32>
  tdsl.pad %pooled {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : memref<1x2x2x1xf32> into %image : memref<1x4x4x1xf32>
// CHECK: tdsl.pad %pooled {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : memref<1x2x2x1xf32> into %image : memref<1x4x4x1xf32>
  tdsl.window %image[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x4x1xf32> into %pooled : memref<1x2x2x1xf32>
// CHECK: tdsl.window %image[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x4x1xf32> into %pooled : memref<1x2x2x1xf32>
  tdsl.resize_nearest %pooled : memref<1x2x2x1xf32> into %image : memref<1x4x4x1xf32>
// CHECK: tdsl.resize_nearest %pooled : memref<1x2x2x1xf32> into %image : memref<1x4x4x1xf32>
  tdsl.concat %filter, %pooled {axis = 0 : i64} : memref<1x2x2x1xf32>, memref<1x2x2x1xf32> into %both : memref<2x2x2x1xf32>
// CHECK: tdsl.concat %filter, %pooled {axis = 0 : i64} : memref<1x2x2x1xf32>, memref<1x2x2x1xf32> into %both : memref<2x2x2x1xf32>
  func.return
}

// Ranges and profiles print the shortest digits that give the same floats.
func.func @attributes(%x: tensor<1xf32> {tdsl.profile = #tdsl.profile<-4.5, 5.0, [-3.0, -0.1, 0.0, 2.0, 3.0]>}) -> tensor<1xf32> attributes {tdsl.interface = #tdsl.interface<input = <range = [-1.0e-07, 1.0e+22]>>} {
// CHECK: {tdsl.profile = #tdsl.profile<-4.5, 5.0, [-3.0, -0.1, 0.0, 2.0, 3.0]>}) {{.*}}#tdsl.interface<input = <range = [-1.0e-07, 1.0e+22]>>
  %y = tdsl.neg %x {tdsl.profile = [#tdsl.profile<0.0, 0.0, [0.0, 0.0, 0.0, 0.0, 0.0]>, unit]} : tensor<1xf32> -> tensor<1xf32>
// CHECK: %y = tdsl.neg %x {tdsl.profile = [#tdsl.profile<0.0, 0.0, [0.0, 0.0, 0.0, 0.0, 0.0]>, unit]} : tensor<1xf32> -> tensor<1xf32>
  func.return %y : tensor<1xf32>
}

// Chains of elementwise ops, and sums that a loop carries.
func.func @fused(%a: tensor<2x3x!fixed.q<16, 10>>, %s: tensor<!fixed.q<16, 12>>, %b: memref<2x3x!fixed.q<16, 10>>, %sums: memref<2x3x!fixed.acc<32, 22>>, %t: memref<1x1x!fixed.q<16, 12>>) -> tensor<2x3x!fixed.q<16, 9>> {
  %y = tdsl.map %a, %s : tensor<2x3x!fixed.q<16, 10>>, tensor<!fixed.q<16, 12>> -> tensor<2x3x!fixed.q<16, 9>> {
  ^bb0(%0: !fixed.q<16, 10>, %1: !fixed.q<16, 12>):
    %2 = num.mul %0, %1 : !fixed.q<16, 10>, !fixed.q<16, 12> -> !fixed.q<16, 9>
    tdsl.yield %2 : !fixed.q<16, 9>
  }
  %z = tdsl.zero -> tensor<2x3x!fixed.acc<32, 22>>
  %m = tdsl.mac %z, %a, %s : tensor<2x3x!fixed.acc<32, 22>>, tensor<2x3x!fixed.q<16, 10>>, tensor<!fixed.q<16, 12>> -> tensor<2x3x!fixed.acc<32, 22>>
  %f = tdsl.finish %m {bound = array<i64: -100, 100>} : tensor<2x3x!fixed.acc<32, 22>> -> tensor<2x3x!fixed.q<16, 9>>
  tdsl.mac %sums, %b, %t : memref<2x3x!fixed.acc<32, 22>>, memref<2x3x!fixed.q<16, 10>>, memref<1x1x!fixed.q<16, 12>> into %sums : memref<2x3x!fixed.acc<32, 22>>
  func.return %y : tensor<2x3x!fixed.q<16, 9>>
}
// CHECK-LABEL: func.func @fused
// CHECK: tdsl.map %a, %s : {{.*}} -> tensor<2x3x!fixed.q<16, 9>> {
// CHECK: tdsl.yield %{{.*}} : !fixed.q<16, 9>
// CHECK: tdsl.zero -> tensor<2x3x!fixed.acc<32, 22>>
// CHECK-NEXT: tdsl.mac
// CHECK-NEXT: tdsl.finish %{{.*}} {bound = array<i64: -100, 100>} :
// CHECK-NEXT: tdsl.mac %sums, %b, %t : {{.*}} into %sums

// The squared distance of two vectors whose difference is exact.
func.func @distance(%a: tensor<3x1x!fixed.q<14, 9>>, %b: tensor<3x1x!fixed.q<12, 9>>, %x: memref<3x1x!fixed.q<14, 9>>, %y: memref<1x1x!fixed.q<16, 6>>) -> tensor<1x1x!fixed.q<16, 6>> {
  %d = tdsl.squared_distance %a, %b {acc = !fixed.acc<32, 18>, bound = array<i64: 0, 314449932>} : tensor<3x1x!fixed.q<14, 9>>, tensor<3x1x!fixed.q<12, 9>> -> tensor<1x1x!fixed.q<16, 6>>
  tdsl.squared_distance %x, %x {acc = !fixed.acc<64, 18>} : memref<3x1x!fixed.q<14, 9>>, memref<3x1x!fixed.q<14, 9>> into %y : memref<1x1x!fixed.q<16, 6>>
  func.return %d : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK-LABEL: func.func @distance
// CHECK-NEXT: tdsl.squared_distance %a, %b {acc = !fixed.acc<32, 18>, bound = array<i64: 0, 314449932>} : {{.*}} -> tensor<1x1x!fixed.q<16, 6>>
// CHECK-NEXT: tdsl.squared_distance %x, %x {acc = !fixed.acc<64, 18>} : {{.*}} into %y : memref<1x1x!fixed.q<16, 6>>

// A matrix times a vector, added to sums.
func.func @accumulate(%s: tensor<2x1x!fixed.acc<32, 20>>, %a: tensor<2x3x!fixed.q<16, 10>>, %x: tensor<3x1x!fixed.q<16, 10>>) -> tensor<2x1x!fixed.acc<32, 20>> {
  %r = tdsl.accumulate %s, %a, %x : tensor<2x1x!fixed.acc<32, 20>>, tensor<2x3x!fixed.q<16, 10>>, tensor<3x1x!fixed.q<16, 10>> -> tensor<2x1x!fixed.acc<32, 20>>
  func.return %r : tensor<2x1x!fixed.acc<32, 20>>
}
// CHECK-LABEL: func.func @accumulate
// CHECK-NEXT: tdsl.accumulate %s, %a, %x : {{.*}} -> tensor<2x1x!fixed.acc<32, 20>>

func.func @partial(%b: tensor<3x!fixed.q<8, 7>>, %w: tensor<3x4x!fixed.q<8, 7>>, %x: tensor<4x1x!fixed.q<8, 7>>, %c: tensor<3x1x!fixed.q<8, 7>>, %i: index) {
  %s = tdsl.start %b : tensor<3x!fixed.q<8, 7>> -> tensor<1x2x2x3x!fixed.acc<32, 14>>
// CHECK: %s = tdsl.start %b : tensor<3x!fixed.q<8, 7>> -> tensor<1x2x2x3x!fixed.acc<32, 14>>
  %p = tdsl.slice %s[%i, %i, %i, %i] : tensor<1x2x2x3x!fixed.acc<32, 14>> -> tensor<1x1x1x3x!fixed.acc<32, 14>>
// CHECK: %p = tdsl.slice %s[%i, %i, %i, %i] : tensor<1x2x2x3x!fixed.acc<32, 14>> -> tensor<1x1x1x3x!fixed.acc<32, 14>>
  %f = tdsl.finish %s {row_shifts = array<i8: 0, 1, 2>} : tensor<1x2x2x3x!fixed.acc<32, 14>> -> tensor<1x2x2x3x!fixed.q<8, 4>>
// CHECK: %f = tdsl.finish %s {row_shifts = array<i8: 0, 1, 2>} : tensor<1x2x2x3x!fixed.acc<32, 14>> -> tensor<1x2x2x3x!fixed.q<8, 4>>
  %r = tdsl.row_product %w[%i], %x from %c : tensor<3x1x!fixed.q<8, 7>> {row_shifts = array<i8: 0, 1, 2>} : tensor<3x4x!fixed.q<8, 7>>, tensor<4x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK: %r = tdsl.row_product %w[%i], %x from %c : tensor<3x1x!fixed.q<8, 7>> {row_shifts = array<i8: 0, 1, 2>} : tensor<3x4x!fixed.q<8, 7>>, tensor<4x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return
}

// Rows with scales of their own.
func.func @rows(%a: tensor<2x3x!fixed.q<8, 7>>, %x: tensor<3x1x!fixed.q<8, 7>>) -> tensor<2x1x!fixed.q<8, 5>> {
  %r = tdsl.matmul %a, %x {row_shifts = array<i8: 0, 3>} : tensor<2x3x!fixed.q<8, 7>>, tensor<3x1x!fixed.q<8, 7>> -> tensor<2x1x!fixed.q<8, 5>>
  func.return %r : tensor<2x1x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @rows
// CHECK-NEXT: tdsl.matmul %a, %x {row_shifts = array<i8: 0, 3>} :

// Missing values.
func.func @missing(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %known = tdsl.impute %x {values = array<f64: 5.000000e-01, -2.000000e+00>} : tensor<1x2xf32> -> tensor<1x2xf32>
  func.return %known : tensor<1x2xf32>
}
// CHECK: %known = tdsl.impute %x {values = array<f64: 5.000000e-01, -2.000000e+00>} : tensor<1x2xf32> -> tensor<1x2xf32>
