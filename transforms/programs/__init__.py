"""The store of programs: each program is made once, and the facts found about it are stored with it."""
