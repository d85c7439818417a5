"""The store of programs: each program is created once, and the facts computed about a program are stored with it."""
