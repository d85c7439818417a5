"""Advice for unsupported estimators: scikit-learn expressions that create supported replacements.

A test fits and imports each replacement.
"""

from __future__ import annotations

from collections.abc import Mapping

TEXTS = ("CountVectorizer", "DictVectorizer", "FeatureHasher", "HashingVectorizer", "TfidfVectorizer")
"""Transformers whose inputs are texts or dictionaries."""

INSTEAD: Mapping[str, str] = {
    "KMeans()": (
        "AffinityPropagation AgglomerativeClustering Birch BisectingKMeans DBSCAN HDBSCAN MeanShift OPTICS"
        " SpectralClustering"
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
    "PolynomialFeatures()": "SplineTransformer",
    "SimpleImputer()": "IterativeImputer KNNImputer",
    "SVC()": "GaussianProcessClassifier",
    "SVR()": "GaussianProcessRegressor KernelRidge",
    "KNeighborsClassifier()": "LabelPropagation LabelSpreading NearestNeighbors RadiusNeighborsClassifier",
    "KNeighborsRegressor()": "RadiusNeighborsRegressor",
    "OneVsRestClassifier(LogisticRegression())": "OneVsOneClassifier OutputCodeClassifier",
    "Ridge()": "PLSRegression",
    "SGDClassifier()": "PassiveAggressiveClassifier",
    "SGDRegressor()": "PassiveAggressiveRegressor",
    "GradientBoostingRegressor()": "AdaBoostRegressor",
    "HistGradientBoostingRegressor(loss='poisson')": "PoissonRegressor TweedieRegressor",
    "HistGradientBoostingRegressor(loss='gamma')": "GammaRegressor",
    "MultiOutputRegressor(Ridge())": "RegressorChain",
}
"""The unsupported classes that each expression replaces."""

IN_WORDS: Mapping[str, str] = {
    **dict.fromkeys(
        ("TargetEncoder", "CategoricalNB", "LabelBinarizer"),
        "train on columns of 0 and 1, one for each category, such as those of OneHotEncoder",
    ),
    **dict.fromkeys(
        ("MultiOutputClassifier", "ClassifierChain"),
        "train a classifier for each output, and compile each of them",
    ),
    **dict.fromkeys(
        ("FixedThresholdClassifier", "TunedThresholdClassifierCV"),
        "compile its estimator_, and compare the score with the threshold",
    ),
    **dict.fromkeys(
        ("KBinsDiscretizer", "RandomTreesEmbedding"),
        "leave it out: trees cut features into intervals by themselves, as RandomForestClassifier() does",
    ),
    **dict.fromkeys(
        ("PowerTransformer", "QuantileTransformer"),
        "leave it out: trees ask only for the order of a feature's values, those of RandomForestClassifier(), too",
    ),
    **dict.fromkeys(
        TEXTS,
        "it reads text: the board has to compute the numbers that the step behind it takes, which alone is compiled",
    ),
    "TfidfTransformer": "train on the counts themselves, perhaps behind Normalizer()",
    "MissingIndicator": "leave it out: HistGradientBoostingClassifier() takes missing values by itself",
    "IsotonicRegression": "DecisionTreeRegressor() on a column X[:, None] has steps, too",
    **dict.fromkeys(
        ("DummyClassifier", "DummyRegressor"), "it answers the same for every sample, which needs no model"
    ),
    **dict.fromkeys(
        ("SpectralBiclustering", "SpectralCoclustering"),
        "it groups the rows that it was fitted on, and has no answer for another sample",
    ),
}
"""Advice for classes that no other class replaces."""

BY_KIND = {
    "classes_": "LogisticRegression(), RandomForestClassifier() and SVC()",
    "transform": "StandardScaler(), MinMaxScaler() and PCA(2)",
    "score_samples": "IsolationForest(), EllipticEnvelope() and OneClassSVM()",
    "predict": "LinearRegression(), RandomForestRegressor() and SVR()",
}
"""Expressions for any other class, by an attribute that identifies its kind."""


def advice(name: str, estimator: object, *, transforms: bool = False) -> str:
    """Advice on replacing an estimator of the unsupported class `name`.

    transforms: true if a transformer is required.
    """
    if (words := IN_WORDS.get(name)) is not None:
        return words
    if (
        nearest := next((replacement for replacement, names in INSTEAD.items() if name in names.split()), None)
    ) is not None:
        return f"the nearest that is supported is {nearest}"
    kind = "transform" if transforms else next((kind for kind in BY_KIND if hasattr(estimator, kind)), "predict")
    return f"supported are {BY_KIND[kind]}, among others"
