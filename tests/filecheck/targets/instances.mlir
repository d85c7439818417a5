// The memory of instances: a structure of the header, which functions take; the source has nothing static but constants.

// RUN: tinyml-opt %s -t 'c{target=cortex-m4}' | filecheck %s
// RUN: tinyml-opt %s -t 'c{target=cortex-m4 file=header}' | filecheck %s --check-prefix=HEADER

c.program @several {
  c.constant @W dense<[1, -2, 3]> : tensor<3xi16>
  c.instance @several_ctx {
    c.arena @arena 10 {alignment = 8 : i64} : i16
    c.buffer @input 3 : i16
  }
  c.func @several_predict(%ctx: !c.instance<@several_ctx>, %X: !c.ptr<i16, const>) {
    %zero = c.literal 0 : index
    %two = c.literal 2 : index
    %y = c.view @arena[2] of %ctx : !c.instance<@several_ctx> {length = 3 : i64, doc = "3 int16_t"} : !c.ptr<i16>
    %z = c.view @arena[0] of %ctx : !c.instance<@several_ctx> {length = 4 : i64, doc = "4 int8_t"} : !c.ptr<i8, alias>
    %W = c.symbol @W : !c.ptr<i16, flash>
    %w = c.load %W[%two] : !c.ptr<i16, flash>
    %x = c.load %X[%zero] : !c.ptr<i16, const>
    %sum = c.binary %w "+" %x : i16
    %low = c.cast %x : i16 to i8
    c.store %low, %z[%two] : !c.ptr<i8, alias>
    c.store %sum, %y[%zero] : !c.ptr<i16>
    c.return
  }
  c.func @several_run(%ctx: !c.instance<@several_ctx>) {
    %X = c.symbol @input of %ctx : !c.instance<@several_ctx> : !c.ptr<i16>
    c.invoke @several_predict(%ctx, %X) : !c.instance<@several_ctx>, !c.ptr<i16>
    c.return
  }
  c.func @several_nothing(%ctx: !c.instance<@several_ctx>) {
    c.return
  }
}

// CHECK:      static const int16_t several_W[3]
// CHECK:      /* Working memory of an instance, 10 bytes:
// CHECK-NEXT:  * offset  size  buffer
// CHECK-NEXT:  *      0     4  z: 4 int8_t
// CHECK-NEXT:  *      2     6  y: 3 int16_t */
// CHECK-EMPTY:
// CHECK-NEXT: void several_predict(several_ctx *ctx, const int16_t *X)
// CHECK-NEXT: {
// CHECK:          tm_i8 *const z = (tm_i8 *)ctx->arena;
// CHECK:          int16_t *const y = ctx->arena + 1;
// CHECK:      void several_run(several_ctx *ctx)
// CHECK-NEXT: {
// CHECK-NEXT:     several_predict(ctx, ctx->input);
// CHECK-NEXT: }
// CHECK:      void several_nothing(several_ctx *ctx)
// CHECK-NEXT: {
// CHECK-NEXT:     (void)ctx;

// HEADER:      typedef struct {
// HEADER-NEXT:     int16_t arena[5] __attribute__((__aligned__(4)));
// HEADER-NEXT:     int16_t input[3];
// HEADER-NEXT: } several_ctx;
// HEADER:      void several_predict(several_ctx *ctx, const int16_t *X);
