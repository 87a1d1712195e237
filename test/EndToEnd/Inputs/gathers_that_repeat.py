# ===- gathers_that_repeat.py - Gathered operands that broadcast -----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compiles operators of a gathered operand, of which all sizes are dynamic, and compares runs in which these are 1, equal or 0 with numpy."""

import numpy as np
from onnx import parser

import onnx_compile

RNG = np.random.default_rng(3)
TABLE = RNG.standard_normal((5, 6, 7)).astype(np.float32)
COUNTS = [(4, 4), (1, 4), (4, 1), (1, 1), (0, 0), (0, 1), (1, 0), (9, 9)]
# A node, how the operand is gathered, the shapes of indices and x for two counts, and what the node computes.
CASES = [
    ("y = MatMul(g, x)", "g = Gather(t, i)", lambda m, n: ((m,), (n, 7, 3)), lambda g, x: g @ x),
    ("y = Mul(g, x)", "g = Gather<axis=1>(t, i)", lambda m, n: ((m, 2), (5, n, 2, 7)), lambda g, x: g * x),
    ("y = Sub(x, g)", "g = GatherND(t, i)", lambda m, n: ((m, 3, 1), (n, 3, 6, 7)), lambda g, x: x - g),
]


def session(node, gather, indices, x):
    sizes = [",".join(f"{name}{d}" for d in range(len(shape))) for name, shape in (("i", indices), ("x", x))]
    inputs = f"float[a,b,c] t, int64[{sizes[0]}] i, float[{sizes[1]}] x"
    if "ND" in gather:
        inputs = inputs.replace(f"i{len(indices) - 1}]", "1]")
    text = f'<ir_version: 10, opset_import: ["" : 23]> g ({inputs}) => (float y) {{ {gather} {node} }}'
    model = parser.parse_model(text)
    model.graph.output[0].ClearField("type")
    return onnx_compile.ExecutionSession(onnx_compile.compile(model))


def gathered(gather, indices):
    if "ND" in gather:
        return TABLE[indices[..., 0]]
    return np.take(TABLE, indices, axis=1 if "axis=1" in gather else 0)


def refusals(compiled, values, wrong):
    """How many of these changes of the operands end the run."""
    count = 0
    for change in wrong:
        try:
            compiled.run(values | change)
        except Exception as error:
            assert "node '" in str(error), str(error)
            count += 1
    return count


def main():
    for node, gather, shapes, expected in CASES:
        compiled = session(node, gather, *shapes(4, 4))
        for counts in COUNTS:
            of_indices, of_x = shapes(*counts)
            indices = RNG.integers(-5, 5, of_indices)
            x = RNG.standard_normal(of_x).astype(np.float32)
            (y,) = compiled.run({"t": TABLE, "i": indices, "x": x})
            np.testing.assert_allclose(y, expected(gathered(gather, indices), x), rtol=1e-5, atol=1e-5, err_msg=f"{node} {counts}")
        print(f"{node}: {len(COUNTS)} sizes agree")
    node, gather, shapes, _ = CASES[0]
    compiled = session(node, gather, *shapes(4, 4))
    values = {"t": TABLE, "i": np.array([0, 4]), "x": np.zeros((2, 7, 3), np.float32)}
    wrong = [{"i": np.array([0, 1, 2])}, {"i": np.array([0, 5])}]
    print(f"refused: {refusals(compiled, values, wrong)}")


main()
