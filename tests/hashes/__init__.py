"""A gate on every line of C: digests of what a covering set of programs compiles to (`make hashes`)."""
