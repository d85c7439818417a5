"""What passes on reals ask of a program."""
