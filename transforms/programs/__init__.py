"""The store of programs: each program is made once, and what was found about it is kept beside it."""
