# ===- disagreeing_sizes.py - Operands that do not fit in the run ----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compiles nodes with unknown sizes and runs them with sizes that are wrong.

Each row of WRONG is a node, the shapes of its operands, and what the run must
say; each of RIGHT is a node whose operands broadcast, and what it computes.
"""

import numpy as np
from onnx import parser

import onnx_compile

IMAGE = (2, 8, 5, 5)
WRONG = [
    ("y = LayerNormalization(x, s)", {"x": (3, 8), "s": (5,)}, "does not broadcast"),
    ("y = RMSNormalization(x, s)", {"x": (3, 8), "s": (2, 8)}, "does not broadcast"),
    ("y = InstanceNormalization(x, s, s)", {"x": IMAGE, "s": (1,)}, "does not fit: "),
    ("y = GroupNormalization<num_groups=2>(x, s, s)", {"x": IMAGE, "s": (4,)}, "another number of channels"),
    ("y = BatchNormalization(x, s, s, s, s)", {"x": IMAGE, "s": (7,)}, "does not fit: "),
    ("y = Concat<axis=0>(x, s)", {"x": (2, 8), "s": (2, 7)}, "differ beside the axis"),
    ("y = GatherElements<axis=1>(x, i)", {"x": (2, 8), "i": (3, 2)}, "more indices than data"),
    ("y = GatherND<batch_dims=1>(x, i)", {"x": (2, 8), "i": (3, 1)}, "another batch size"),
    ("y = ReverseSequence(x, i)", {"x": (4, 3), "i": (2,)}, "a length for each"),
    ("y, h = GRU<hidden_size=4>(x, w, r, , , s)", {"x": (3, 2, 5), "w": (1, 12, 5), "r": (1, 12, 4), "s": (1, 1, 4)}, "another batch size"),
    ("y, h = GRU<hidden_size=4>(x, w, r, , l)", {"x": (3, 2, 5), "w": (1, 12, 5), "r": (1, 12, 4), "l": (1,)}, "a length for each"),
    ("y = Conv(x, w, s)", {"x": IMAGE, "w": (4, 8, 3, 3), "s": (3,)}, "dimension 0 of 's' does not fit: 3 and 4"),
    ("y = Conv(x, w)", {"x": IMAGE, "w": (4, 7, 3, 3)}, "differ in their channels: 8 and 7"),
    ("y = Conv<kernel_shape=[2, 3]>(x, w)", {"x": IMAGE, "w": (4, 8, 3, 3)}, "not of the kernel_shape: 3 and 2"),
    ("y = ConvTranspose<kernel_shape=[3, 2]>(x, w)", {"x": IMAGE, "w": (8, 4, 3, 3)}, "not of the kernel_shape: 3 and 2"),
    ("y = MatMul(x, w)", {"x": (2, 3), "w": (4, 2)}, "inner sizes of the operands differ: 3 and 4"),
]
TYPES = {"i": ("int64", np.int64), "l": ("int32", np.int32)}


def session(node, shapes):
    inputs = []
    for name, shape in shapes.items():
        sizes = ",".join(f"{name}{d}" for d in range(len(shape)))
        inputs.append(f"{TYPES.get(name, ['float'])[0]}[{sizes}] {name}")
    text = f'<ir_version: 10, opset_import: ["" : 23]> g ({", ".join(inputs)}) => (float y) {{ {node} }}'
    model = parser.parse_model(text)
    model.graph.output[0].ClearField("type")
    return onnx_compile.ExecutionSession(onnx_compile.compile(model))


def check_wrong(node, shapes, message):
    feeds = {name: np.zeros(shape, TYPES.get(name, [0, np.float32])[1]) for name, shape in shapes.items()}
    try:
        session(node, shapes).run(feeds)
    except Exception as error:
        assert message in str(error) and "node '" in str(error), f"{node}: {error}"
    else:
        raise AssertionError(f"{node} runs with {shapes}")


def check_right():
    """A scale of one element, or of one row, is that of all."""
    x = np.random.default_rng(2).standard_normal((3, 8)).astype(np.float32)
    mean = np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    for shape in ((1,), (8,), (1, 8), (3, 8), (3, 1), (1, 1)):
        scale = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
        (y,) = session("y = RMSNormalization(x, s)", {"x": x.shape, "s": shape}).run({"x": x, "s": scale})
        np.testing.assert_allclose(y, x / mean * scale, rtol=1e-5)


for row in WRONG:
    check_wrong(*row)
check_right()
