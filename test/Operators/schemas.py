# ===- schemas.py - The operators and the types they allow -----------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The onnx package knows its own operators. Those of com.microsoft are registered
# by the compiler; the reference text that the build writes of them is read here.
# ===------------------------------------------------------------------------===//
"""The signatures of all operators, and values of their types."""

import re
import typing

import numpy as np
import onnx
from onnx import helper

from Harness import BUILD

DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")
CLASSES = BUILD / "include/onnxc/Dialect/ONNX/IR/ONNXOpClasses.td"


class Formal(typing.NamedTuple):
    """A formal parameter: kind is a type or the name of a constraint, option 'single', 'optional' or 'variadic'."""

    name: str
    kind: str
    option: str


class Signature(typing.NamedTuple):
    name: str
    domain: str
    since: int
    inputs: tuple
    outputs: tuple
    constraints: dict
    required: tuple

    @property
    def key(self):
        return f"{self.domain}.{self.name}" if self.domain else self.name


def of_schema(schema):
    def formals(items):
        return tuple(Formal(p.name, p.type_str, p.option.name.lower()) for p in items)

    constraints = {c.type_param_str: tuple(sorted(c.allowed_type_strs)) for c in schema.type_constraints}
    required = tuple(name for name, a in schema.attributes.items() if a.required)
    return Signature(schema.name, schema.domain, schema.since_version, formals(schema.inputs), formals(schema.outputs),
                     constraints, required)  # fmt: skip


def of_text(name, text):
    """The signature that the reference text of an operator of com.microsoft says."""

    def section(title):
        found = re.search(rf"^{title}:\n(.*?)(?=^\w+:$|\Z)", text, re.M | re.S)
        return re.findall(r"^\* `(\w+)`(.*)", found[1], re.M) if found else []

    def formals(title):
        for formal, rest in section(title):
            kind = re.match(r" \(((?:\w+\([^()]*\))|\w+)", rest)[1]
            option = "variadic" if "at least" in rest else "optional" if ", optional" in rest else "single"
            yield Formal(formal, kind, option)

    constraints = {n: tuple(sorted(re.findall(r"\w+\(\S+\)", rest))) for n, rest in section("Types")}
    return Signature(name, "com.microsoft", 1, tuple(formals("Inputs")), tuple(formals("Outputs")), constraints, ())


def all_signatures():
    """The newest version of each operator that is not deprecated."""
    schemas = [s for s in onnx.defs.get_all_schemas() if s.domain in DOMAINS and not s.deprecated]
    found = [of_schema(s) for s in schemas]
    for name, text in re.findall(r'ONNX_Op<"microsoft\.(\w+)".*?description = \[\{(.*?)\}\];', CLASSES.read_text(), re.S):
        found.append(of_text(name, text))
    return sorted(found, key=lambda s: s.key)


# --- Types and their values -----------------------------------------------------


def element_of(kind):
    """The innermost element type of a type: 'float' of 'seq(tensor(float))'."""
    return re.findall(r"\w+", kind)[-1]


def type_number(element):
    return onnx.TensorProto.DataType.Value(element.upper())


def dtype_of(element):
    return np.dtype(helper.tensor_dtype_to_np_dtype(type_number(element)))


def type_of(dtype):
    """The tensor type of a dtype."""
    number = onnx.TensorProto.STRING if dtype.kind in "OUS" else helper.np_dtype_to_tensor_dtype(dtype)
    return f"tensor({onnx.TensorProto.DataType.Name(number).lower()})"


def type_proto(kind, shape=None):
    """The TypeProto of a type; the shape is that of its tensors."""
    outer, inner = re.fullmatch(r"(\w+)\((.*)\)", kind).groups()
    if outer == "tensor":
        return helper.make_tensor_type_proto(type_number(inner), shape)
    if outer == "map":
        key, value = (part.strip() for part in inner.split(","))
        return helper.make_map_type_proto(type_number(key), helper.make_tensor_type_proto(type_number(value), None))
    make = helper.make_sequence_type_proto if outer == "seq" else helper.make_optional_type_proto
    return make(type_proto(inner, shape))


def is_real(dtype):
    """Whether elements are floats, of numpy or ml_dtypes."""
    return dtype.kind == "f" or dtype.name.startswith(("float", "bfloat"))


def limits(dtype):
    """The least and the largest number of a dtype of integers."""
    found = re.fullmatch(r"(u?)int(\d+)", dtype.name)
    bits, unsigned = int(found[2]), bool(found[1])
    return (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


WORDS = ("", "a", "bc", "Zürich", "one two", "x" * 20)


def numbers(rng, dtype, shape, low=None, high=None):
    """Random elements: small ones between bounds if there are any, else also some at the ends of the type."""
    if dtype.kind == "O":
        return rng.choice(np.array(WORDS, object), shape)
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    if dtype.kind == "c":
        return np.asarray(rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    if is_real(dtype):
        drawn = rng.standard_normal(shape) if low is None and high is None else rng.uniform(low or 0, high, shape)
        if dtype.name.endswith("e8m0fnu"):  # positive powers of two
            drawn = np.exp2(np.round(np.clip(drawn, -3, 3)))
        return np.asarray(drawn).astype(np.float32 if dtype.itemsize < 4 else np.float64).astype(dtype)
    lowest, highest = limits(dtype)
    bounds = max(lowest, -40 if low is None else low), min(highest, 40 if high is None else high)
    drawn = np.asarray(rng.integers(*bounds, shape, endpoint=True))
    if low is None and high is None:
        ends = [lowest + abs(int(n)) % 2 if n % 3 else highest - abs(int(n)) % 2 for n in drawn.flat]
        mixed = [end if rng.random() < 0.2 else int(n) for n, end in zip(drawn.flat, ends)]
        drawn = np.array(mixed, np.uint64 if lowest == 0 else np.int64).reshape(drawn.shape)
    return drawn.astype(dtype)


def value(rng, kind, shape, low=None, high=None):
    """A random value of a type; sequences have two elements of the shape, optionals are there."""
    outer, inner = re.fullmatch(r"(\w+)\((.*)\)", kind).groups()
    if outer == "tensor":
        return numbers(rng, dtype_of(inner), shape, low, high)
    if outer == "seq":
        return [value(rng, inner, shape, low, high) for _ in range(2)]
    if outer == "optional":
        return value(rng, inner, shape, low, high)
    key, element = (dtype_of(part.strip()) for part in inner.split(","))
    keys = ["a", "c"] if key.kind == "O" else [1, 3]
    return dict(zip(keys, numbers(rng, element, [2], low, high).tolist()))
