"""The frontend for scikit-learn, with a file per family of estimators.

Estimators are recognised by their class and read through their fitted attributes. Nothing here imports scikit-learn,
which is installed wherever an estimator exists.
"""
