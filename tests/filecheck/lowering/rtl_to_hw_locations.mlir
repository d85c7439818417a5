// RUN: tinyml-opt %s -p schedule-cycles,lower-rtl-to-hw --print-debuginfo | filecheck %s
// RUN: tinyml-opt %s -p schedule-cycles,lower-rtl-to-hw,lower-rtl-to-circt --print-debuginfo | filecheck %s --check-prefix=CIRCT

// Logic, registers and memories have the layers of the ops that they are made for. The logic that lets a loop begin and
// end has that of the loop. Constants, which several ops share, and the ports belong to the program.
func.func @sums() {
  %w = rtl.memory dense<[1, -2, 3]> : tensor<3xi8> : !rtl.memory<3, 8> loc("weights"("net.onnx":0:0))
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 3 : index
  %start = arith.constant 0 : i16
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i16) {
    %a = rtl.load %w[%i] : !rtl.memory<3, 8> -> i8 loc("dense"("net.onnx":0:0))
    %b = rtl.receive : i8 loc("input"("net.onnx":0:0))
    %c = arith.extsi %a : i8 to i16 loc("dense"("net.onnx":0:0))
    %d = arith.extsi %b : i8 to i16 loc("dense"("net.onnx":0:0))
    %p = arith.muli %c, %d : i16 loc("dense"("net.onnx":0:0))
    %t = arith.addi %s, %p : i16 loc("sum"("net.onnx":0:0))
    scf.yield %t : i16
  } loc("dense"("net.onnx":0:0))
  rtl.send %sum to 0 : i64 : i16 loc("output"("net.onnx":0:0))
  func.return
} loc("net.onnx":0:0)
// CHECK-LABEL: hw.module @sums
// CHECK: hw.constant 0 : i2 loc("net.onnx":0:0)
// CHECK: %w = rtl.ram {{.*}} loc("weights"("net.onnx":0:0))
// CHECK: %busy = seq.compreg {{.*}} loc("net.onnx":0:0)
// CHECK: %i = seq.compreg {{.*}} loc("dense"("net.onnx":0:0))
// CHECK: comb.icmp slt {{.*}} loc("dense"("net.onnx":0:0))
// CHECK: %d = seq.compreg {{.*}} : i8 loc("dense"("net.onnx":0:0))
// CHECK: comb.mul {{.*}} loc("dense"("net.onnx":0:0))
// CHECK: comb.add %s, {{.*}} loc("sum"("net.onnx":0:0))
// CHECK: comb.mux {{.*}}, %i : i3 loc("dense"("net.onnx":0:0))
// CHECK: hw.output {{.*}} loc("net.onnx":0:0)
// CHECK-NEXT: } loc("net.onnx":0:0)

// CIRCT-LABEL: hw.module @sums
// CIRCT-NOT: loc(unknown)
// CIRCT: hw.aggregate_constant{{.*}} loc("weights"("net.onnx":0:0))
// CIRCT-NOT: loc(unknown)
// CIRCT: hw.array_get {{.*}} loc("weights"("net.onnx":0:0))
// CIRCT-NOT: loc(unknown)
// CIRCT: hw.output {{.*}} loc("net.onnx":0:0)
