# ===- container_models.py - Containers with good data and bad -------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Compiles small models with containers; prints the messages of bad runs and what holds."""

import ctypes
import pathlib
import tempfile

import numpy as np
from onnx import parser

import onnx_compile

FOLDER = pathlib.Path(tempfile.mkdtemp())
count = 0


def compiled(text):
    """A session for a graph in ONNX's text form."""
    global count
    count += 1
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {text}')
    return onnx_compile.ExecutionSession(onnx_compile.compile(model, FOLDER / f"{count}.so"))


def refused(session, *inputs):
    try:
        session.run(list(inputs))
    except (ValueError, TypeError) as error:
        print(error)
    else:
        print("not refused:", inputs)


def floats(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def number(value):
    return np.array(value, np.int64)


def bad_data():
    three = [floats(2), floats(2), floats(2)]
    at = compiled("g (seq(float[n]) s, int64 i) => (float[n] y) { y = SequenceAt(s, i) }")
    refused(at, three, number(3))
    refused(at, three, number(-4))
    refused(at, [floats(2, 2)], number(0))
    refused(compiled("g (optional(float[n]) s) => (bool y) { y = OptionalHasElement(s) }"), floats())
    refused(compiled("g (seq(float[2, n]) s) => (int64 y) { y = SequenceLength(s) }"), [floats(2, 3), floats(3, 3)])
    insert = compiled("g (seq(float[n]) s, float[n] x, int64 i) => (seq(float[n]) y) { y = SequenceInsert(s, x, i) }")
    refused(insert, three, floats(2), number(4))
    refused(compiled("g (seq(float[n]) s) => (seq(float[n]) y) { y = SequenceErase(s) }"), [])
    concat = compiled("g (seq(float[]) s) => (float[m] y) { y = ConcatFromSequence <axis = 0> (s) }")
    refused(concat, [])
    refused(concat, [floats(2), floats(2, 2)])
    split = compiled("g (float[n] x, int64[k] p) => (seq(float[m]) y) { y = SplitToSequence(x, p) }")
    refused(split, floats(4), number([0]))
    refused(split, floats(4), number([1, 2]))
    refused(split, floats(4), number([-1, 5]))
    get = compiled("g (optional(float[n]) o) => (float[n] y) { y = OptionalGetElement(o) }")
    refused(get, None)
    both = compiled(
        "g (seq(float[n]) s, seq(float[n]) t) => (seq(float[n]) y) "
        "{ y = SequenceMap(s, t) <body = b (float[n] p, float[n] q) => (float[n] r) { r = Add(p, q) }> }"
    )
    refused(both, three, three[1:])
    shaped = compiled("g (float[a, b] x, int64[k] p) => (float[] y) { y = Reshape(x, p) }")
    refused(shaped, floats(2, 3), number([4, -1]))
    refused(shaped, floats(2, 3), number([1] * 64 + [6]))
    rows = compiled(
        "g (int64 m, float[n] x) => (float[a, b] y) { c = Constant <value = bool {1}> () "
        "y = Loop(m, c) <body = b (int64 i, bool d) => (bool e, float[k] r) "
        "{ e = Identity(d) one = Constant <value = int64[1] {1}> () zero = Constant <value = int64[1] {0}> () "
        "j = Reshape(i, one) h = Add(j, one) r = Slice(x, zero, h) }> }"
    )
    refused(rows, number(2), floats(3))
    iterations = compiled(
        "g (int64[k] m, float[n] x) => (float[n] y) { c = Constant <value = bool {1}> () "
        "y = Loop(m, c, x) <body = b (int64 i, bool d, float[n] z) => (bool e, float[n] r) { e = Identity(d) r = Neg(z) }> }"
    )
    refused(iterations, number([]), floats(3))
    # Sizes that the graph declares and the data do not have are not believed.
    said = compiled(
        "g (int64 m, float[1] x) => (float[5, 1] y) { c = Constant <value = bool {1}> () "
        "y = Loop(m, c) <body = b (int64 i, bool d) => (bool e, float[1] r) { e = Identity(d) r = Neg(x) }> }"
    )
    same(said.run([number(5), floats(1)]), [-np.zeros((5, 1), np.float32)])
    same(said.run([number(3), floats(1)]), [-np.zeros((3, 1), np.float32)])
    refused(concat, [np.zeros(2)])
    refused(concat, {"a": floats(2)})


def same(actual, expected):
    assert len(actual) == len(expected), (actual, expected)
    for a, e in zip(actual, expected):
        assert a.dtype == e.dtype and a.shape == e.shape and np.array_equal(a, e), (a, e)


def splits():
    expected = [floats(4)[:3], floats(4)[3:]]
    same(compiled("g (float[n] x, int64 p) => (seq(float[m]) y) { y = SplitToSequence(x, p) }").run([floats(4), number(3)])[0], expected)
    vector = compiled("g (float[n] x, int64[k] p) => (seq(float[m]) y) { y = SplitToSequence(x, p) }")
    same(vector.run([floats(4), number([3])])[0], expected)
    same(vector.run([floats(4), number([4])])[0], [floats(4)])
    same(vector.run([floats(0), number([3])])[0], [])
    print("a scalar and a vector of one element split alike")


def types():
    for text, dtype in [("bool", bool), ("int8", np.int8), ("uint64", np.uint64), ("float16", np.float16), ("double", np.float64)]:
        back = compiled(f"g ({text}[n] x) => (seq({text}[n]) y, {text}[n] z) {{ y = SequenceConstruct(x, x) "
                        "i = Constant <value = int64 {1}> () z = SequenceAt(y, i) }")  # fmt: skip
        x = np.array([0, 1, 1]).astype(dtype)
        sequence, element = back.run([x])
        same([*sequence, element], [x, x, x])
    strings = compiled("g (seq(string[n]) s) => (seq(string[n]) y) { y = SequenceInsert(s, t) t = Constant <value_strings = [\"ü\"]> () }")
    out = strings.run([[np.array(["a", ""], object)]])[0]
    assert [list(t) for t in out] == [["a", ""], ["ü"]], out
    print("elements keep their types")


def ranks():
    model = compiled(
        "g (bool c, float[n] x) => (float[] y, int64[k] s, int64 z) "
        "{ y = If(c) <then_branch = t () => (float[n] a) { a = Neg(x) }, "
        "else_branch = e () => (float[p, q] b) { o = Constant <value = int64[2] {1, -1}> () b = Reshape(x, o) }> "
        "s = Shape(y) z = Size(y) }"
    )
    same(model.run([np.array(True), floats(3)]), [-floats(3), number([3]), number(3)])
    same(model.run([np.array(False), floats(3)]), [floats(1, 3), number([1, 3]), number(3)])
    print("branches give tensors of any rank")


def empty():
    model = compiled(
        "g (seq(float[n]) s) => (seq(float[n]) y, int64 l) "
        "{ l = SequenceLength(s) y = SequenceMap(s) <body = b (float[n] p) => (float[n] r) { r = Neg(p) }> }"
    )
    sequence, length = model.run([[]])
    assert sequence == [] and length == 0
    print("sequences of no elements are sequences")


class Buffer(ctypes.Structure):
    """OMBuffer of onnxc/Runtime.h."""

    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_int64), ("shape", ctypes.c_void_p), ("rank", ctypes.c_int64), ("type", ctypes.c_int32)]


def run_in_context(session, iterations, nanoseconds=0):
    """Runs a model of iterations and a vector; the status, and what the context holds afterwards."""
    library = ctypes.CDLL(session.path)
    library.omContextCreate.restype = ctypes.c_void_p
    library.omContextGetMemory.restype = ctypes.c_int64
    for name in ("omContextRun", "omContextGetMemory", "omContextDestroy", "omContextSetDeadline"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    context, value = library.omContextCreate(None), ctypes.c_int64(iterations)
    library.omContextSetDeadline(context, ctypes.c_int64(nanoseconds))
    shape = (ctypes.c_int64 * 1)(100)
    x = (ctypes.c_float * 100)()
    inputs = (Buffer * 2)((ctypes.addressof(value), 8, None, 0, 7), (ctypes.addressof(x), 400, ctypes.addressof(shape), 1, 1))
    status = library.omContextRun(context, inputs, ctypes.c_int64(2), None, ctypes.c_int64(0))
    held = library.omContextGetMemory(context)
    library.omContextDestroy(context)
    return status, held


def memory():
    session = compiled(
        "g (int64 m, float[n] x) => (seq(float[n]) y) { c = Constant <value = bool {1}> () s = SequenceConstruct(x, x) "
        "y = Loop(m, c, s) <body = b (int64 i, bool d, seq(float[n]) t) => (bool e, seq(float[n]) u) "
        "{ e = Identity(d) z = Constant <value = int64 {0}> () p = SequenceAt(t, z) q = Neg(p) v = SequenceErase(t, z) "
        "o = Optional(q) w = OptionalGetElement(o) u = SequenceInsert(v, w) }> }"
    )
    short, long = run_in_context(session, 3), run_in_context(session, 1000)
    assert short == long and short[0] == 0, (short, long)
    print("a long loop holds as much memory as a short one")


def deadline():
    """Loops that work, that only change a sequence, and that do nothing."""
    for body in ("q = Tanh(p)", "s = SequenceConstruct(p, p) z = Constant <value = int64 {1}> () q = SequenceAt(s, z)", "q = Identity(p)"):
        session = compiled(
            'g (int64 m, float[n] x) => (float[n] y) { c = Constant <value = bool {1}> () y = Loop("", c, x) '
            f"<body = b (int64 i, bool d, float[n] p) => (bool e, float[n] q) {{ e = Identity(d) {body} }}> }}"
        )
        status, _ = run_in_context(session, 0, nanoseconds=5_000_000)
        assert status == 5, status
    print("a loop that never ends is stopped")


if __name__ == "__main__":
    bad_data()
    splits()
    types()
    ranks()
    empty()
    memory()
    deadline()
