"""The frontend for scikit-learn, with one file per family of estimators.

An estimator's class determines the handler; its fitted attributes determine the program. No module of this package
imports scikit-learn; an estimator exists only where scikit-learn is installed.
"""
