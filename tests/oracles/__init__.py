"""What computed values are compared with; the page beside this says for what each is exact."""
