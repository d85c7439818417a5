"""The frontend for scikit-learn, with one file per family of estimators.

Estimators are recognised by their class; their fitted attributes determine the program. No module here imports
scikit-learn, which is installed wherever an estimator exists.
"""
