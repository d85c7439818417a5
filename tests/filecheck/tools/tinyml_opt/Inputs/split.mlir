builtin.module {}
// -----
builtin.module { %0 = "test.op"() {a = 300 : i8} : () -> i8 }
