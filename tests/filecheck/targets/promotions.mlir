// C computes with narrow integers, unsigned ones too, in int: what is stored is cast back.

// RUN: tinyml-opt %s -t 'c{target=host}' | filecheck %s

c.program @narrow attributes {notes = ["A note."]} {
  c.func @narrow_predict(%X: !c.ptr<i16, const>) -> i16 attributes {doc = "Runs the model on X."} {
    %zero = c.literal 0 : index
    %a = c.load %X[%zero] : !c.ptr<i16, const>
    %raws = c.cast %a : i16 to ui16
    %shifted = c.binary %raws "<<" %raws : ui16
    %y = c.cast %shifted : ui16 to i16
    %other = c.cast %shifted : ui16 to i32
    %z = c.cast %other : i32 to i16
    %sum = c.binary %y "+" %z : i16
    c.return %sum : i16
  }
}

// CHECK: const uint16_t shifted = (uint16_t)(raws << raws);
// CHECK-NEXT: return (int16_t)((int16_t)shifted + (int16_t)(int32_t)shifted);
