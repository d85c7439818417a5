builtin.module {
  %0 = arith.nonsense
}
