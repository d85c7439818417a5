// The word naÃ¯ve, then the same in Latin-1.
// naïve
builtin.module {}
