"""The table that maps class names of estimators to handlers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from tinyml.dialects.extensions import part_on_call
from tinyml.lowering.frontends.sklearn import composites, functions, linear, scaling, trees
from tinyml.lowering.frontends.sklearn.composites import Composite
from tinyml.lowering.frontends.sklearn.fitted import Handler

F = TypeVar("F")


def _of_extension(where: str) -> Any:
    """A handler `MODULE:NAME`, relative to this folder, of an extension. It raises `InputError` if the extension is not
    installed.
    """
    return part_on_call(f"tinyml.lowering.frontends.sklearn.{where}")


def _by(handler: F, names: str) -> dict[str, F]:
    return dict.fromkeys(names.split(), handler)


FAMILIES: Mapping[str, Mapping[str, Handler]] = {
    "Transformers": {
        **_by(scaling.standard_scaler, "StandardScaler"),
        **_by(scaling.min_max_scaler, "MinMaxScaler"),
        **_by(scaling.max_abs_scaler, "MaxAbsScaler"),
        **_by(scaling.robust_scaler, "RobustScaler"),
        **_by(scaling.normalizer, "Normalizer"),
        **_by(scaling.simple_imputer, "SimpleImputer"),
        **_by(scaling.polynomial_features, "PolynomialFeatures"),
        **_by(scaling.pca, "PCA IncrementalPCA"),
        **_by(scaling.truncated_svd, "TruncatedSVD"),
        **_by(scaling.nystroem, "Nystroem"),
        **_by(scaling.binarizer, "Binarizer"),
        **_by(_of_extension("encoders:encoded"), "OneHotEncoder OrdinalEncoder"),
        **_by(functions.function_transformer, "FunctionTransformer"),
        **_by(
            composites.selected,
            "VarianceThreshold SelectKBest SelectPercentile SelectFpr SelectFdr SelectFwe GenericUnivariateSelect",
        ),
    },
    "Linear classifiers": {
        **_by(
            linear.linear,
            "LogisticRegression LogisticRegressionCV RidgeClassifier RidgeClassifierCV SGDClassifier Perceptron "
            "LinearSVC LinearDiscriminantAnalysis",
        ),
    },
    "Linear regressors": {
        **_by(
            linear.linear,
            "LinearRegression Ridge RidgeCV Lasso LassoCV MultiTaskLasso MultiTaskLassoCV ElasticNet ElasticNetCV "
            "MultiTaskElasticNet MultiTaskElasticNetCV Lars LarsCV LassoLars LassoLarsCV LassoLarsIC "
            "OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV BayesianRidge ARDRegression HuberRegressor "
            "TheilSenRegressor SGDRegressor QuantileRegressor LinearSVR",
        ),
    },
    "Support vector machines": {
        **_by(_of_extension("stored_examples:support_vector_classifier"), "SVC NuSVC"),
        **_by(_of_extension("stored_examples:support_vector_regressor"), "SVR NuSVR"),
    },
    "Networks": {
        **_by(linear.perceptron_classifier, "MLPClassifier"),
        **_by(linear.perceptron_regressor, "MLPRegressor"),
    },
    "Naive Bayes": {
        **_by(_of_extension("densities:gaussian_naive_bayes"), "GaussianNB"),
        **_by(_of_extension("densities:multinomial_naive_bayes"), "MultinomialNB"),
        **_by(_of_extension("densities:complement_naive_bayes"), "ComplementNB"),
        **_by(_of_extension("densities:bernoulli_naive_bayes"), "BernoulliNB"),
    },
    "Gaussian densities": {
        **_by(_of_extension("densities:quadratic_discriminant"), "QuadraticDiscriminantAnalysis"),
    },
    "Nearest neighbours": {
        **_by(_of_extension("stored_examples:neighbours_classifier"), "KNeighborsClassifier"),
        **_by(_of_extension("stored_examples:neighbours_regressor"), "KNeighborsRegressor"),
        **_by(_of_extension("stored_examples:nearest_centroid"), "NearestCentroid"),
    },
    "Clusters": {
        **_by(_of_extension("stored_examples:k_means"), "KMeans MiniBatchKMeans"),
        **_by(_of_extension("densities:gaussian_mixture"), "GaussianMixture"),
    },
    "Trees and forests": {
        **_by(trees.classifier_tree, "DecisionTreeClassifier ExtraTreeClassifier"),
        **_by(trees.regressor_tree, "DecisionTreeRegressor ExtraTreeRegressor"),
        **_by(trees.forest_classifier, "RandomForestClassifier ExtraTreesClassifier"),
        **_by(trees.forest_regressor, "RandomForestRegressor ExtraTreesRegressor"),
        **_by(trees.bagging_classifier, "BaggingClassifier"),
        **_by(trees.bagging_regressor, "BaggingRegressor"),
        **_by(trees.ada_boost, "AdaBoostClassifier"),
        **_by(trees.boosted, "GradientBoostingClassifier GradientBoostingRegressor"),
        **_by(trees.histogram_boosted, "HistGradientBoostingClassifier"),
        **_by(trees.histogram_boosted_regressor, "HistGradientBoostingRegressor"),
    },
    "Anomaly detectors": {
        **_by(_of_extension("detectors:isolation_forest"), "IsolationForest"),
        **_by(_of_extension("detectors:one_class_support_vectors"), "OneClassSVM"),
        **_by(_of_extension("detectors:one_class_linear"), "SGDOneClassSVM"),
        **_by(_of_extension("detectors:ellipse"), "EllipticEnvelope"),
        **_by(_of_extension("detectors:local_outlier_factor"), "LocalOutlierFactor"),
        **_by(_of_extension("detectors:ellipse"), "EmpiricalCovariance ShrunkCovariance LedoitWolf OAS MinCovDet"),
    },
}
"""The handlers of estimators by class name, grouped in families; estimators that contain others are excluded."""

COMPOSITES: Mapping[str, Mapping[str, Composite]] = {
    "Columns": {
        **_by(composites.column_transformer, "ColumnTransformer"),
        **_by(composites.feature_union, "FeatureUnion"),
        **_by(composites.selected_from_model, "SelectFromModel RFE RFECV SequentialFeatureSelector"),
    },
    "Ensembles": {
        **_by(composites.one_against_rest, "OneVsRestClassifier"),
        **_by(composites.voting_classifier, "VotingClassifier"),
        **_by(composites.voting_regressor, "VotingRegressor"),
        **_by(composites.several_regressors, "MultiOutputRegressor"),
        **_by(functions.transformed_targets, "TransformedTargetRegressor"),
        **_by(composites.stacking, "StackingClassifier StackingRegressor"),
        **_by(composites.calibrated, "CalibratedClassifierCV"),
    },
}
"""The handlers of estimators that contain others, except pipelines and searches."""

HANDLERS: Mapping[str, Handler] = {name: handler for family in FAMILIES.values() for name, handler in family.items()}

DISTANCES: Mapping[str, Handler] = {
    **_by(_of_extension("detectors:distance_to_centres"), "KMeans MiniBatchKMeans"),
    **_by(_of_extension("detectors:distance_to_components"), "PCA IncrementalPCA"),
}
"""The distance functions of estimators that are not detectors by themselves, used if a detector is requested."""
