// RUN: tinyml-opt %s -p schedule-cycles,lower-rtl-to-hw | filecheck %s
// RUN: tinyml-opt %s -p schedule-cycles,lower-rtl-to-hw -t verilog | filecheck %s --check-prefix=VERILOG

// The sum of three elements, each times a constant.
func.func @sums() -> index {
  %w = rtl.memory dense<[1, -2, 3]> : tensor<3xi8> : !rtl.memory<3, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 3 : index
  %start = arith.constant 0 : i16
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i16) {
    %a = rtl.load %w[%i] : !rtl.memory<3, 8> -> i8
    %b = rtl.receive : i8
    %c = arith.extsi %a : i8 to i16
    %d = arith.extsi %b : i8 to i16
    %p = arith.muli %c, %d : i16
    %t = arith.addi %s, %p : i16
    scf.yield %t : i16
  }
  rtl.send %sum to 0 : i64 : i16
  func.return %one : index
}
// CHECK-LABEL: hw.module @sums(in %clock: !seq.clock, in %reset: i1, in %start: i1, in %in_valid: i1, in %out_ready: i1, in %in_data: i8, out label: i2, out busy: i1, out done: i1, out in_ready: i1, out out_valid: i1, out out_data: i16)
// CHECK: %w = rtl.ram %clock, read {{%.*}} if {{%.*}} {depth = 3 : i64, content = dense<[1, -2, 3]> : tensor<3xi8>} : i2 -> i8
// CHECK: seq.compreg {{%.*}}, %clock reset %reset
// CHECK: comb.mul
// CHECK: hw.output

// VERILOG: module sums(
// VERILOG: input [7:0] in_data,
// VERILOG: output [1:0] label,
// VERILOG: output [15:0] out_data
// VERILOG: reg [7:0] w;
// A product has the width of its factors, of which constants between -2 and 3 need three bits.
// VERILOG: [[constant:v_[0-9]+]] = w[2:0];
// VERILOG: = $signed([[constant]]) * $signed({{.*}});
// VERILOG: reg [7:0] w_words [0:2];
// VERILOG: w_words[1] = 8'hfe;
// VERILOG: always @(posedge clock) begin
// VERILOG-NEXT: if ({{.*}}) w <= w_words[{{.*}}];
// VERILOG: endmodule
