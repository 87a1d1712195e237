# ===- device-functions.py - Functions of floats on a device ---------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Every function of floats in every type that it has, on the simulated device: device-functions.py FOLDER.

Prints for each type how many results are further from the exact ones than TYPES allows.
"""

import argparse
import math
import pathlib
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from Harness import artefact

FOLDER = pathlib.Path(sys.argv[1])
# The allowed error in units of the last place: halves are computed in f32 and rounded once.
TYPES = {"f16": (np.float16, TensorProto.FLOAT16, 1), "bf16": (ml_dtypes.bfloat16, TensorProto.BFLOAT16, 1),
         "f32": (np.float32, TensorProto.FLOAT, 8), "f64": (np.float64, TensorProto.DOUBLE, 4)}  # fmt: skip
# numpy's are computed in 64 bits of precision. There is none of erf.
UNARY = {
    "Acos": np.arccos, "Acosh": np.arccosh, "Asin": np.arcsin, "Asinh": np.arcsinh, "Atan": np.arctan, "Atanh": np.arctanh,
    "Ceil": np.ceil, "Cos": np.cos, "Cosh": np.cosh, "Erf": np.vectorize(lambda x: math.erf(float(x)), otypes=[np.longdouble]),
    "Exp": np.exp, "Floor": np.floor, "Log": np.log, "Reciprocal": np.reciprocal, "Round": np.rint, "Sin": np.sin,
    "Sinh": np.sinh, "Sqrt": np.sqrt, "Tan": np.tan, "Tanh": np.tanh,
}  # fmt: skip
BINARY = {"Pow": np.power, "Mod": np.fmod, "Div": np.divide}
# Denormal results of these keep the bits that they have. Those of others may be 0.
DENORMAL = ("Exp",)
EXACT = ("Ceil", "Floor", "Mod", "Round")
# Their sums and products have errors of their own.
COMPOSED = {"Acosh": 8, "Asinh": 8, "Atanh": 8, "Cosh": 8, "Sinh": 8}
SPECIAL = [0, -0.0, 1, -1, 0.5, -0.5, 2, 3, -3, 131071, 131072, -131072, 1e22, 1e30, 0.7, 710, -746, np.inf, -np.inf, np.nan]


def arguments(dtype, rng):
    """Small and large numbers of both signs, all bits at random, those next to 1, and special ones."""
    bits = np.dtype(dtype).itemsize * 8
    any_bits = rng.integers(0, 2**bits, 900, dtype=f"u{bits // 8}", endpoint=False).view(dtype)
    parts = [rng.uniform(-r, r, 400).astype(dtype) for r in (1, 10, 1e3)] + [(1 + rng.normal(0, 1e-3, 100)).astype(dtype)]
    parts.append(rng.uniform(-104, -87, 2000).astype(dtype))  # e^x is denormal in f32
    limits = [np.float64(f(dtype)) for f in (lambda t: ml_dtypes.finfo(t).max, lambda t: ml_dtypes.finfo(t).tiny)]
    with np.errstate(all="ignore"):
        special = np.array([*SPECIAL, *limits, limits[1] / 4], np.float64).astype(dtype)
    return np.concatenate([special, any_bits, *parts]), special


def operands(dtype):
    """x and y: each special number with each other one, and random pairs."""
    rng = np.random.default_rng(0)
    (x, special), (y, _) = arguments(dtype, rng), arguments(dtype, rng)
    pairs = np.stack(np.meshgrid(special, special)).reshape(2, -1)
    rng.shuffle(y)
    # Powers of small exponents are numbers more often.
    positive = np.abs(x)
    exponents = (rng.uniform(-4, 4, len(x))).astype(dtype)
    return np.concatenate([x, pairs[0], positive]), np.concatenate([y, pairs[1], exponents])


def save_model(path, kind, count):
    nodes = [helper.make_node(op, ["x"], [op]) for op in UNARY]
    nodes += [helper.make_node(op, ["x", "y"], [op], **({"fmod": 1} if op == "Mod" else {})) for op in BINARY]
    x, y, *outputs = (helper.make_tensor_value_info(n, kind, [count]) for n in ("x", "y", *UNARY, *BINARY))
    graph = helper.make_graph(nodes, "functions", [x, y], outputs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10), path)


def wrong(got, exact, units, has_denormals):
    """Which results are further from the exact ones; without has_denormals those below all others may be 0."""
    info = ml_dtypes.finfo(got.dtype)
    tiny, highest = np.longdouble(float(info.tiny)), np.longdouble(float(info.max))
    unit = np.ldexp(np.longdouble(1), np.frexp(np.maximum(np.abs(exact), tiny))[1] - info.nmant - 1)
    value = got.astype(np.longdouble)
    near = np.abs(value - exact) <= units * unit
    near |= (np.abs(exact) > highest - units * unit) & (value == np.sign(exact) * np.inf)
    near |= (np.abs(exact) < tiny) & (np.abs(value) <= tiny) & (units > 0) & (not has_denormals)
    return ~(near | (value == exact) | (np.isnan(value) & np.isnan(exact)))


def check(name, dtype, kind, units):
    x, y = operands(dtype)
    model, library = FOLDER / f"{name}.onnx", FOLDER / f"{name}.so"
    save_model(model, kind, len(x))
    results = artefact.load_session(artefact.compile_model(model, library)).run([x, y])
    count, messages = 0, []
    for (op, function), got in zip({**UNARY, **BINARY}.items(), results, strict=True):
        with np.errstate(all="ignore"):
            given = [v.astype(np.longdouble) for v in ((x, y) if op in BINARY else (x,))]
            exact = function(*given)
            bad = wrong(got, exact, 0 if op in EXACT else max(units, COMPOSED.get(op, 0)), op in DENORMAL)
        count += len(x)
        if bad.any():
            i = int(np.argmax(bad))
            messages.append(f"{op} of {[float(g[i]) for g in given]} is {got[i]!r}, not {exact[i]!r}; {bad.sum()} are wrong")
    print(f"{name}: {len(UNARY) + len(BINARY)} functions, {count} results, {len(messages)} functions are wrong")
    print("\n".join(messages), end="\n" if messages else "")


FOLDER.mkdir(parents=True, exist_ok=True)
artefact.use_device(argparse.Namespace(device=True))
for name, row in TYPES.items():
    check(name, *row)
