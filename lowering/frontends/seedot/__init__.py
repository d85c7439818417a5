"""The frontend for SeeDot's language (PLDI 2019), as its compiler reads it."""
