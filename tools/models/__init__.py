"""Bonsai, ProtoNN and FastGRNN as estimators of scikit-learn: the module `tinyml.models`.

`classifier.py` has what the estimators share, `descent.py` the training of a network by its gradients. Each of the
other files has a network, its gradients in closed form, and its estimator. They need scikit-learn.
"""
