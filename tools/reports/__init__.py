"""Human-readable tables, figures and reports."""
