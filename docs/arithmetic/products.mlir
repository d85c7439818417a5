func.func @fixed(%a: !fixed.q<16, 15>, %b: !fixed.q<16, 12>) -> !fixed.q<16, 12> {
  %y = num.mul %a, %b : !fixed.q<16, 15>, !fixed.q<16, 12> -> !fixed.q<16, 12>
  func.return %y : !fixed.q<16, 12>
}

func.func @limited(%a: !fixed.q<8, 7>, %b: !fixed.q<8, 3>) -> !fixed.q<8, 4> {
  %y = num.mul %a, %b : !fixed.q<8, 7>, !fixed.q<8, 3> -> !fixed.q<8, 4>
  func.return %y : !fixed.q<8, 4>
}

func.func @posit(%a: !posit.p<5, 1, -3, 2>, %b: !posit.p<5, 1, -3, 2>) -> !posit.p<5, 1, -3, 2> {
  %y = num.mul %a, %b : !posit.p<5, 1, -3, 2>, !posit.p<5, 1, -3, 2> -> !posit.p<5, 1, -3, 2>
  func.return %y : !posit.p<5, 1, -3, 2>
}
