"""scikit-learn's estimators as programs."""
