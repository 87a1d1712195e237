# ===- classical.py - Rows of ai.onnx.ml ------------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Classical machine learning."""

import numpy as np
from onnx import helper
import schemas
from table import Node, row

ML = "ai.onnx.ml."


@row(ML + "ArrayFeatureExtractor")
def array_feature_extractor(m):
    n = m.size(4)
    return Node([m.tensor("T", [m.size(3), n]), m.integers(0, n - 1)])


@row(ML + "Binarizer")
def binarizer(m):
    return Node([m.tensor("T", m.shape(3, 4))], {"threshold": m.pick(0.25, 0.0, 1.0)})


@row(ML + "Imputer")
def imputer(m):
    n, real = m.size(4), m.is_real("T")
    attributes = {"imputed_value_floats": [float(i) for i in range(n)], "replaced_value_float": 1.0}
    whole = {"imputed_value_int64s": list(range(n)), "replaced_value_int64": 1}
    return Node([m.tensor("T", [m.size(3), n], 0, 3)], attributes if real else whole)


@row(ML + "Normalizer")
def normalizer(m):
    return Node([m.tensor("T", [m.size(3), m.size(4)], 1, 5)], {"norm": m.pick("L2", "L1", "MAX")})


@row(ML + "Scaler")
def scaler(m):
    n = m.size(4)
    return Node([m.tensor("T", [m.size(3), n], 1, 5)], {"offset": [0.5] * n, "scale": [2.0] * n})


@row(ML + "OneHotEncoder")
def one_hot_encoder(m):
    text = m.element("T") == "string"
    cats = {"cats_strings": ["a", "bc", ""]} if text else {"cats_int64s": [0, 2, 3]}
    return Node([m.tensor("T", m.shape(3, 4), 0, 3)], {**cats, "zeros": 1})


@row(ML + "FeatureVectorizer")
def feature_vectorizer(m):
    n, k, batch = m.size(2), m.size(3), m.size(3)
    return Node([m.tensor("T1", [batch, n], 0, 9), m.tensor("T1", [batch, k], 0, 9)], {"inputdimensions": [n, k]})


@row(ML + "CategoryMapper", follows={"T2": lambda t: "tensor(int64)" if t["T1"] == "tensor(string)" else "tensor(string)"})
def category_mapper(m):
    attributes = {"cats_int64s": [1, 2, 3], "cats_strings": ["a", "bc", ""], "default_int64": -1, "default_string": "none"}
    return Node([m.tensor("T1", m.shape(3, 4), 0, 3)], attributes)


ATTRIBUTE_OF = {"string": "strings", "float": "floats", "int64": "int64s"}


def encoded(m, name, values):
    """The keys or values of LabelEncoder, in the attribute that the type has."""
    element = m.element(name)
    which = "keys" if name == "T1" else "values"
    if element in ATTRIBUTE_OF:
        cast = {"string": lambda v: "abcde"[v], "float": float, "int64": int}[element]
        return {f"{which}_{ATTRIBUTE_OF[element]}": [cast(v) for v in values]}
    return {f"{which}_tensor": helper.make_tensor("t", m.type_number(name), [len(values)], values)}


@row(ML + "LabelEncoder", combine=True)
def label_encoder(m):
    text = m.element("T1") == "string"
    drawn = m.rng.integers(0, 5, m.shape(3, 4))
    x = m.given("T1", np.array(list("abcde"), object)[drawn] if text else drawn)
    keys, values = encoded(m, "T1", [0, 2, 3]), encoded(m, "T2", [1, 0, 2])
    default = {}
    if any(k.endswith("tensor") for k in [*keys, *values]):
        default = {"default_tensor": helper.make_tensor("d", m.type_number("T2"), [1], [b"z"] if m.element("T2") == "string" else [4])}
        keys, values = tensors(m, "T1", "keys", [0, 2, 3]), tensors(m, "T2", "values", [1, 0, 2])
    return Node([x], {**keys, **values, **default})


def tensors(m, name, which, values):
    data = [b"abcde"[v:v + 1] for v in values] if m.element(name) == "string" else values
    return {f"{which}_tensor": helper.make_tensor(which, m.type_number(name), [len(values)], data)}


@row(ML + "LinearRegressor")
def linear_regressor(m):
    n = m.size(4)
    coefficients = [float(v) for v in m.rng.standard_normal(2 * n).astype(np.float32)]
    return Node([m.tensor("T", [m.size(3), n], 0, 3)], {"coefficients": coefficients, "intercepts": [0.5, -1.0], "targets": 2})


def classifier_labels(m, count):
    texts = m.element("T2") == "string"
    return {"classlabels_strings": ["a", "b", "c"][:count]} if texts else {"classlabels_ints": [7, 5, 3][:count]}


@row(ML + "LinearClassifier")
def linear_classifier(m):
    n = m.size(4)
    coefficients = [float(v) for v in m.rng.standard_normal(3 * n).astype(np.float32)]
    attributes = {"coefficients": coefficients, "intercepts": [0.5, -1.0, 0.25], "post_transform": m.pick("NONE", "SOFTMAX", "LOGISTIC")}
    return Node([m.tensor("T1", [m.size(3), n], 0, 3)], {**attributes, **classifier_labels(m, 3)}, 2)


def vectors(m, count, n):
    return {"kernel_type": m.pick("RBF", "LINEAR", "POLY"), "kernel_params": [0.5, 0.1, 2.0],
            "support_vectors": [float(v) for v in m.rng.standard_normal(count * n).astype(np.float32)]}  # fmt: skip


@row(ML + "SVMRegressor")
def svm_regressor(m):
    n = m.size(4)
    attributes = {**vectors(m, 3, n), "coefficients": [0.5, -1.0, 0.75], "rho": [0.25], "n_supports": 3}
    return Node([m.tensor("T", [m.size(3), n], 0, 3)], attributes)


@row(ML + "SVMClassifier")
def svm_classifier(m):
    n = m.size(4)
    attributes = {**vectors(m, 3, n), "coefficients": [0.5, -1.0, 0.75], "rho": [0.25], "vectors_per_class": [2, 1]}
    return Node([m.tensor("T1", [m.size(3), n], 0, 3)], {**attributes, **classifier_labels(m, 2)}, 2)


@row(ML + "TreeEnsemble")
def tree_ensemble(m):
    def reals(values):
        return helper.make_tensor("t", m.type_number("T"), [len(values)], values)

    attributes = {
        "tree_roots": [0], "n_targets": 2, "aggregate_function": m.pick(1, 0), "post_transform": 0,
        "nodes_modes": helper.make_tensor("modes", 2, [3], [0, 1, 4]), "nodes_featureids": [0, 1, 0],
        "nodes_splits": reals([0.5, -0.25, 0.0]), "nodes_truenodeids": [1, 0, 2], "nodes_trueleafs": [0, 1, 1],
        "nodes_falsenodeids": [2, 1, 3], "nodes_falseleafs": [0, 1, 1],
        "leaf_targetids": [0, 1, 0, 1], "leaf_weights": reals([1.5, -2.0, 0.25, 4.0]),
    }  # fmt: skip
    return Node([m.tensor("T", [m.size(3), 2])], attributes)


@row(ML + "ZipMap")
def zip_map(m):
    text = "string" in m.kind("Z" if "Z" in m.types else "T")
    names = {"classlabels_strings": ["a", "b", "c"]} if text else {"classlabels_int64s": [7, 5, 3]}
    return Node([m.tensor("float", [m.size(2), 3])], names)


def dense(case, node):
    if "string" not in case.types["T1"] and case.types["T2"] == "tensor(string)":
        raise NotImplementedError("digits of reals are not said")
    return [np.array([[*node.inputs[0].value.values()]]).astype(schemas.dtype_of(schemas.element_of(case.types["T2"])))]


@row(ML + "CastMap", combine=True, expect=dense)
def cast_map(m):
    types = {"float": "TO_FLOAT", "int64": "TO_INT64", "string": "TO_STRING"}
    x = m.tensor("T1", [])
    if m.kind("T1").endswith("string)"):
        x = x._replace(value={1: "2", 3: "5"})
    else:
        x = x._replace(value={1: 2.0, 3: 5.0})
    return Node([x], {"cast_to": types[m.element("T2")], "map_form": m.pick("DENSE", "DENSE")})


@row(ML + "DictVectorizer", follows={"T2": lambda t: f"tensor({schemas.element_of(t['T1'])})"})
def dict_vectorizer(m):
    words = "map(string" in m.kind("T1")
    vocabulary = {"string_vocabulary": ["c", "b", "a"]} if words else {"int64_vocabulary": [3, 2, 1]}
    return Node([m.tensor("T1", [])], vocabulary)
