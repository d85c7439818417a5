"""The engine that all searches share: the pass, the candidates of a program, limits on candidates, and the result."""
