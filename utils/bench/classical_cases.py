# ===- classical_cases.py - Operators on texts and of classical models ------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Operators on texts and of classical models, at sizes of practice."""

import forest
import numpy as np
from operator_case import RNG, Case, Fixed, below, floats


def words(count, *shape):
    return np.array([f"word {i}" for i in RNG.integers(0, count, shape).ravel()], dtype=object).reshape(shape)


def texts():
    yield Case("StringNormalizer", [words(5000, 4096)], case_change_action="UPPER", is_case_sensitive=1, locale="C")
    grams = {"min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0, "mode": "TF"}
    pool = [f"word {i}" for i in range(1000)]
    for rows in (1, 64):
        yield Case("TfIdfVectorizer", [words(1200, rows, 200)], ngram_counts=[0, 1000], ngram_indexes=list(range(1500)),
                   pool_strings=pool * 2, results=[np.float32], suffix=f"{rows} rows of words", **grams)  # fmt: skip
    yield Case("StringConcat", [words(1000, 20000), words(1000, 20000)], opset=20)
    yield Case("StringSplit", [words(1000, 20000)], outputs=2, delimiter=" ", opset=20)
    yield Case("RegexFullMatch", [words(1000, 20000)], pattern="word [0-9]*7", opset=20)
    yield Case("Equal", [words(1000, 20000), words(1000, 20000)], suffix="words", opset=19)
    yield Case("Cast", [below(1000, 20000)], to=8, suffix="int64-string")
    yield Case("TfIdfVectorizer", [below(200, 64, 200)], mode="TF", min_gram_length=1, max_gram_length=2, max_skip_count=0,
               ngram_counts=[0, 200], ngram_indexes=list(range(300)), pool_int64s=list(range(200)) * 2)  # fmt: skip


def classical():
    ml = {"domain": "ai.onnx.ml"}
    keys = [f"word {i}" for i in range(1000)]
    yield Case("LabelEncoder", [words(1000, 20000)], keys_strings=keys, values_int64s=list(range(1000)),
               results=[np.int64], suffix="words", **ml)  # fmt: skip
    yield Case("LabelEncoder", [below(1000, 20000)], keys_int64s=list(range(1000)), values_floats=[0.5] * 1000,
               results=[np.float32], suffix="int64", **ml)  # fmt: skip
    yield Case("OneHotEncoder", [below(20, 4096)], cats_int64s=list(range(20)), results=[np.float32], **ml)
    yield Case("LinearClassifier", [floats(4096, 32)], outputs=2, coefficients=[0.5, -0.5] * 160, intercepts=[0.1] * 10,
               classlabels_ints=list(range(10)), post_transform="SOFTMAX",
               results=[np.int64, np.float32], **ml)  # fmt: skip
    support = 200
    yield Case("SVMRegressor", [floats(1024, 16)], kernel_type="RBF", kernel_params=[0.1, 0.0, 0.0], n_supports=support,
               support_vectors=floats(support * 16).tolist(), coefficients=floats(support).tolist(), rho=[0.5], **ml)  # fmt: skip
    yield Case("Scaler", [floats(4096, 32)], scale=[2.0] * 32, offset=[1.0] * 32, **ml)
    yield Case("Normalizer", [floats(4096, 32)], norm="L2", **ml)
    yield Case("Binarizer", [floats(4096, 32)], threshold=0.5, **ml)
    yield Case("Imputer", [floats(4096, 32)], imputed_value_floats=[1.0] * 32, replaced_value_float=float("nan"), **ml)
    yield Case("LinearRegressor", [floats(4096, 32)], coefficients=[0.5] * 32, intercepts=[1.0], **ml)
    yield Case("ArrayFeatureExtractor", [floats(4096, 32), Fixed([1, 3, 7])], **ml)
    yield from encoders()
    yield from ensembles()
    yield from small_batches()


def ensembles():
    for trees, leaves in ((100, 50), (100, 500)):
        regressor = forest.attributes(forest.random_forest(trees, leaves))
        classifier = forest.attributes(forest.random_forest(trees, leaves), classes=3)
        for rows in (1, 10, 50, 200, 1000):
            name = f"{trees} trees of {leaves} leaves {rows} rows"
            yield Case("TreeEnsembleRegressor", [floats(rows, forest.FEATURES)], domain="ai.onnx.ml", suffix=name, **regressor)
            yield Case("TreeEnsembleClassifier", [floats(rows, forest.FEATURES)], outputs=2, domain="ai.onnx.ml",
                       results=[np.int64, np.float32], suffix=name, **classifier)  # fmt: skip


def encoders():
    """Labels close together, far apart and of all types, of one row and of many."""
    ml = {"domain": "ai.onnx.ml"}
    far = (np.arange(1000) * 7919 * 104729).tolist()
    for rows in (1, 1024):
        yield Case("LabelEncoder", [RNG.choice(np.array(far), rows)], keys_int64s=far, values_int64s=list(range(1000)),
                   results=[np.int64], suffix=f"far apart {rows} rows", **ml)  # fmt: skip
        yield Case("LabelEncoder", [RNG.choice(np.float32(far), rows)], keys_floats=[float(x) for x in far],
                   values_floats=[float(x) for x in range(1000)], results=[np.float32], suffix=f"floats {rows} rows", **ml)  # fmt: skip
        yield Case("LabelEncoder", [words(1000, rows)], keys_strings=[f"word {i}" for i in range(1000)],
                   values_int64s=list(range(1000)), results=[np.int64], suffix=f"words {rows} rows", **ml)  # fmt: skip
    yield Case("LabelEncoder", [below(1000, 1024)], keys_int64s=list(range(1000)), values_strings=[f"word {i}" for i in range(1000)],
               results=[object], suffix="to words", **ml)  # fmt: skip
    yield Case("CategoryMapper", [words(1000, 1024)], cats_strings=[f"word {i}" for i in range(1000)],
               cats_int64s=list(range(1000)), results=[np.int64], **ml)  # fmt: skip
    yield Case("CategoryMapper", [below(1000, 1024)], cats_strings=[f"word {i}" for i in range(1000)],
               cats_int64s=list(range(1000)), results=[object], suffix="to words", **ml)  # fmt: skip
    yield Case("OneHotEncoder", [words(200, 1024)], cats_strings=[f"word {i}" for i in range(200)], results=[np.float32],
               suffix="words", **ml)  # fmt: skip
    yield Case("OneHotEncoder", [below(200, 1024, 4)], cats_int64s=list(range(200)), results=[np.float32], suffix="200", **ml)


def small_batches():
    """What a service asks for one row, and for 1,024."""
    ml, support = {"domain": "ai.onnx.ml"}, 200
    for rows in (1, 1024):
        x = floats(rows, 16)
        yield Case("Scaler", [x], scale=[2.0] * 16, offset=[1.0] * 16, suffix=f"{rows} rows", **ml)
        yield Case("Normalizer", [x], norm="L1", suffix=f"{rows} rows", **ml)
        yield Case("Imputer", [x], imputed_value_floats=[1.0] * 16, replaced_value_float=0.0, suffix=f"{rows} rows", **ml)
        yield Case("FeatureVectorizer", [x, floats(rows, 4)], inputdimensions=[16, 4], suffix=f"{rows} rows", **ml)
        yield Case("ArrayFeatureExtractor", [x, Fixed([1, 3, 7])], suffix=f"{rows} rows", **ml)
        yield Case("LinearRegressor", [x], coefficients=[0.5] * 16, intercepts=[1.0], suffix=f"{rows} rows", **ml)
        yield Case("LinearClassifier", [x], outputs=2, coefficients=[0.5, -0.5] * 24, intercepts=[0.1] * 3,
                   classlabels_ints=list(range(3)), post_transform="LOGISTIC", results=[np.int64, np.float32],
                   suffix=f"{rows} rows", **ml)  # fmt: skip
        yield Case("SVMClassifier", [x], outputs=2, kernel_type="RBF", kernel_params=[0.1, 0.0, 0.0],
                   vectors_per_class=[support // 2] * 2, support_vectors=floats(support * 16).tolist(),
                   coefficients=floats(support).tolist(), rho=[0.5], classlabels_ints=[0, 1],
                   results=[np.int64, np.float32], suffix=f"{rows} rows", **ml)  # fmt: skip
