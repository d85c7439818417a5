builtin.module {
  %0, %1 = "test.op"() : () -> (i32, f32)
  %2 = "arith.addi"(%0, %1) : (i32, f32) -> i32
}
