"""The store of programs: each program is made once, and the facts computed about it are stored with it."""
