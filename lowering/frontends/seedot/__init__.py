"""SeeDot's language (PLDI'19), as its compiler reads it."""
