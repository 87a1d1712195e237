# ===- device-cluster-sums.py - Sums in parts of the blocks of a cluster ----===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs products of few rows and columns on the simulated device, beside numpy: device-cluster-sums.py PREFIX.

Of each: how its rows and columns are divided, the parts of its sums, and whether the numbers are right.
"""

import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, helper

F32, F16, BF16, S8 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.INT8
NUMPY = {F32: np.float32, F16: np.float16, BF16: ml_dtypes.bfloat16, S8: np.int8}
# Of the largest result.
BOUNDS = {F32: 2e-5, F16: 2e-3, BF16: 1.6e-2, S8: 0}


def graph_of(nodes, graph_inputs, element, result, shape):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, element, shape) for name, shape in graph_inputs.items()],
        [helper.make_tensor_value_info("y", result, shape)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)


def convolution(element, size, columns, terms):
    """Relu(Conv(x, w) + b) of windows of one pixel, inside a border of zeros."""
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("Constant", [], ["pads"], value_ints=[0, 0, 1, 1, 0, 0, 1, 1]),
        helper.make_node("Pad", ["r", "pads"], ["y"]),
    ]
    graph_inputs = {"x": [1, terms, size, size], "w": [columns, terms, 1, 1], "b": [columns]}
    return graph_of(nodes, graph_inputs, element, element, [1, columns, size + 2, size + 2])


def product(element, rows, columns, terms):
    """Relu(x w + b), or the sums of bytes."""
    graph_inputs = {"x": [rows, terms], "w": [terms, columns]}
    if element == S8:
        nodes = [helper.make_node("MatMulInteger", ["x", "w"], ["y"])]
    else:
        graph_inputs["b"] = [columns]
        nodes = [
            helper.make_node("MatMul", ["x", "w"], ["p"]),
            helper.make_node("Add", ["p", "b"], ["s"]),
            helper.make_node("Relu", ["s"], ["y"]),
        ]
    result = TensorProto.INT32 if element == S8 else element
    return graph_of(nodes, graph_inputs, element, result, [rows, columns])


CASES = {
    "f32_ragged": (product, F32, 37, 61, 1999),
    "f32_bordered": (convolution, F32, 7, 64, 512),
    "f16": (product, F16, 64, 64, 4096),
    "f16_ragged": (product, F16, 70, 51, 4090),
    "bf16": (product, BF16, 64, 128, 2048),
    "s8_ragged": (product, S8, 33, 50, 1501),
}


def values(shape, element):
    random = np.random.default_rng(0)
    if element == S8:
        return random.integers(-128, 128, shape).astype(np.int8)
    return (random.standard_normal(shape) / 8).astype(NUMPY[element])


def compiled(path, device, *options):
    """A session, or None where the recipe is that of other kernels, or needs more shared memory than there is."""
    command = ["onnx-compile", f"{path}.onnx", "-q", *([f"--device=cuda:simulator:{device}"] if device else []), *options]
    run = subprocess.run([*command, "-o", f"{path}.so"], capture_output=True, text=True)
    if run.returncode:
        assert re.search("no kernel|another kernel|slices would be larger|sums and slices take more", run.stderr), run.stderr
        return None
    return onnx_compile.ExecutionSession(f"{path}.so")


def error_of(session, given, exact):
    """Of the largest result; infinite if another run has other bits."""
    found, again = session.run(given)[0], session.run(given)[0]
    error = np.abs(found.astype(np.float64) - exact).max() / np.abs(exact).max()
    return error if found.tobytes() == again.tobytes() else np.inf


def described(recipes):
    parts = re.search(r"map\((\S+), cluster\)", recipes)
    size = parts and re.search(rf"block\((\S+), (\d+).*\) -> \({re.escape(parts[1])},", recipes)
    way = "wgmma" if "wgmma(" in recipes else "mma" if "mma(" in recipes else "fma"
    return f"{recipes.count('kernel ')} by {way}, parts of {size[2] if size else 'all'} terms"


def exact_of(make, element, x, w, *b):
    if element == S8:
        return x @ w
    if make == product:
        return np.maximum(x @ w + b[0], 0)
    pixels = np.tensordot(w[:, :, 0, 0], x[0], 1) + b[0][:, None, None]
    return np.pad(np.maximum(pixels, 0), ((0, 0), (1, 1), (1, 1)))[None]


def run(name, make, element, *sizes):
    path = f"{sys.argv[1]}-{name}"
    made = make(element, *sizes)
    onnx.save(made, f"{path}.onnx")
    given = [values([d.dim_value for d in info.type.tensor_type.shape.dim], element) for info in made.graph.input]
    exact = exact_of(make, element, *(x.astype(np.float64) for x in given))
    sessions = {"sm_90a": compiled(path, "sm_90a", f"--emit-recipes={path}.recipes")}
    errors = {"sm_90a": error_of(sessions["sm_90a"], given, exact)}
    for device in ("sm_80", ""):
        if session := compiled(path, device, f"--recipes={path}.recipes"):
            errors[device or "processor"] = error_of(session, given, exact)
    wrong = {device: error for device, error in errors.items() if not error <= BOUNDS[element]}
    print(f"{name}: {described(pathlib.Path(f'{path}.recipes').read_text())}; {f'wrong: {wrong}' if wrong else 'right'} on {', '.join(errors)}")


for name, case in CASES.items():
    run(name, *case)
