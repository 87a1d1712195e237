# ===- byte_tables.py - Functions from a byte to a byte --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compares chains of operators from bytes to bytes with and without tables, bit by bit.

Arguments: a folder, and the processors.
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from Harness import artefact

FOLDER = pathlib.Path(sys.argv[1])
TYPES = {"uint8": TensorProto.UINT8, "int8": TensorProto.INT8}
# Some of them are no number or infinite for some bytes.
OPERATORS = ["Sigmoid", "Relu", "HardSwish", "Tanh", "Exp", "Log", "Erf", "Sqrt", "Reciprocal"]
SCALES = {"uint8": [(0.05, 3, 1 / 256, 0), (0.5, 128, 0.25, 7)], "int8": [(0.05, 3, 1 / 128, -5), (0.5, -100, 0.25, 7)]}


def scaled(prefix, kind, scale, zero):
    return [numpy_helper.from_array(np.float32(scale), f"{prefix}_scale"), numpy_helper.from_array(np.array(zero, kind), f"{prefix}_zero")]


def save(path, kind, result):
    """One model with all operators: the results have several lengths."""
    nodes, constants, outputs = [], [], []
    for number, operator in enumerate(OPERATORS):
        x_scale, x_zero, _, _ = SCALES[kind][number % 2]
        _, _, y_scale, y_zero = SCALES[result][number % 2]
        constants += scaled(f"x{number}", kind, x_scale, x_zero) + scaled(f"y{number}", result, y_scale, y_zero)
        nodes += [
            helper.make_node("DequantizeLinear", ["x", f"x{number}_scale", f"x{number}_zero"], [f"r{number}"]),
            helper.make_node(operator, [f"r{number}"], [f"f{number}"]),
            helper.make_node("QuantizeLinear", [f"f{number}", f"y{number}_scale", f"y{number}_zero"], [f"y{number}"]),
        ]
        outputs.append(helper.make_tensor_value_info(f"y{number}", TYPES[result], ["n"]))
    x = helper.make_tensor_value_info("x", TYPES[kind], ["n"])
    graph = helper.make_graph(nodes, "functions", [x], outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


def results(model, name, feeds, **options):
    library = FOLDER / f"{name}.so"
    artefact.compile_model(str(model), str(library), **options)
    session = artefact.load_session(str(library))
    return [np.copy(y) for x in feeds for y in session.run([x])]


def check(cpu):
    count = 0
    for kind in TYPES:
        for result in TYPES:
            model = FOLDER / f"{kind}-{result}.onnx"
            save(model, kind, result)
            kernels = subprocess.run(
                ["onnx-compile", model, f"--cpu={cpu}", "--emit=krnl", "-o", "-"], capture_output=True, text=True, check=True
            )
            assert "krnl.lookup" in kernels.stdout, f"{cpu}: no table"
            every = np.arange(256, dtype=np.uint8).view(kind)
            feeds = [every, every[::-1][:201].copy(), every[100:101].copy(), every[:0]]
            # The operations have the same bits in all levels of one processor.
            expected = results(model, f"{kind}-{result}-{cpu}-O1", feeds, cpu=cpu, O=1)
            actual = results(model, f"{kind}-{result}-{cpu}", feeds, cpu=cpu)
            for number, (one, other) in enumerate(zip(expected, actual, strict=True)):
                operator = OPERATORS[number % len(OPERATORS)]
                assert np.array_equal(one, other), f"{cpu} {operator} {kind} to {result}: {np.flatnonzero(one != other)}"
            count += len(OPERATORS)
    print(f"{cpu}: {count} functions agree", flush=True)


for level in sys.argv[2:]:
    check(level)
