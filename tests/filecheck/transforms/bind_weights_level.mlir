// RUN: not tinyml-opt %s -p 'bind-weights{weights_at=".weights"}' 2>&1 | filecheck %s --check-prefix=LOOPS
// RUN: sed '/func/d' %s | not tinyml-opt -p 'bind-weights{weights_at=".weights"}' 2>&1 | filecheck %s --check-prefix=SEVERAL
// RUN: echo 'builtin.module {}' | not tinyml-opt -p 'bind-weights{weights_at=".weights"}' 2>&1 | filecheck %s --check-prefix=EMPTY

func.func private @f()
c.program @one {
^bb0:
}
c.program @two {
^bb1:
}

// LOOPS: 'bind-weights' takes one program in C: 'func.func' is of another level
// SEVERAL: 'bind-weights' takes one program in C: it has several programs
// EMPTY: 'bind-weights' takes one program in C, the module is empty
