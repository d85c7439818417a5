"""The engine that all searches share: the pass, the candidates of a program, limits on them, and the result."""
