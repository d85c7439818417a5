// What the verifiers of exact integers say: an interval holds all that the operands imply.

// RUN: %invalid

%a = "test.op"() : () -> (i16)
%r = exact.within %a : i16 in [5, -5]
// CHECK: an interval rises, got #exact.interval[5, -5]

// -----

%a = "test.op"() : () -> (i16)
%r = exact.within %a : i16 in [-5, 40000]
// CHECK: a register of 16 bits does not hold (-5, 40000)

// -----

%a = "test.op"() : () -> (i16)
%r = exact.add %a, %a : i16, i16 -> i20 in [-65536, 65534]
// CHECK: registers have 8, 16, 24, 32, 64 bits, got 20

// -----

%a = "test.op"() : () -> (i16)
%x = exact.within %a : i16 in [-300, 300]
%r = exact.mul %x, %x : i16, i16 -> i32 in [0, 90000]
// CHECK: the result lies in [-90000, 90000], got [0, 90000]

// -----

%a = "test.op"() : () -> (i64)
%r = exact.mul %a, %a : i64, i64 -> i64 in [0, 5]
// CHECK: exact.mul cannot be computed: an intermediate value in [{{.*}}] does not fit in 64 bits

// -----

%a = "test.op"() : () -> (i16)
%r = exact.divide %a, %a : i16, i16 -> i16 in [0, 5]
// CHECK: exact.divide cannot be computed: division of [-32768, 32767] by [-32768, 32767]

// -----

%a = "test.op"() : () -> (i8)
%r = exact.decode %a as !fixed.q<8, 7> : i8 -> i8 in [-127, 127]
// CHECK: !fixed.q<8, 7> is not a coded format

// -----

%a = "test.op"() : () -> (i8)
%x = exact.within %a : i8 in [-7, 7]
%r = exact.decode %x as !minifloat.f<2, 1, 0> : i8 -> i16 in [-12, 12]
// CHECK: the tables are not those of !minifloat.f<2, 1, 0>
