%0 = "test.op"() : () -> i32 loc(#itself)
#itself = loc(fused[#itself])
