%0 = "test.op"() : () -> f32 loc("net.py":1:1)
%1 = "arith.addi"(%0, %0) : (f32, f32) -> f32 loc(#called)
#called = loc(callsite("inner"(#place) at "net.py":1:1))
#place = loc("net.py":12:34)
