"""What to train in place of an estimator that is not supported: expressions of scikit-learn that are imported.

A test fits and imports each of them.
"""

from __future__ import annotations

from collections.abc import Mapping

INSTEAD: Mapping[str, str] = {
    "KMeans()": (
        "AffinityPropagation AgglomerativeClustering Birch BisectingKMeans DBSCAN HDBSCAN MeanShift NearestNeighbors"
        " OPTICS SpectralBiclustering SpectralClustering SpectralCoclustering"
    ),
    "GaussianMixture()": "BayesianGaussianMixture",
    "EmpiricalCovariance()": "GraphicalLasso GraphicalLassoCV",
    "EllipticEnvelope()": "KernelDensity",
    "PCA(2)": (
        "BernoulliRBM CCA ClassicalMDS DictionaryLearning FactorAnalysis FastICA FeatureAgglomeration"
        " GaussianRandomProjection LatentDirichletAllocation MDS MiniBatchDictionaryLearning MiniBatchNMF"
        " MiniBatchSparsePCA NMF NeighborhoodComponentsAnalysis PLSCanonical PLSSVD SparseCoder SparsePCA"
        " SparseRandomProjection SpectralEmbedding TSNE"
    ),
    "Nystroem()": (
        "AdditiveChi2Sampler Isomap KNeighborsTransformer KernelPCA LocallyLinearEmbedding PolynomialCountSketch"
        " RBFSampler RadiusNeighborsTransformer SkewedChi2Sampler"
    ),
    "PolynomialFeatures()": "KBinsDiscretizer RandomTreesEmbedding SplineTransformer",
    "StandardScaler()": "PowerTransformer",
    "RobustScaler()": "QuantileTransformer",
    "Normalizer()": "TfidfTransformer",
    "SimpleImputer()": "IterativeImputer KNNImputer MissingIndicator",
    "SVC()": "GaussianProcessClassifier",
    "SVR()": "GaussianProcessRegressor KernelRidge",
    "KNeighborsClassifier()": "LabelPropagation LabelSpreading RadiusNeighborsClassifier",
    "KNeighborsRegressor()": "RadiusNeighborsRegressor",
    "OneVsRestClassifier(LogisticRegression())": "OneVsOneClassifier OutputCodeClassifier",
    "LogisticRegression()": "DummyClassifier",
    "LinearRegression()": "DummyRegressor",
    "Ridge()": "PLSRegression",
    "SGDClassifier()": "PassiveAggressiveClassifier",
    "SGDRegressor()": "PassiveAggressiveRegressor",
    "GradientBoostingRegressor()": "AdaBoostRegressor IsotonicRegression",
    "HistGradientBoostingRegressor(loss='poisson')": "PoissonRegressor TweedieRegressor",
    "HistGradientBoostingRegressor(loss='gamma')": "GammaRegressor",
    "MultiOutputRegressor(Ridge())": "RegressorChain",
}
"""The classes for which each expression stands in."""

IN_WORDS: Mapping[str, str] = {
    **dict.fromkeys(
        ("OneHotEncoder", "OrdinalEncoder", "TargetEncoder", "CategoricalNB", "LabelBinarizer"),
        "train on columns of 0 and 1, one for each category, such as those of pandas.get_dummies",
    ),
    **dict.fromkeys(
        ("MultiOutputClassifier", "ClassifierChain"),
        "train a classifier for each output, and compile each of them",
    ),
    **dict.fromkeys(
        ("FixedThresholdClassifier", "TunedThresholdClassifierCV"),
        "compile its estimator_, and compare the score with the threshold",
    ),
    "TransformedTargetRegressor": "compile its regressor_, whose values are those of the transformed targets",
}
"""Advice for classes whose work is done by something else than another class."""

BY_KIND = {
    "classes_": "LogisticRegression(), RandomForestClassifier() and SVC()",
    "transform": "StandardScaler(), MinMaxScaler() and PCA(2)",
    "score_samples": "IsolationForest(), EllipticEnvelope() and OneClassSVM()",
    "predict": "LinearRegression(), RandomForestRegressor() and SVR()",
}
"""Expressions for any other class, by an attribute that tells its kind."""


def advice(name: str, estimator: object, *, transforms: bool = False) -> str:
    """What helps in place of an estimator of a class. transforms: true if it is to give features."""
    if (words := IN_WORDS.get(name)) is not None:
        return words
    if (nearest := next((made for made, names in INSTEAD.items() if name in names.split()), None)) is not None:
        return f"the nearest that is supported is {nearest}"
    kind = "transform" if transforms else next((kind for kind in BY_KIND if hasattr(estimator, kind)), "predict")
    return f"supported are {BY_KIND[kind]}, among others"
