"""The frontend for SeeDot's language (PLDI 2019), with the semantics of the original compiler."""
