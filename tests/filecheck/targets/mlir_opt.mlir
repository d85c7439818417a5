// Memrefs of numbers, and memrefs in flash, are printed as MLIR's tools accept them, and read back.

// RUN: tinyml-opt %s -t mlir-opt | filecheck %s
// RUN: tinyml-opt %s -t mlir-opt | tinyml-opt | filecheck %s --check-prefix=BACK

func.func @copy(%x: memref<4x!fixed.q<8, 7>>, %i: index) -> memref<1xi16> {
  %w = scratch.constant dense<[1, -2, 3, 4]> : tensor<4xi8> -> memref<4x!fixed.q<8, 7>, #scratch.flash>
  %sum = memref.alloc() : memref<1xi16>
  %f = memref.alloc() : memref<1xf32, #scratch.flash>
  %unused = memref.load %sum[%i] : memref<1xi16>
  %a = memref.load %w[%i] : memref<4x!fixed.q<8, 7>, #scratch.flash>
  memref.store %a, %x[%i] : memref<4x!fixed.q<8, 7>>
  %near = "memref.cast"(%f) : (memref<1xf32, #scratch.flash>) -> memref<?xf32>
  func.return %sum : memref<1xi16>
}

// CHECK:      function_type = (memref<4xi8, {element = !fixed.q<8, 7>}>, index) -> memref<1xi16>
// CHECK:      [[W:%[^ ]+]] = "scratch.constant"() {{.*}} -> memref<4xi8, {element = !fixed.q<8, 7>, space = #scratch.flash}>
// CHECK:      "memref.alloc"() {{.*}} : () -> memref<1xi16>
// CHECK:      [[F:%[^ ]+]] = "memref.alloc"() {{.*}} : () -> memref<1xf32, {space = #scratch.flash}>
// An element whose type MLIR accepts needs no conversion.
// CHECK-NEXT: {{.*}} = "memref.load"({{.*}}) : (memref<1xi16>, index) -> i16
// CHECK-NEXT: [[RAW:%[^ ]+]] = "memref.load"([[W]], {{.*}} -> i8
// CHECK-NEXT: [[NUMBER:%[^ ]+]] = "builtin.unrealized_conversion_cast"([[RAW]]) : (i8) -> !fixed.q<8, 7>
// CHECK-NEXT: [[STORED:%[^ ]+]] = "builtin.unrealized_conversion_cast"([[NUMBER]]) : (!fixed.q<8, 7>) -> i8
// CHECK-NEXT: "memref.store"([[STORED]], {{.*}}) : (i8, memref<4xi8, {element = !fixed.q<8, 7>}>, index) -> ()
// CHECK-NEXT: {{.*}} = "builtin.unrealized_conversion_cast"([[F]]) : (memref<1xf32, {space = #scratch.flash}>) -> memref<?xf32>

// BACK:      func.func @copy(%x: memref<4x!fixed.q<8, 7>>, %i: index) -> memref<1xi16> {
// BACK-NEXT:   %w = scratch.constant dense<[1, -2, 3, 4]> : tensor<4xi8> -> memref<4x!fixed.q<8, 7>, #scratch.flash>
// BACK-NEXT:   %sum = memref.alloc() : memref<1xi16>
// BACK-NEXT:   %f = memref.alloc() : memref<1xf32, #scratch.flash>
// BACK-NEXT:   %unused = memref.load %sum[%i] : memref<1xi16>
// BACK-NEXT:   [[A:%[^ ]+]] = memref.load %w[%i] : memref<4x!fixed.q<8, 7>, #scratch.flash>
// BACK-NEXT:   memref.store [[A]], %x[%i] : memref<4x!fixed.q<8, 7>>
// BACK-NEXT:   {{.*}} = "memref.cast"(%f) : (memref<1xf32, #scratch.flash>) -> memref<?xf32>
// BACK-NEXT:   func.return %sum : memref<1xi16>
