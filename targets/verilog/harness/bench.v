// Runs inferences on a model in a simulator of Verilog, as verilator_driver.cpp does: plus arguments have its names, and
// integers are decimal, one a line. The macros MODEL, IN_BITS, OUT_BITS and, if there is a label, LABEL_BITS describe it.
`timescale 1ns / 1ns
`define STDIN 32'h8000_0000
module bench;
    reg clock = 0, reset = 1, start = 0, in_valid = 0, out_ready = 0;
    reg [31:0] in_data = 0;
    wire done, in_ready, out_valid;
    wire signed [`OUT_BITS - 1:0] out_data;
`ifdef LABEL_BITS
    wire [`LABEL_BITS - 1:0] label;
`else
    wire signed [31:0] label = -1;
`endif
    integer samples, inputs, limit, seed, random, sample, taken, cycles, scanned;
    reg waiting;

    `MODEL model(
        .clock(clock), .reset(reset), .start(start), .done(done), .busy(),
`ifdef LABEL_BITS
        .label(label),
`endif
        .in_valid(in_valid), .in_data(in_data[`IN_BITS - 1:0]), .in_ready(in_ready),
        .out_valid(out_valid), .out_data(out_data), .out_ready(out_ready)
    );
    initial begin
        scanned = $value$plusargs("samples=%d", samples) + $value$plusargs("inputs=%d", inputs)
            + $value$plusargs("limit=%d", limit) + $value$plusargs("seed=%d", seed);
        random = seed;
        #1 clock = 1;
        #1 clock = 0;
        reset = 0;
        for (sample = 0; sample < samples; sample = sample + 1) begin
            taken = 0;
            waiting = 0;
            start = 1;
            #1 clock = 1;
            #1 clock = 0;
            start = 0;
            #1;
            for (cycles = 0; !done && cycles < limit; cycles = cycles + 1) begin
                if (!waiting && taken < inputs) begin
                    scanned = $fscanf(`STDIN, "%d", in_data);
                    waiting = 1;
                end
                in_valid = waiting && (seed == 0 || $random(random) % 4 != 0);
                out_ready = seed == 0 || $random(random) % 4 != 0;
                #1;
                if (in_valid && in_ready) begin
                    taken = taken + 1;
                    waiting = 0;
                end
                if (out_valid && out_ready)
                    $display("%0d", out_data);
                #1 clock = 1;
                #1 clock = 0;
                #1;
            end
            $display("%0d", label);
            $display("%0d", done ? cycles : -1);
        end
        $finish;
    end
endmodule
