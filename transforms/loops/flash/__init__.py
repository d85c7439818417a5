"""The candidates of `spend-flash`, their costs and the choice among candidates."""
