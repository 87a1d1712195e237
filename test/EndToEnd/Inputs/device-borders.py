# ===- device-borders.py - Borders and slices on the simulated device -------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs windows over padded tensors and slices of slices on the processor and on the simulated device, beside numpy, and
names the kernels of the device: device-borders.py PREFIX."""

import re
import subprocess
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import parser

LEAST = {"float": -np.inf, "float16": -np.inf, "int8": -128, "uint8": 0}


def model(text, element="float", shape="1, 8, 13, 13"):
    return parser.parse_model(f"""<ir_version: 10, opset_import: ["" : 20]> g ({element}[{shape}] x) => ({element}[] y) {{ {text} }}""")


def largest(x, size, stride=1, pad=None):
    """Of windows, with a border of the least element around x."""
    pad = size // 2 if pad is None else pad
    border = LEAST[{"float32": "float"}.get(x.dtype.name, x.dtype.name)]
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=border)
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))
    return windows[:, :, ::stride, ::stride].max(axis=(4, 5))


def sums_of_ones_around(x):
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=1)
    return np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3)).mean(axis=(4, 5))


def focus(x):
    return np.concatenate([x[..., a::2, b::2] for b in (0, 1) for a in (0, 1)], axis=1)


SLICES = """
    one = Constant<value_ints = [1]>() two = Constant<value_ints = [2]>() zero = Constant<value_ints = [0]>()
    end = Constant<value_ints = [9999]>() rows = Constant<value_ints = [2]>() columns = Constant<value_ints = [3]>()
    even = Slice(x, zero, end, rows, two) odd = Slice(x, one, end, rows, two)
    a = Slice(even, zero, end, columns, two) b = Slice(odd, zero, end, columns, two)
    c = Slice(even, one, end, columns, two) d = Slice(odd, one, end, columns, two)
    y = Concat<axis = 1>(a, b, c, d)"""
CASES = {
    **{
        f"pool_{element}": (
            model("y = MaxPool<kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]>(x)", element),
            lambda x: largest(x, 3, stride=2),
        )
        for element in LEAST
    },
    "pool_of_rows": (
        model("y = MaxPool<kernel_shape = [5, 5], pads = [2, 2, 2, 2]>(x)"),
        lambda x: largest(x, 5),
    ),
    "pool_of_batches": (
        model("y = MaxPool<kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]>(x)", shape='"n", 8, 13, 13'),
        lambda x: largest(x, 3, stride=2),
    ),
    "pyramid": (
        model("""r = Neg(x) a = MaxPool<kernel_shape = [5, 5], pads = [2, 2, 2, 2]>(r)
                 b = MaxPool<kernel_shape = [9, 9], pads = [4, 4, 4, 4]>(r) y = Concat<axis = 1>(r, a, b)"""),
        lambda x: np.concatenate([-x, largest(-x, 5), largest(-x, 9)], axis=1),
    ),
    "ones_around": (
        model("""pads = Constant<value_ints = [0, 0, 1, 1, 0, 0, 1, 1]>() one = Constant<value_float = 1.0>()
                 p = Pad(x, pads, one) y = AveragePool<kernel_shape = [3, 3]>(p)"""),
        sums_of_ones_around,
    ),
    "focus": (model(SLICES, shape="1, 3, 16, 12"), focus),
    "focus_of_batches": (model(SLICES, shape='"n", 3, 16, 12'), focus),
}


def values(made):
    """None of them above zero; some are not numbers."""
    info = made.graph.input[0].type.tensor_type
    shape = [d.dim_value or 2 for d in info.shape.dim]
    element = onnx.helper.tensor_dtype_to_np_dtype(info.elem_type)
    random = np.random.default_rng(0)
    if element.kind in "iu":
        return random.integers(np.iinfo(element).min, 1 + np.iinfo(element).max // 2, shape).astype(element)
    x = -np.abs(random.standard_normal(shape)).astype(element) - element.type(1)
    x[..., 5, 7] = -np.inf
    return x


for name, (made, exact) in CASES.items():
    path = f"{sys.argv[1]}-{name}"
    onnx.save(made, f"{path}.onnx")
    x, found = values(made), []
    for device in ("cpu", "cuda:simulator"):
        command = ["onnx-compile", f"{path}.onnx", f"--device={device}", "-q"]
        text = subprocess.run([*command, "--emit=krnl", "-o", "-"], capture_output=True, text=True, check=True).stdout
        subprocess.run([*command, "-o", f"{path}.{device[:3]}.so"], check=True)
        found.append(onnx_compile.ExecutionSession(f"{path}.{device[:3]}.so").run([x])[0])
    is_right = all(y.shape == exact(x).shape and np.allclose(y, exact(x), rtol=1e-5, atol=0) for y in found)
    kernels = re.findall(r'krnl.kernel "(.+?)" loops', text)
    print(f"{name}: {', '.join(kernels)}; {'right' if is_right else 'wrong'}")
