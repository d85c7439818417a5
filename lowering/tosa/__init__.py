"""The lowerings of `lower-tdsl-to-tosa`, by kind of op."""
