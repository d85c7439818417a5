// expected-error@+1 {{width must be from 2 to 32}}
func.func @f(%x: !fixed.q<99, 3>) {
  func.return
}

// -----

// The error is that of nothing.
// expected-error@below {{anything}}
func.func @g() {
  func.return
}
