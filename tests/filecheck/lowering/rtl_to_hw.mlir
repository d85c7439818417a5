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
// CHECK-LABEL: hw.module @sums
// CHECK-NEXT: [[v0:%.*]] = hw.constant 0 : i2
// CHECK-NEXT: [[v1:%.*]] = hw.constant false
// CHECK-NEXT: %w = rtl.ram %clock, read [[v2:%.*]] if [[v3:%.*]] {depth = 3 : i64, content = dense<[1, -2, 3]> : tensor<3xi8>} : i2 -> i8
// CHECK-NEXT: %busy = seq.compreg [[v4:%.*]], %clock reset %reset, [[v1]] : i1
// CHECK-NEXT: %done = seq.compreg [[v5:%.*]], %clock reset %reset, [[v1]] : i1
// CHECK-NEXT: [[v6:%.*]] = hw.constant true
// CHECK-NEXT: [[v7:%.*]] = comb.xor %busy, [[v6]] : i1
// CHECK-NEXT: [[v8:%.*]] = comb.and %start, [[v7]] : i1
// CHECK-NEXT: [[v9:%.*]] = hw.constant 0 : i3
// CHECK-NEXT: %i = seq.compreg [[v10:%.*]], %clock : i3
// CHECK-NEXT: [[v11:%.*]] = hw.constant 0 : i16
// CHECK-NEXT: %s = seq.compreg [[v12:%.*]], %clock : i16
// CHECK-NEXT: [[v13:%.*]] = hw.constant 3 : i3
// CHECK-NEXT: [[v14:%.*]] = hw.constant 0 : i4
// CHECK-NEXT: [[v15:%.*]] = hw.constant 3 : i4
// CHECK-NEXT: [[v16:%.*]] = comb.icmp slt [[v14]], [[v15]] : i4
// CHECK-NEXT: [[v17:%.*]] = hw.constant 1 : i2
// CHECK-NEXT: [[v18:%.*]] = hw.constant 1 : i4
// CHECK-NEXT: [[v19:%.*]] = comb.extract %i from 2 :  (i3) -> i1
// CHECK-NEXT: [[v20:%.*]] = comb.concat [[v19]], %i : i1, i3
// CHECK-NEXT: [[v21:%.*]] = comb.add [[v20]], [[v18]] : i4
// CHECK-NEXT: [[v22:%.*]] = comb.icmp slt [[v21]], [[v15]] : i4
// CHECK-NEXT: [[v23:%.*]] = comb.xor [[v6]], [[v6]] : i1
// CHECK-NEXT: [[v24:%.*]] = comb.and [[v8]], [[v23]] : i1
// CHECK-NEXT: [[v25:%.*]] = comb.or [[v26:%.*]] : i1
// CHECK-NEXT: [[v27:%.*]] = comb.or [[v8]], [[v25]] : i1
// CHECK-NEXT: %active = seq.compreg [[v28:%.*]], %clock reset %reset, [[v1]] : i1
// CHECK-NEXT: [[vactive_1:%.*]] = seq.compreg [[v29:%.*]], %clock reset %reset, [[v1]] : i1
// CHECK-NEXT: [[v26]] = comb.and %active, [[v22]] : i1
// CHECK-NEXT: [[v2]] = comb.extract %i from 0 :  (i3) -> i2
// CHECK-NEXT: [[v30:%.*]] = comb.extract %w from 0 :  (i8) -> i3
// CHECK-NEXT: [[v31:%.*]] = hw.constant 0 : i8
// CHECK-NEXT: %d = seq.compreg [[v32:%.*]], %clock : i8
// CHECK-NEXT: [[v33:%.*]] = comb.extract [[v30]] from 2 :  (i3) -> i1
// CHECK-NEXT: [[v34:%.*]] = comb.replicate [[v33]] : (i1) -> i7
// CHECK-NEXT: [[v35:%.*]] = comb.concat [[v34]], [[v30]] : i7, i3
// CHECK-NEXT: [[v36:%.*]] = comb.extract %d from 7 :  (i8) -> i1
// CHECK-NEXT: [[v37:%.*]] = comb.replicate [[v36]] : (i1) -> i2
// CHECK-NEXT: [[v38:%.*]] = comb.concat [[v37]], %d : i2, i8
// CHECK-NEXT: [[v39:%.*]] = comb.mul [[v35]], [[v38]] : i10
// CHECK-NEXT: [[v40:%.*]] = comb.extract [[v39]] from 9 :  (i10) -> i1
// CHECK-NEXT: [[v41:%.*]] = comb.replicate [[v40]] : (i1) -> i6
// CHECK-NEXT: [[v42:%.*]] = comb.concat [[v41]], [[v39]] : i6, i10
// CHECK-NEXT: [[v43:%.*]] = comb.add %s, [[v42]] : i16
// CHECK-NEXT: [[v44:%.*]] = comb.extract [[v21]] from 0 :  (i4) -> i3
// CHECK-NEXT: [[v45:%.*]] = comb.xor %active, [[v6]] : i1
// CHECK-NEXT: [[v46:%.*]] = comb.and [[vactive_1]], [[v45]] : i1
// CHECK-NEXT: [[vactive_2:%.*]] = seq.compreg [[v47:%.*]], %clock reset %reset, [[v1]] : i1
// CHECK-NEXT: %label = seq.compreg [[v48:%.*]], %clock : i2
// CHECK-NEXT: [[v49:%.*]] = comb.xor [[vactive_2]], [[v6]] : i1
// CHECK-NEXT: [[v50:%.*]] = comb.or [[v49]], %out_ready : i1
// CHECK-NEXT: [[v51:%.*]] = comb.and %active, [[v50]] : i1
// CHECK-NEXT: [[v52:%.*]] = comb.xor %active, [[v6]] : i1
// CHECK-NEXT: [[v53:%.*]] = comb.or [[v52]], %in_valid : i1
// CHECK-NEXT: [[v54:%.*]] = comb.and [[vactive_2]], [[v53]] : i1
// CHECK-NEXT: [[v55:%.*]] = comb.xor %active, [[v6]] : i1
// CHECK-NEXT: [[v56:%.*]] = comb.or [[v55]], %in_valid : i1
// CHECK-NEXT: [[v57:%.*]] = comb.and [[v56]], [[v50]] : i1
// CHECK-NEXT: [[v3]] = comb.and [[v57]], %active : i1
// CHECK-NEXT: [[v58:%.*]] = comb.mux [[v8]], [[v6]], %busy : i1
// CHECK-NEXT: [[v59:%.*]] = comb.mux [[vactive_2]], [[v1]], [[v58]] : i1
// CHECK-NEXT: [[v4]] = comb.mux [[v57]], [[v59]], %busy : i1
// CHECK-NEXT: [[v60:%.*]] = comb.mux [[v8]], [[v1]], %done : i1
// CHECK-NEXT: [[v61:%.*]] = comb.mux [[vactive_2]], [[v6]], [[v60]] : i1
// CHECK-NEXT: [[v5]] = comb.mux [[v57]], [[v61]], %done : i1
// CHECK-NEXT: [[v62:%.*]] = comb.mux %active, [[v44]], %i : i3
// CHECK-NEXT: [[v63:%.*]] = comb.mux [[v8]], [[v9]], [[v62]] : i3
// CHECK-NEXT: [[v10]] = comb.mux [[v57]], [[v63]], %i : i3
// CHECK-NEXT: [[v64:%.*]] = comb.mux [[vactive_1]], [[v43]], %s : i16
// CHECK-NEXT: [[v65:%.*]] = comb.mux [[v8]], [[v11]], [[v64]] : i16
// CHECK-NEXT: [[v12]] = comb.mux [[v57]], [[v65]], %s : i16
// CHECK-NEXT: [[v28]] = comb.mux [[v57]], [[v27]], %active : i1
// CHECK-NEXT: [[v29]] = comb.mux [[v57]], %active, [[vactive_1]] : i1
// CHECK-NEXT: [[v32]] = comb.mux [[v57]], %in_data, %d : i8
// CHECK-NEXT: [[v47]] = comb.mux [[v57]], [[v46]], [[vactive_2]] : i1
// CHECK-NEXT: [[v66:%.*]] = comb.mux [[vactive_2]], [[v17]], %label : i2
// CHECK-NEXT: [[v48]] = comb.mux [[v57]], [[v66]], %label : i2
// CHECK-NEXT: hw.output %label, %busy, %done, [[v51]], [[v54]], %s : i2, i1, i1, i1, i1, i16

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
