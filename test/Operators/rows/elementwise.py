# ===- elementwise.py - Rows of element by element operators ----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Operators that work element by element and are not of the plain kind, and casts."""

import numpy as np

import schemas
from table import Node, row


def bits(kind):
    """The width of an element type."""
    name = schemas.element_of(kind)
    if name in ("string", "bool"):
        return 0 if name == "string" else 8
    narrow = {"int4": 4, "uint4": 4, "float4e2m1": 4, "int2": 2, "uint2": 2}
    return narrow.get(name) or 8 * schemas.dtype_of(name).itemsize


def castable(m, name, to, shape):
    """Values that the other type can hold too: text of numbers from and to strings, no NaN, small integers."""
    if m.element(name) == "string":
        inexact = m.is_real(to)
        pool = ["1", "0", "1.5", "3", "-2", "1e2"] if inexact and not m.element(to).startswith("float8e8") else ["1", "2", "4"]
        if m.element(to) == "string":
            pool = ["a", "", "Zürich"]
        if m.element(to) == "bool":
            pool = ["1"]  # what else is true is not said
        return m.given(name, m.rng.choice(np.array(pool, object), shape))
    real, lowest = m.is_real(to) or m.element(to) == "string", 0
    if not real and m.element(to) != "bool":
        lowest = max(schemas.limits(m.dtype(to))[0], -7)
    highest = 7 if real or m.element(to) == "bool" else min(7, schemas.limits(m.dtype(to))[1])
    return m.tensor(name, shape, lowest if not m.element(to).endswith("e8m0") else 1, highest)


@row("Cast", combine=True)
def cast(m):
    return Node([castable(m, "T1", "T2", m.shape(2, 5))], {"to": m.type_number("T2")})


@row("CastLike", combine=True)
def cast_like(m):
    return Node([castable(m, "T1", "T2", m.shape(2, 5)), m.tensor("T2", [2])])


@row("BitCast", combine=True, allows=lambda types: bits(types["T1"]) == bits(types["T2"]) > 0)
def bit_cast(m):
    bounds = (0, 1) if m.element("T2") == "bool" else (None, None)
    return Node([m.tensor("T1", m.shape(2, 5), *bounds)], {"to": m.type_number("T2")})


@row("BitShift")
def bit_shift(m):
    shape = m.shape(3, 4)
    return Node([m.tensor("T", shape), m.tensor("T", shape, 0, 7)], {"direction": m.pick("LEFT", "RIGHT")})


@row("Clip")
def clip(m):
    low, high = (-1, 1) if m.is_real("T") else (3, 30)
    return Node([m.tensor("T", m.shape(3, 4)), m.given("T", low), m.given("T", high)])


@row("Div")
def div(m):
    shape = m.shape(3, 4)
    return Node([m.tensor("T", shape), m.tensor("T", shape, 1, 9)])


@row("Mod")
def mod(m):
    shape = m.shape(3, 4)
    return Node([m.tensor("T", shape), m.tensor("T", shape, 1, 9)], {"fmod": 1 if m.is_real("T") else m.pick(0, 1)})


@row("Pow", combine=True)
def power(m):
    shape = m.shape(3, 4)
    return Node([m.tensor("T", shape, 1, 3), m.tensor("T1", shape, 0, 3)])


@row("Where")
def where(m):
    shape = m.shape(3, 4)
    return Node([m.tensor("bool", shape), m.tensor("T", shape), m.tensor("T", shape)])


@row("Dropout")
def dropout(m):
    return Node([m.tensor("T", m.shape(3, 4)), m.given("T1", 0.5), m.given("T2", False)], {}, 2)


@row("Bernoulli", random=True)
def bernoulli(m):
    return Node([m.tensor("T1", m.shape(3, 4), 0, 1)], {"dtype": m.type_number("T2")})


@row("RandomNormal", "RandomUniform", random=True)
def random(m):
    # An empty list does not say that it is one of integers.
    return Node([], {"shape": m.shape(3, 4) or [1], "dtype": m.type_number("T")})


@row("RandomNormalLike", "RandomUniformLike", random=True)
def random_like(m):
    return Node([m.tensor("T1", m.shape(3, 4))], {"dtype": m.type_number("T2")})


@row("Multinomial", random=True)
def multinomial(m):
    return Node([m.tensor("T1", [2, m.size(5)])], {"dtype": m.type_number("T2"), "sample_size": m.size(4)})


@row("QuantizeLinear", allows=lambda t: (t["T1"] == "tensor(int32)") <= (t["T2"] != "tensor(float8e8m0)"))
def quantize(m):
    zero = m.given("T3", 0)
    return Node([m.tensor("T1", m.shape(3, 4), 0, 3), m.given("T2", 1 if m.element("T2") == "int32" else 0.5), zero])


@row("DequantizeLinear")
def dequantize(m):
    attributes = {"output_dtype": m.type_number("T3")}
    return Node([m.tensor("T1", m.shape(3, 4)), m.given("T2", 0.5), m.given("T1", 0)], attributes)


@row("DynamicQuantizeLinear")
def dynamic_quantize(m):
    return Node([m.tensor("T1", [m.size(3), m.size(4)])], {}, 3)


@row("StringConcat")
def string_concat(m):
    shape = m.shape(3, 4)
    return Node([m.tensor("T", shape), m.tensor("T", shape)])


def pieces(case, node):
    """As Python splits: onnxruntime finds nothing in an empty text, where a delimiter finds one empty piece."""
    texts = node.inputs[0].value
    found = [t.split(node.attributes["delimiter"] or None) for t in texts.reshape(-1)]
    longest = max(map(len, found), default=0)
    padded = np.array([f + [""] * (longest - len(f)) for f in found], object)
    counts = np.array([len(f) for f in found], np.int64)
    return [padded.reshape([*texts.shape, longest]), counts.reshape(texts.shape)]


@row("StringSplit", expect=pieces)
def string_split(m):
    return Node([m.tensor("T1", m.shape(3, 4))], {"delimiter": m.pick(" ", "", "n")}, 2)


@row("StringNormalizer")
def string_normalizer(m):
    words = m.rng.choice(np.array(["bc", "Mixed", "x"], object), [m.size(4)])
    return Node([m.given("string", words)], {"case_change_action": m.pick("UPPER", "LOWER", "NONE"), "stopwords": ["a"]})


@row("RegexFullMatch")
def regex(m):
    return Node([m.tensor("T1", m.shape(3, 4))], {"pattern": m.pick("[a-z]*", r"\w+", ".")})


@row("TfIdfVectorizer")
def tf_idf(m):
    words = {"pool_strings": ["a", "bc", "a", "x"]} if m.element("T") == "string" else {"pool_int64s": [1, 2, 1, 3]}
    attributes = {"mode": m.pick("TF", "IDF", "TFIDF"), "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": m.pick(0, 1),
                  "ngram_counts": [0, 2], "ngram_indexes": [0, 2, 1], "weights": [0.5, 2.0, 1.0]}  # fmt: skip
    return Node([m.tensor("T", [m.size(6)], 0, 3)], {**attributes, **words})


PIXELS = np.arange(0, 180, 15, dtype=np.uint8).reshape(2, 2, 3)


@row("ImageDecoder", expect=lambda case, node: [PIXELS])
def image_decoder(m):
    return Node([m.given("T1", [*b"P6 2 2 255\n", *PIXELS.ravel()])], {"pixel_format": "RGB"})
