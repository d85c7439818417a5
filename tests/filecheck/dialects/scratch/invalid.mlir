// What the verifiers of memory say.

// RUN: %invalid

%r = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<16, 4>, #scratch.flash>
// CHECK: value must be of type tensor<2xi16>, got tensor<2xi8>

// -----

%r = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2xi8, #scratch.packed_ram<4, 8>>
// CHECK: a constant lies in #scratch.flash, #scratch.csr or #scratch.packed, or in RAM

// -----

%r = scratch.constant dense<[4095, 4096]> : tensor<2xi16> -> memref<2x!fixed.q<13, 4>, #scratch.flash>
// CHECK: 4096 is not the raw value of any !fixed.q<13, 4>

// -----

%r = scratch.alloc : memref<4xf32, #scratch.flash>
// CHECK: working memory does not lie in flash

// -----

%r = scratch.alloc : memref<?xf32>
// CHECK: buffers must have a static shape, got memref<?xf32>

// -----

%r = scratch.alloc : memref<4xindex>
// CHECK: elements must have a size in memory, got index

// -----

%r = scratch.arena {alignment = 4 : i64} : memref<16xi16>
// CHECK: an arena is a memref<Nxi8>, got memref<16xi16>

// -----

%r = scratch.arena {alignment = 4 : i64} : memref<4x4xi8>
// CHECK: an arena is a memref<Nxi8>, got memref<4x4xi8>

// -----

%r = scratch.arena {alignment = 4 : i64} : memref<?xi8>
// CHECK: buffers must have a static shape, got memref<?xi8>

// -----

%r = scratch.arena {alignment = 3 : i64} : memref<16xi8>
// CHECK: alignment must be a power of two, got 3

// -----

%r = scratch.arena {alignment = 4 : i64, lower_bound = 20 : i64} : memref<16xi8>
// CHECK: the arena has 16 bytes, which its lower bound 20 does not allow

// -----

%a = "test.op"() : () -> (memref<16xi8>)
%r = scratch.view %a[10 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK: 8 bytes at offset 10 lie outside the arena of 16 bytes

// -----

%a = "test.op"() : () -> (memref<16xi8>)
%r = scratch.view %a[-2 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK: 8 bytes at offset -2 lie outside the arena of 16 bytes

// -----

%a = "test.op"() : () -> (memref<16xi8>)
%r = scratch.view %a[0 : i64] {live = [4 : i64, 4 : i64]} : memref<16xi8> to memref<4x!fixed.q<16, 12>>
%s = scratch.view %a[0 : i64] {live = [5 : i64, 4 : i64]} : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK: live is the first and the last point, such as [0, 4], got [5 : i64, 4 : i64]

// -----

%a = "test.op"() : () -> (memref<16xi8>)
%r = scratch.view %a[0 : i64] {live = [5 : i64]} : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK: live is the first and the last point, such as [0, 4], got [5 : i64]

// -----

%a = "test.op"() : () -> (memref<16xi8>)
%r = scratch.view %a[3 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK: offset 3 is not a multiple of the element size 2

// -----

%a, %b = "test.op"() : () -> (memref<8xf32>, index)
%r = scratch.slice %a[%b] : memref<8xf32> to memref<4x!fixed.q<32, 4>>
// CHECK: a slice cannot change memory space or storage type: memref<8xf32> and memref<4x!fixed.q<32, 4>>

// -----

%a, %b = "test.op"() : () -> (memref<8xf32, #scratch.flash>, index)
%r = scratch.slice %a[%b] : memref<8xf32, #scratch.flash> to memref<4xf32>
// CHECK: a slice cannot change memory space or storage type: memref<8xf32, #scratch.flash> and memref<4xf32>

// -----

%a, %b = "test.op"() : () -> (memref<8xf32>, index)
%r = scratch.slice %a[%b] : memref<8xf32> to memref<3x3xf32>
// CHECK: memref<3x3xf32> has more elements than memref<8xf32>

// -----

%a, %b = "test.op"() : () -> (memref<8xf32, #scratch.csr>, index)
%r = scratch.slice %a[%b] : memref<8xf32, #scratch.csr> to memref<4xf32, #scratch.csr>
// CHECK: a sparse matrix has no slices

// -----

%a = scratch.alloc : memref<3xf32>
%r = scratch.reuse %a : memref<3xf32> as memref<4xf32>
// CHECK: memref<4xf32> does not fit into the 12 bytes of memref<3xf32>

// -----

%a = "test.op"() : () -> memref<3xf32>
%r = scratch.reuse %a : memref<3xf32> as memref<3xf32>
// CHECK: only a whole buffer without an address can be reused

// -----

%a = scratch.alloc : memref<3xf32>
%r = scratch.reuse %a : memref<3xf32> as memref<3xf32, #scratch.flash>
// CHECK: working memory does not lie in flash

// -----

%a, %b = "test.op"() : () -> (memref<3xf32>, memref<3xf32>)
scratch.move %a to %b : memref<3xf32> to memref<3xf32>
// CHECK: a buffer moves from one view of an arena to another

// -----

%arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
%a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<3xf32>
%b = scratch.view %arena[4 : i64] : memref<16xi8> to memref<2xf32>
scratch.move %a to %b : memref<3xf32> to memref<2xf32>
// CHECK: a buffer keeps its type, got memref<3xf32> and memref<2xf32>

// -----

%r = scratch.constant dense<[1, 32]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.packed<6>>
// CHECK: not all elements have 6 bits

// -----

%r = scratch.constant dense<[1.0, 2.0]> : tensor<2xf32> -> memref<2xf32, #scratch.packed<6>>
// CHECK: only integers are packed

// -----

%r = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.packed<8>>
// CHECK: elements of 1 to 7 and 9 to 15 bits are packed, not of 8

// -----

%r = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.packed<2, odd>>
// CHECK: not all elements are odd integers of 2 bits

// -----

%r = scratch.constant dense<[1, 0]> : tensor<2xi8> -> memref<2x!codebook.c<2, 0, [-1, 0, 5]>, #scratch.packed<2, trits>>
// CHECK: only integers are packed as trits

// -----

%r = "test.op"() : () -> memref<8xi8, #scratch.packed<3, trits>>
// CHECK: no elements of 3 bits are packed as trits

// -----

%r = "test.op"() : () -> memref<8xi8, #scratch.packed<3, pairs>>
// CHECK: no elements of 3 bits are packed as pairs

// -----

%r = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.packed<2, pairs>>
// CHECK: not all elements are integers of 2 bits

// -----

%r = scratch.constant dense<[1, 0]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.packed<1, pairs>>
// CHECK: not all elements are odd integers of 1 bits

// -----

%r = "test.op"() : () -> memref<8xi16, #scratch.packed_ram<9, 8>>
// CHECK: elements of 9 bits are not packed with an offset of 8

// -----

%b, %i = "test.op"() : () -> (memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>>, index)
scratch.turn %b[%i] : %i x %i {pixel = 2 : i64, bits = 8 : i64} : memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK: turns working memory of whole bytes, or packed to 4 bits

// -----

%a = scratch.alloc : memref<4xf32>
%b, %c = "test.op"() : () -> (memref<4xf32>, index)
scratch.move %a to %b : memref<4xf32> to memref<4xf32>
// CHECK: a buffer moves from one view of an arena to another

// -----

%a, %b, %i = "test.op"() : () -> (memref<8x!fixed.q<16, 4>>, memref<4x!fixed.q<8, 4>>, index)
scratch.receive %a[%i] to %b : memref<8x!fixed.q<16, 4>> to memref<4x!fixed.q<8, 4>>
// CHECK: the storage type of elements cannot change, got memref<8x!fixed.q<16, 4>> and memref<4x!fixed.q<8, 4>>

// -----

%a, %b, %i = "test.op"() : () -> (memref<8x!fixed.q<16, 4>>, memref<3x!fixed.q<16, 4>>, index)
scratch.receive %a[%i] to %b : memref<8x!fixed.q<16, 4>> to memref<3x!fixed.q<16, 4>>
// CHECK: fills working memory with one of several rows, got memref<8x!fixed.q<16, 4>> and memref<3x!fixed.q<16, 4>>

// -----

%a, %i = "test.op"() : () -> (memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>>, index)
scratch.copy_run %a[%i] to %a[%i] count %i {most = 4 : i64} : memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>> to memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK: copies whole bytes of working memory

// -----

%a, %i = "test.op"() : () -> (memref<8xi8>, index)
scratch.copy_run %a[%i] to %a[%i] count %i {most = 4 : i64, step = 4 : i64} : memref<8xi8> to memref<8xi8>
// CHECK: a row of 4 elements does not slide by 4

// -----

%window, %weights = "test.op"() : () -> (memref<8xi8>, memref<3x4xi8, #scratch.flash>)
scratch.slide %window against %weights : memref<8xi8>, memref<3x4xi8, #scratch.flash>
// CHECK: needs constant rows of the elements of the window
