"""What `lower-tdsl-to-tosa` makes of the kinds of ops."""
