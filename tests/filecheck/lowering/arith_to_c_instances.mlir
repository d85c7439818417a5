// With instances the arena and the buffer of the input are members of a structure, which all functions take.

// RUN: tinyml-opt %s --split-input-file -p lower-arith-to-c | filecheck %s

builtin.module {
  func.func @copy(%X: memref<2xi16> {tinyml.format = "!fixed.q<16, 12>"}) -> (memref<2xi16> {tinyml.format = "!fixed.q<16, 12>"}) attributes {tdsl.interface = #tdsl.interface<instances>} {
    %c0 = arith.constant 0 : index
    %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
    %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
    %x = memref.load %X[%c0] : memref<2xi16>
    memref.store %x, %y[%c0] : memref<2xi16>
    func.return %y : memref<2xi16>
  }
}

// CHECK-NOT:  {{^  }}c.arena
// CHECK:        c.instance @copy_ctx {
// CHECK-NEXT:     c.arena @arena 4 {alignment = 2 : i64} : i16
// CHECK-NEXT:     c.buffer @input 2 {doc = "The input of copy_run."} : i16
// CHECK-NEXT:   }
// CHECK-NEXT:   c.func @copy_predict(%ctx: !c.instance<@copy_ctx>, %X: !c.ptr<i16, const>)
// CHECK:          %y = c.view @arena[0] of %ctx : !c.instance<@copy_ctx> {length = 2 : i64, doc = "2 int16_t"} : !c.ptr<i16>
// CHECK-LABEL:  c.func @copy_scores(%ctx: !c.instance<@copy_ctx>) -> !c.ptr<i16, const>
// CHECK-NEXT:     c.view @arena[0] of %ctx
// CHECK-LABEL:  c.func @copy_input(%ctx: !c.instance<@copy_ctx>) -> !c.ptr<i16>
// CHECK-NEXT:     c.symbol @input of %ctx
// CHECK-LABEL:  c.func @copy_run(%ctx: !c.instance<@copy_ctx>)
// CHECK-NEXT:     [[X:%.*]] = c.symbol @input of %ctx
// CHECK-NEXT:     c.invoke @copy_predict(%ctx, [[X]])
// CHECK-LABEL:  c.func @copy_set(%ctx: !c.instance<@copy_ctx>, %i: index, %value: f32)
// CHECK-LABEL:  c.func @copy_predict_floats(%ctx: !c.instance<@copy_ctx>, %X: !c.ptr<f32, const>)
// CHECK:            c.call @tm_f32_to_s16(
// CHECK:          c.invoke @copy_run(%ctx)
// CHECK-LABEL:  c.func @copy_score(%ctx: !c.instance<@copy_ctx>, %i: index) -> f32

// -----

// The input in the arena has no other buffer.
builtin.module {
  func.func @within() -> memref<2xi16> attributes {tdsl.interface = #tdsl.interface<instances>} {
    %c0 = arith.constant 0 : index
    %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
    %X = scratch.view %arena[0 : i64] {input} : memref<4xi8> to memref<2xi16>
    %x = memref.load %X[%c0] : memref<2xi16>
    memref.store %x, %X[%c0] : memref<2xi16>
    func.return %X : memref<2xi16>
  }
}
// CHECK:        c.instance @within_ctx {
// CHECK-NEXT:     c.arena @arena 4
// CHECK-NEXT:   }
// CHECK-LABEL:  c.func @within_input(%ctx: !c.instance<@within_ctx>) -> !c.ptr<i16>
// CHECK-NEXT:     c.view @arena[0] of %ctx
// CHECK-LABEL:  c.func @within_predict(%ctx: !c.instance<@within_ctx>)
