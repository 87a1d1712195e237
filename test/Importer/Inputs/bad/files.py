# ===- bad/files.py - Files that are none ----------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Bad files."""

import numpy as np
import onnx
from bad.builders import F, case, graph, model, node, relu, with_weight
from onnx import helper, numpy_helper


@case("empty")
def empty_file(_):
    return b""


@case("not an ONNX model")
def garbage(_):
    return bytes(np.random.default_rng(1).integers(0, 256, 4096, dtype=np.uint8))


@case("not an ONNX model")
def text_file(_):
    return b"<html>404 not found</html>\n" * 20


@case("it is a pointer of Git LFS, not the model: fetch the model with 'git lfs pull'")
def pointer_of_git_lfs(_):
    return b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1234\n"


@case("not an ONNX model|truncated")
def truncated(_):
    data = model(with_weight(numpy_helper.from_array(np.ones((64, 64), np.float32), "w"))).SerializeToString()
    return data[: len(data) // 2]


@case("not an ONNX model|truncated")
def length_past_the_end(_):
    return b"\x3a\xff\xff\xff\xff\x0f" + b"\x00" * 16


@case("not an ONNX model|truncated")
def varint_that_does_not_end(_):
    return b"\xff" * 64


@case("no graph|not an ONNX model")
def model_without_graph(_):
    return onnx.ModelProto(ir_version=8)


@case("no operator set")
def model_without_opset(_):
    result = relu()
    del result.opset_import[:]
    return result


@case("no outputs")
def graph_without_outputs(_):
    result = graph([node("Relu", ["x"], ["y"])])
    del result.output[:]
    return result


def field(number, content):
    """A field of the wire format: protobuf's Python classes refuse to nest."""
    size, length = len(content), b""
    while size >= 0x80:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


@case("nested more than")
def deep_graphs(_):
    branch = b""
    for _ in range(2000):
        attribute = field(1, b"then_branch") + field(6, branch)
        branch = field(1, field(4, b"If") + field(5, attribute))
    return relu().SerializeToString() + field(7, branch)


@case("not an ONNX model|nested")
def deep_types(_):
    kind = helper.make_tensor_type_proto(F, (2,)).SerializeToString()
    for _ in range(5000):
        kind = field(4, field(1, kind))
    return relu().SerializeToString() + field(7, field(11, field(1, b"z") + field(2, kind)))
