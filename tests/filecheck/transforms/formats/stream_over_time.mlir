// RUN: tinyml-opt %s -p 'stream-over-time{axis=0}' | filecheck %s
// RUN: tinyml-opt %s -p stream-over-time | filecheck %s --check-prefix=WHOLE
// RUN: tinyml-opt %s -p 'receive-input{input=push},receive-input{input=push}' | filecheck %s --check-prefix=PUSHED
// RUN: tinyml-opt %s -p 'receive-input{input=push},stream-over-time,tile-windows,lower-tdsl-to-scratch,cse,forward-inserts,reorder-ops,update-in-place,pack-scratch,check-packing' | filecheck %s --check-prefix=PACKED
// RUN: tinyml-opt %s -p 'receive-input{input=push},formats-to-buffers,buffers-to-loops,loops-to-bits,bits-to-c' -t c | filecheck %s --check-prefix=SOURCE
// RUN: tinyml-opt %s -p 'receive-input{input=push},formats-to-buffers,buffers-to-loops,loops-to-bits,bits-to-c' -t 'c{file=header}' | filecheck %s --check-prefix=HEADER
// RUN: tinyml-opt %s -p 'receive-input{input=push stride=2},stream-over-time' | filecheck %s --check-prefix=STRIDE
// RUN: not tinyml-opt %s -p 'stream-over-time{axis=1}' 2>&1 | filecheck %s --check-prefix=AXIS
// RUN: not tinyml-opt %s -p 'reuse-input,receive-input{input=push}' 2>&1 | filecheck %s --check-prefix=REUSED

func.func @steps(%X: tensor<20x1x!fixed.q<8, 4>>) -> (index, tensor<1x3x!fixed.q<8, 4>>) {
  %XX = tdsl.reshape %X : tensor<20x1x!fixed.q<8, 4>> -> tensor<5x1x4x!fixed.q<8, 4>>
  %W = tdsl.const dense<1> : tensor<4x3xi8> -> tensor<4x3x!fixed.q<8, 3>>
  %H = tdsl.fill {value = 0.5 : f64} -> tensor<1x3x!fixed.q<8, 4>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %r = scf.for %i = %zero to %five step %one iter_args(%h = %H) -> (tensor<1x3x!fixed.q<8, 4>>) {
    %x = tdsl.index %XX[%i] : tensor<5x1x4x!fixed.q<8, 4>> -> tensor<1x4x!fixed.q<8, 4>>
    %p = tdsl.matmul %x, %W : tensor<1x4x!fixed.q<8, 4>>, tensor<4x3x!fixed.q<8, 3>> -> tensor<1x3x!fixed.q<8, 4>>
    %s = tdsl.add %p, %h : tensor<1x3x!fixed.q<8, 4>>, tensor<1x3x!fixed.q<8, 4>> -> tensor<1x3x!fixed.q<8, 4>>
    scf.yield %s : tensor<1x3x!fixed.q<8, 4>>
  }
  %y = tdsl.relu %r : tensor<1x3x!fixed.q<8, 4>> -> tensor<1x3x!fixed.q<8, 4>>
  %c = tdsl.argmax %y : tensor<1x3x!fixed.q<8, 4>>
  func.return %c, %y : index, tensor<1x3x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @steps(%X: tensor<1x4x!fixed.q<8, 4>>, %t: index, %h: tensor<1x3x!fixed.q<8, 4>>) -> (index, tensor<1x3x!fixed.q<8, 4>>, tensor<1x3x!fixed.q<8, 4>>) attributes {tdsl.interface = #tdsl.interface<input = <reused, pushed = [4, 4, 5, 5]>, calls = 6>} {
// CHECK-NEXT: %W = tdsl.const dense<1> : tensor<4x3xi8> -> tensor<4x3x!fixed.q<8, 3>>
// CHECK-NEXT: %H = tdsl.fill {value = 5.000000e-01 : f64} -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %five = arith.constant 5 : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v2:%.*]] = arith.subi [[v1]], %t : index
// CHECK-NEXT: [[v3:%.*]] = arith.maxsi [[v2]], [[v0]] : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v5:%.*]] = arith.subi %t, [[v4]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.maxsi [[v5]], [[v0]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v8:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vh_1:%.*]] = scf.for [[v9:%.*]] = [[v7]] to [[v3]] step [[v8]] iter_args([[vh_2:%.*]] = %h) -> (tensor<1x3x!fixed.q<8, 4>>) {
// CHECK-NEXT: [[vH_1:%.*]] = tdsl.fill {value = 5.000000e-01 : f64} -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: scf.yield [[vH_1]] : tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v10:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v11:%.*]] = arith.addi %t, [[v10]] : index
// CHECK-NEXT: [[v12:%.*]] = arith.subi [[v11]], [[v6]] : index
// CHECK-NEXT: [[v13:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %r = scf.for %i = %t to [[v12]] step [[v13]] iter_args([[vh_3:%.*]] = [[vh_1]]) -> (tensor<1x3x!fixed.q<8, 4>>) {
// CHECK-NEXT: %x = tdsl.reshape %X : tensor<1x4x!fixed.q<8, 4>> -> tensor<1x4x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %x, %W : tensor<1x4x!fixed.q<8, 4>>, tensor<4x3x!fixed.q<8, 3>> -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: %s = tdsl.add %p, [[vh_3]] : tensor<1x3x!fixed.q<8, 4>>, tensor<1x3x!fixed.q<8, 4>> -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: scf.yield %s : tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: } {tdsl.calls = 5 : i64}
// CHECK-NEXT: %c = arith.constant 0 : index
// CHECK-NEXT: %y = tensor.empty() : tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: [[v14:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v15:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vc_1:%.*]], [[vy_1:%.*]] = scf.for [[v16:%.*]] = [[v14]] to [[v6]] step [[v15]] iter_args([[vc_2:%.*]] = %c, [[vy_2:%.*]] = %y) -> (index, tensor<1x3x!fixed.q<8, 4>>) {
// CHECK-NEXT: [[vy_3:%.*]] = tdsl.relu %r : tensor<1x3x!fixed.q<8, 4>> -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: [[vc_3:%.*]] = tdsl.argmax [[vy_3]] : tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: scf.yield [[vc_3]], [[vy_3]] : index, tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vc_1]], [[vy_1]], %r : index, tensor<1x3x!fixed.q<8, 4>>, tensor<1x3x!fixed.q<8, 4>>

// A frame of 4 numbers, 4 apart, 5 times; the hidden state is an argument and a result.
// It begins in call 0,
// goes on in calls 0 to 4,
// and is read in call 5.

// WHOLE-LABEL: func.func @steps(%X: tensor<20x1x!fixed.q<8, 4>>)

// PUSHED-LABEL: func.func @steps(%X: tensor<20x1x!fixed.q<8, 4>>) -> {{.*}}#tdsl.interface<input = <pushed = [4, 4, 5, 5]>>
// PUSHED: tdsl.index
// STRIDE: pushed = [4, 4, 5, 2]

// The state is alive throughout, the result takes the place of the frame.
// PACKED-LABEL: func.func @steps(%t: index) -> (index, memref<1x3x!fixed.q<8, 4>>) {{.*}}#tdsl.interface<input = <reused, pushed = [4, 4, 5, 5]>, calls = 6>
// PACKED: scratch.arena {{.*}} : memref<10xi8>
// PACKED: %X = scratch.view %arena[0 : i64] {live = [-1 : i64, 6 : i64], input}
// PACKED: %h = scratch.view %arena[4 : i64] {live = [-1 : i64, 11 : i64], state}
// PACKED: %y = scratch.view %arena[0 : i64] {live = [7 : i64, 11 : i64]}

// SOURCE: static int16_t steps_place[2];
// SOURCE: static int16_t steps_step(int t)
// SOURCE: int steps_push(const int8_t *samples, int n)
// SOURCE: steps_step(time);
// SOURCE: int16_t steps_predict(void)
// SOURCE: label = steps_step(time);

// HEADER: #define steps_INPUT_LENGTH 20
// HEADER: #define steps_FRAME 4
// HEADER: #define steps_HOP 4
// HEADER: #define steps_STEPS 5
// HEADER: #define steps_STRIDE 5
// HEADER: int steps_push(const int8_t *samples, int n);
// HEADER: int steps_push_floats(const float *samples, int n);
// HEADER: int16_t steps_ready(void);
// HEADER: int16_t steps_predict(void);
// HEADER: void steps_reset(void);

// AXIS: the program reads its input along axis 0, not along axis 1
// REUSED: an input from push arrives row by row: --reuse-input is for one in memory
