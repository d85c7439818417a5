// Constants in RAM are members of a structure that the caller writes, the largest elements first; those in flash are not.

// RUN: tinyml-opt %s --split-input-file -p lower-arith-to-c | filecheck %s
// RUN: tinyml-opt %s --split-input-file -p lower-arith-to-c -t 'c{target=uno}' | filecheck %s --check-prefix=C
// RUN: tinyml-opt %s --split-input-file -p lower-arith-to-c -t 'c{target=uno file=header}' | filecheck %s --check-prefix=HEADER

builtin.module {
  func.func @scaled(%X: memref<2xi16>) -> memref<2xi16> {
    %c1 = arith.constant 1 : index
    %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
    %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
    %W = scratch.constant dense<[3, -4, 5]> : tensor<3xi8> -> memref<3xi8>
    %b = scratch.constant dense<[1, -2]> : tensor<2xi16> -> memref<2xi16>
    %t = scratch.constant dense<[7, 8]> : tensor<2xi16> -> memref<2xi16, #scratch.flash>
    %w = memref.load %W[%c1] : memref<3xi8>
    %wide = arith.extsi %w : i8 to i16
    %v = memref.load %b[%c1] : memref<2xi16>
    %u = memref.load %t[%c1] : memref<2xi16, #scratch.flash>
    %s = arith.addi %wide, %v : i16
    %r = arith.addi %s, %u : i16
    memref.store %r, %y[%c1] : memref<2xi16>
    func.return %y : memref<2xi16>
  }
}

// CHECK:        c.define @scaled_WEIGHTS_BYTES 7 : i64 {doc = "bytes of the model's numbers, in scaled.weights"}
// CHECK:        c.constant @t dense<[7, 8]> : tensor<2xi16>
// CHECK:        c.loaded @weights_in_ram {
// CHECK-NEXT:     c.constant @b dense<[1, -2]> : tensor<2xi16>
// CHECK-NEXT:     c.constant @W dense<[3, -4, 5]> : tensor<3xi8>
// CHECK-NEXT:   }
// CHECK:        c.func @scaled_weights() -> !c.ptr<i8>
// CHECK-NEXT:     c.symbol @weights_in_ram : !c.ptr<i8>
// CHECK:        c.symbol @W : !c.ptr<i8, const>

// C:            static const int16_t scaled_t[2] TM_FLASH = {
// C:            /* The model's numbers, 7 bytes, which the caller writes:
// C:            static struct {
// C-NEXT:           int16_t b[2];
// C-NEXT:           int8_t W[3];
// C-NEXT:       } scaled_weights_in_ram;
// C:            int8_t *scaled_weights(void)
// C-NEXT:       {
// C-NEXT:           return (int8_t *)&scaled_weights_in_ram;
// C:            scaled_weights_in_ram.W[1] + scaled_weights_in_ram.b[1] + tm_flash_i16(&scaled_t[1])

// HEADER:       #define scaled_WEIGHTS_BYTES 7
// HEADER:       int8_t *scaled_weights(void);

// -----

// Equal arrays are one array, unless they are data, which may differ tomorrow.
builtin.module {
  func.func @equal(%X: memref<2xi16>) -> memref<2xi16> {
    %c1 = arith.constant 1 : index
    %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
    %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
    %s = scratch.constant dense<[7, 8]> : tensor<2xi16> -> memref<2xi16, #scratch.flash>
    %t = scratch.constant dense<[7, 8]> : tensor<2xi16> -> memref<2xi16, #scratch.flash>
    %d = scratch.constant dense<[7, 8]> : tensor<2xi16> {tinyml.data} -> memref<2xi16, #scratch.flash>
    %e = scratch.constant dense<[7, 8]> : tensor<2xi16> {tinyml.data} -> memref<2xi16, #scratch.flash>
    %a = memref.load %s[%c1] : memref<2xi16, #scratch.flash>
    %b = memref.load %t[%c1] : memref<2xi16, #scratch.flash>
    %f = memref.load %d[%c1] : memref<2xi16, #scratch.flash>
    %g = memref.load %e[%c1] : memref<2xi16, #scratch.flash>
    %h = arith.addi %a, %b : i16
    %i = arith.addi %f, %g : i16
    %r = arith.addi %h, %i : i16
    memref.store %r, %y[%c1] : memref<2xi16>
    func.return %y : memref<2xi16>
  }
}
// CHECK-LABEL: c.program @equal
// CHECK: c.constant @s dense<[7, 8]> : tensor<2xi16> {doc = "2 int16_t"}
// CHECK-NEXT: c.constant @d dense<[7, 8]> : tensor<2xi16> {tinyml.data, doc = "2 int16_t"}
// CHECK-NEXT: c.constant @e dense<[7, 8]> : tensor<2xi16> {tinyml.data, doc = "2 int16_t"}
// CHECK-NOT: c.constant
