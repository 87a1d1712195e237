# ===- pipelines.py - Classical models to convert --------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Small scikit-learn models of every family: (name, estimator, data), and what else fit takes."""

import importlib.util

import numpy as np
from sklearn import (
    calibration,
    cluster,
    compose,
    datasets,
    decomposition,
    discriminant_analysis,
    ensemble,
    feature_extraction,
    feature_selection,
    impute,
    linear_model,
    mixture,
    model_selection,
    multiclass,
    naive_bayes,
    neighbors,
    neural_network,
    pipeline,
    preprocessing,
    svm,
    tree,
)


def rounded(x):
    """The same numbers on each machine: what a product's last bits are depends on the library and the processor."""
    return (np.round(x * 1024) / 1024).astype(np.float32)


def floats(loader):
    x, y = loader(return_X_y=True)
    return x.astype(np.float32), y


def blobs():
    """Three classes that overlap a little, of moderate size."""
    x, y = datasets.make_classification(
        240, 10, n_informative=6, n_redundant=1, n_classes=3, random_state=5, flip_y=0.05
    )
    return rounded(x), y


def crowded():
    """Three classes that overlap so much that most rows are support vectors."""
    x, y = datasets.make_classification(300, 8, n_informative=5, n_classes=3, random_state=1)
    return rounded(x), y


def two():
    x, y = datasets.make_classification(240, 8, n_informative=5, random_state=3, flip_y=0.05)
    return rounded(x), y


def clouds():
    """Three classes that overlap a little, of independent features: no covariance is near a singular one."""
    rng = np.random.default_rng(6)
    y = np.arange(240) % 3
    return rounded(rng.standard_normal((240, 4)) + 2 * rng.standard_normal((3, 4))[y]), y


def named():
    """Two classes whose labels are strings."""
    x, y = two()
    return x, np.where(y, "yes", "no")


def narrow():
    """Three classes of 300 features that hardly vary: the logarithms of their densities are above 1000."""
    rng = np.random.default_rng(8)
    y = np.arange(60) % 3
    return rounded((rng.standard_normal((60, 300)) + 4 * rng.standard_normal((3, 300))[y]) / 128), y


def line():
    x, y = datasets.make_regression(240, 8, n_informative=6, noise=3.0, random_state=7)
    return rounded(x), rounded(y / 50)


def counts():
    x, y = line()
    return x, np.round(np.abs(y) * 3 + 1)


def amounts():
    """Features that are counts, for models of frequencies; small ones, as probabilities have the errors of the sums."""
    x, y = blobs()
    return np.round(np.abs(x)).astype(np.float32), y


def grades():
    """How well each of 240 answers fits its question."""
    x, y = line()
    return x, np.digitize(y, np.quantile(y, [0.3, 0.6, 0.9]))


def holes():
    x, y = line()
    x = x.copy()
    x[np.random.default_rng(1).random(x.shape) < 0.1] = np.nan
    return x, y


def few_holes():
    """Columns 1 and 4 have holes."""
    x, y = line()
    x = x.copy()
    x[::5, 1] = x[::7, 4] = np.nan
    return x, y


WORDS = "red green blue apple pear plum runs sleeps eats under over beside house tree river".split()


def sentences():
    rng = np.random.default_rng(2)
    texts = [" ".join(rng.choice(WORDS, rng.integers(3, 9))) for _ in range(80)]
    labels = np.array(["apple" in t or "pear" in t for t in texts]).astype(np.int64)
    return np.array(texts).reshape(-1, 1), labels


def categories():
    """Two columns of strings."""
    rng = np.random.default_rng(4)
    colours = rng.choice(["red", "green", "blue"], 160)
    sizes = rng.choice(["s", "m", "l"], 160)
    return np.stack([colours, sizes], 1), ((colours == "red") ^ (sizes == "s")).astype(np.int64)


def boosters():
    yield "gradient boosting, 2 classes", ensemble.GradientBoostingClassifier(n_estimators=12, random_state=0), two
    yield "gradient boosting, 3 classes", ensemble.GradientBoostingClassifier(n_estimators=8, random_state=0), blobs
    yield "gradient boosting, regression", ensemble.GradientBoostingRegressor(n_estimators=20, random_state=0), line
    yield "hist boosting, 2 classes", ensemble.HistGradientBoostingClassifier(max_iter=8), two
    yield "hist boosting, 3 classes", ensemble.HistGradientBoostingClassifier(max_iter=6), blobs
    yield "hist boosting, regression with holes", ensemble.HistGradientBoostingRegressor(max_iter=10), holes
    yield "ada boost", ensemble.AdaBoostClassifier(n_estimators=6, random_state=0), blobs


def trees():
    yield "decision tree", tree.DecisionTreeClassifier(random_state=0), blobs
    yield "decision tree, strings", tree.DecisionTreeClassifier(max_depth=4, random_state=0), named
    yield "decision tree, regression", tree.DecisionTreeRegressor(max_depth=6, random_state=0), line
    yield "forest, 2 classes", ensemble.RandomForestClassifier(12, random_state=0), two
    yield "forest, 3 classes", ensemble.RandomForestClassifier(12, random_state=0), blobs
    yield "forest, digits", ensemble.RandomForestClassifier(10, random_state=0), lambda: floats(datasets.load_digits)
    yield "forest, regression", ensemble.RandomForestRegressor(12, random_state=0), line
    yield "extra trees", ensemble.ExtraTreesClassifier(12, random_state=0), blobs
    yield "extra trees, regression", ensemble.ExtraTreesRegressor(10, random_state=0), line
    yield "isolation forest", ensemble.IsolationForest(n_estimators=12, random_state=0), two
    yield "extra tree", tree.ExtraTreeClassifier(random_state=0), blobs
    yield "extra tree, regression", tree.ExtraTreeRegressor(max_depth=6, random_state=0), line
    yield "bagging", ensemble.BaggingClassifier(n_estimators=5, random_state=0), blobs
    yield "bagging, regression", ensemble.BaggingRegressor(n_estimators=5, random_state=0), line


def linear():
    yield "logistic", linear_model.LogisticRegression(max_iter=500), two
    yield "logistic, 3 classes", linear_model.LogisticRegression(max_iter=500), blobs
    yield "logistic, strings", linear_model.LogisticRegression(max_iter=500), named
    yield "logistic by cross-validation", linear_model.LogisticRegressionCV(cv=3, max_iter=500, use_legacy_attributes=False, l1_ratios=(0.0,)), two
    yield "logistic by cross-validation, 3 classes", linear_model.LogisticRegressionCV(cv=3, max_iter=500, use_legacy_attributes=False, l1_ratios=(0.0,)), blobs
    yield "linear regression", linear_model.LinearRegression(), line
    yield "ridge", linear_model.Ridge(), line
    yield "lasso", linear_model.Lasso(0.01), line
    yield "elastic net", linear_model.ElasticNet(0.01), line
    yield "ridge classifier", linear_model.RidgeClassifier(), blobs
    # Weights so small that no probability is rounded to 1: the labels of such rows would be those of the first class.
    yield "stochastic gradient", linear_model.SGDClassifier(loss="log_loss", alpha=0.1, random_state=0), blobs
    yield "stochastic gradient, regression", linear_model.SGDRegressor(random_state=0), line
    yield "poisson", linear_model.PoissonRegressor(), counts
    yield "gamma", linear_model.GammaRegressor(), counts
    yield "tweedie", linear_model.TweedieRegressor(power=1.5), counts
    yield "linear support vectors", svm.LinearSVC(random_state=0), blobs
    yield "linear support vectors, regression", svm.LinearSVR(random_state=0, max_iter=5000), line


def support_vectors():
    yield "support vectors", svm.SVC(), blobs
    yield "support vectors, 2 classes", svm.SVC(), two
    yield "support vectors, polynomial", svm.SVC(kernel="poly", degree=3), blobs
    yield "support vectors, sigmoid", svm.SVC(kernel="sigmoid"), blobs
    yield "support vectors, linear kernel", svm.SVC(kernel="linear"), blobs
    # Weights that cancel: in f32 the sum of their products is off by 3e-5.
    sums = svm.SVC(kernel="linear", probability=True, random_state=0)
    yield "support vectors, linear kernel, probabilities", sums, crowded
    yield "support vectors, nu", svm.NuSVC(), blobs
    yield "support vectors, regression", svm.SVR(), line
    yield "support vectors, nu regression", svm.NuSVR(), line
    yield "one class", svm.OneClassSVM(), two


def others():
    yield "nearest neighbours", neighbors.KNeighborsClassifier(3), blobs
    yield "nearest neighbours, regression", neighbors.KNeighborsRegressor(3), line
    yield "naive bayes, gaussian", naive_bayes.GaussianNB(), blobs
    yield "naive bayes, gaussian, large densities", naive_bayes.GaussianNB(), narrow
    yield "naive bayes, multinomial", naive_bayes.MultinomialNB(), amounts
    yield "naive bayes, bernoulli", naive_bayes.BernoulliNB(), blobs
    yield "naive bayes, complement", naive_bayes.ComplementNB(), amounts
    yield "naive bayes, categorical", naive_bayes.CategoricalNB(), amounts
    yield "k means", cluster.KMeans(4, random_state=0, n_init=2), blobs
    yield "k means in batches", cluster.MiniBatchKMeans(3, random_state=0, n_init=2), blobs
    yield "perceptron", neural_network.MLPClassifier((16,), max_iter=60, random_state=0), blobs
    yield "perceptron, regression", neural_network.MLPRegressor(hidden_layer_sizes=(16,), max_iter=60, random_state=0), line
    yield "linear discriminant", discriminant_analysis.LinearDiscriminantAnalysis(), clouds
    yield "quadratic discriminant", discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=0.1), blobs
    yield "gaussian mixture", mixture.GaussianMixture(3, random_state=0), clouds
    yield "one against the rest", multiclass.OneVsRestClassifier(linear_model.LogisticRegression()), blobs


def combinations():
    members = [("a", linear_model.LogisticRegression(max_iter=500)), ("b", tree.DecisionTreeClassifier(max_depth=4, random_state=0))]
    yield "voting", ensemble.VotingClassifier(members, voting="soft", flatten_transform=False), blobs
    yield "stacking", ensemble.StackingClassifier(members), two
    search = model_selection.GridSearchCV(svm.SVC(), {"C": [0.5, 1.0]}, cv=3)
    yield "grid search", search, blobs
    chain = pipeline.make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(4), linear_model.LogisticRegression())
    yield "scaler, components, logistic", chain, blobs
    selection = pipeline.make_pipeline(feature_selection.SelectKBest(k=4), linear_model.LogisticRegression())
    yield "selected columns", selection, blobs
    union = pipeline.FeatureUnion([("a", preprocessing.StandardScaler()), ("b", decomposition.PCA(2))])
    yield "union of features", pipeline.make_pipeline(union, linear_model.LogisticRegression()), blobs
    parts = [("scaled", preprocessing.StandardScaler(), [0, 1, 2]), ("between", preprocessing.MinMaxScaler(), [3, 4]),
             ("squares", preprocessing.PolynomialFeatures(2), [5, 6])]  # fmt: skip
    columns = compose.ColumnTransformer(parts, remainder="passthrough")
    yield "columns transformed apart", pipeline.make_pipeline(columns, linear_model.LogisticRegression(max_iter=500)), blobs
    filled = pipeline.make_pipeline(impute.SimpleImputer(), ensemble.RandomForestRegressor(8, random_state=0))
    yield "filled holes", filled, holes


def transformers():
    yield "standard scaler", preprocessing.StandardScaler(), blobs
    yield "min-max scaler", preprocessing.MinMaxScaler(), blobs
    yield "largest scaler", preprocessing.MaxAbsScaler(), blobs
    yield "robust scaler", preprocessing.RobustScaler(), blobs
    yield "rows of norm 1, l1", preprocessing.Normalizer("l1"), blobs
    yield "rows of norm 1, l2", preprocessing.Normalizer("l2"), blobs
    yield "rows of norm 1, max", preprocessing.Normalizer("max"), amounts
    yield "binarizer", preprocessing.Binarizer(threshold=0.5), blobs
    yield "bins", preprocessing.KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"), blobs
    yield "bins one hot", preprocessing.KBinsDiscretizer(4, encode="onehot-dense", quantile_method="averaged_inverted_cdf"), blobs
    yield "polynomials", preprocessing.PolynomialFeatures(2), lambda: floats(datasets.load_iris)
    yield "components", decomposition.PCA(3), blobs
    yield "kernel components", decomposition.KernelPCA(3, kernel="rbf"), blobs
    yield "truncated components", decomposition.TruncatedSVD(3), blobs
    yield "components of few rows at a time", decomposition.IncrementalPCA(3), blobs
    yield "independent components", decomposition.FastICA(3, random_state=0, whiten="unit-variance"), blobs
    yield "holes as features", impute.MissingIndicator(features="all"), holes
    yield "holes of columns that have some", impute.MissingIndicator(), few_holes
    yield "imputer", impute.SimpleImputer(strategy="median"), holes
    yield "select columns", feature_selection.SelectKBest(k=3), blobs


def texts():
    counter = feature_extraction.text.CountVectorizer(ngram_range=(1, 2), token_pattern=r"\b[a-z]+\b")
    weights = feature_extraction.text.TfidfVectorizer(token_pattern=r"\b[a-z]+\b")
    column = lambda vectorizer: compose.ColumnTransformer([("text", vectorizer, 0)])  # noqa: E731
    yield "counted words", pipeline.make_pipeline(column(counter), naive_bayes.MultinomialNB()), sentences
    yield "weighted words", pipeline.make_pipeline(column(weights), linear_model.LogisticRegression()), sentences


def encoders():
    yield "categories one hot", preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False), categories
    yield "categories as numbers", preprocessing.OrdinalEncoder(), categories
    chain = pipeline.make_pipeline(preprocessing.OneHotEncoder(handle_unknown="ignore"), linear_model.LogisticRegression())
    yield "categories, logistic", chain, categories


def libraries():
    """LightGBM and XGBoost, where they are installed together with their converters."""
    for package in ("lightgbm", "xgboost"):
        if not all(importlib.util.find_spec(name) for name in (package, "onnxmltools")):
            continue
        module = importlib.import_module(package)
        prefix = {"lightgbm": "LGBM", "xgboost": "XGB"}[package]
        options = {"n_estimators": 15, "n_jobs": 1} | ({"verbose": -1, "num_leaves": 15} if prefix == "LGBM" else {})
        classifier, regressor = (getattr(module, prefix + kind) for kind in ("Classifier", "Regressor"))
        yield f"{package}, 2 classes", classifier(**options), two
        yield f"{package}, 3 classes", classifier(**options), blobs
        yield f"{package}, regression", regressor(**options), line
        yield f"{package}, regression with holes", regressor(**options), holes
        ranker = getattr(module, prefix + "Ranker")
        yield f"{package}, ranking", ranker(**options), grades, {"group": [24] * 10}


FAMILIES = [libraries, boosters, trees, linear, support_vectors, others, combinations, transformers, texts, encoders]


def all_models():
    """Yields (name, estimator, data); nothing is trained yet."""
    for family in FAMILIES:
        yield from family()
