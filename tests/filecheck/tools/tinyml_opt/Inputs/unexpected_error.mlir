// An error on the line of another one.
// expected-error@above {{width}}

func.func @f(%x: !fixed.q<77, 3>) {
  func.return
}
