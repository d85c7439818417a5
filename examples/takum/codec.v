// Codec of linear takums of N bits, N >= 12 (a narrower takum is one of 12 bits whose low bits are zero).
//
// takum_decode: the magnitude of a takum other than zero and NaR is (1 + fraction / 2^(N - 5)) * 2^characteristic.
// takum_encode: the nearest takum, ties to the even pattern; numbers beyond the range saturate and never become zero.

module takum_decode #(parameter N = 16) (
  input  wire [N-1:0] takum,
  output wire sign,
  output wire is_zero,
  output wire is_nar,
  output wire signed [8:0] characteristic,
  output wire [N-6:0] fraction
);
  wire [N-1:0] magnitude = takum[N-1] ? -takum : takum;
  wire direction = magnitude[N-2];
  wire [2:0] regime = magnitude[N-3:N-5] ^ {3{~direction}};
  wire [N-6:0] tail = magnitude[N-6:0];
  // The characteristic's bits, below the leading one that the direction and the regime imply.
  wire [6:0] offset = tail[N-6:N-12] >> (3'd7 - regime);
  wire [8:0] power = 9'd1 << regime;
  assign sign = takum[N-1];
  assign is_zero = takum == {N{1'b0}};
  assign is_nar = takum == {1'b1, {(N-1){1'b0}}};
  assign characteristic = direction ? power - 9'd1 + offset : 9'd1 - (power << 1) + offset;
  assign fraction = tail << regime;
endmodule

module takum_encode #(parameter N = 16, parameter F = N) (
  input  wire sign,
  input  wire is_zero,
  input  wire signed [9:0] characteristic,
  input  wire [F-1:0] fraction,
  input  wire is_inexact,
  output wire [N-1:0] takum
);
  wire below = characteristic < -255, beyond = characteristic > 254;
  wire direction = ~characteristic[9];
  // Both 2^regime + offset - 1 of a direction 1, and its mirror image, whose bits are inverted.
  wire [7:0] place = (direction ? characteristic[7:0] : ~characteristic[7:0]) + 8'd1;
  wire [2:0] regime = place[7] ? 3'd7 : place[6] ? 3'd6 : place[5] ? 3'd5 : place[4] ? 3'd4
                    : place[3] ? 3'd3 : place[2] ? 3'd2 : place[1] ? 3'd1 : 3'd0;
  wire [6:0] offset = (direction ? place[6:0] : ~place[6:0]) << (3'd7 - regime);
  // Characteristic and fraction without the bits of the longest characteristic that this regime lacks.
  wire [F+6:0] tail = {offset, {F{1'b0}}} | ({7'd0, fraction} << (3'd7 - regime));
  wire [F+10:0] exact = {direction, regime ^ {3{~direction}}, tail};
  wire [N-2:0] kept = exact[F+10:F+12-N];
  wire half = exact[F+11-N];
  wire rest = is_inexact | (|(exact & ((1 << (F+11-N)) - 1)));
  wire up = half & (rest | kept[0]) & ~(&kept);
  wire [N-2:0] rounded = kept + up;
  wire [N-2:0] magnitude = below ? 1 : beyond ? {(N-1){1'b1}} : rounded == 0 ? 1 : rounded;
  wire [N-1:0] whole = {1'b0, magnitude};
  assign takum = is_zero ? {N{1'b0}} : sign ? -whole : whole;
endmodule
