"""The figures of the pages and of the papers: what measures them, and what becomes of them."""
