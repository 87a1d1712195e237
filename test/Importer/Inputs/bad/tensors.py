# ===- bad/tensors.py - Types and tensors that cannot be -------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Bad types and tensors."""

import onnx
from bad.builders import F, case, graph, node, tensor, value, with_weight
from onnx import TensorProto, helper

# --- Types ------------------------------------------------------------------


@case("'x'", "-5 is out of range")
def negative_dimension(_):
    return graph([node("Relu", ["x"], ["y"])], [value("x", (-5, 3))])


@case("'x'", "out of range")
def absurd_dimension(_):
    return graph([node("Relu", ["x"], ["y"])], [value("x", (1 << 62, 1 << 62))])


@case("'x'", "rank 1000 exceeds")
def absurd_rank(_):
    return graph([node("Relu", ["x"], ["y"])], [value("x", (1,) * 1000)])


@case("'x'", "element type 99")
def element_type_that_does_not_exist(_):
    return graph([node("Relu", ["x"], ["y"])], [value("x", (2, 3), 99)])


@case("'x'", "keys of a map")
def map_with_float_keys(_):
    kind = helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(F, ()))
    kind.map_type.key_type = F
    return graph([node("Identity", ["x"], ["y"])], [helper.make_value_info("x", kind)])


@case("'x'", "type")
def input_without_type(_):
    return graph([node("Relu", ["x"], ["y"])], [onnx.ValueInfoProto(name="x")])


# --- Tensors ----------------------------------------------------------------


@case("'w'", "holds 10 bytes", "takes 24")
def raw_data_too_short(_):
    return with_weight(tensor("w", raw_data=b"0123456789"))


@case("'w'", "holds 4000 bytes", "takes 24")
def raw_data_too_long(_):
    return with_weight(tensor("w", raw_data=b"0" * 4000))


@case("'w'", "holds 8 bytes", "takes 24")
def too_few_floats(_):
    return with_weight(tensor("w", float_data=[1.0, 2.0]))


@case("'w'", "2 strings", "asks for 6")
def too_few_strings(_):
    return with_weight(tensor("w", TensorProto.STRING, string_data=[b"a", b"b"]))


@case("'w'", "more elements|out of range")
def tensor_larger_than_memory(_):
    return with_weight(tensor("w", dims=(1 << 31, 1 << 31, 1 << 31), raw_data=b"0000"))


@case("'w'", "-1 is out of range")
def tensor_with_negative_dimension(_):
    return with_weight(tensor("w", dims=(-1, 3), raw_data=b"0" * 12))


@case("'w'", "element type 77")
def tensor_of_unknown_type(_):
    return with_weight(tensor("w", 77, raw_data=b"0" * 24))


@case(r"'culprit' \(Constant\)", "'value'", "holds 1 bytes")
def bad_constant(_):
    return graph([node("Constant", [], ["c"], value=tensor("c", raw_data=b"0")), node("Add", ["x", "c"], ["y"], "other")])


@case("'w'", "index 9 is out of range")
def sparse_index_out_of_range(_):
    weight = helper.make_sparse_tensor(
        tensor("w", dims=(1,), float_data=[1.0]), tensor("", TensorProto.INT64, (1,), int64_data=[9]), (2, 3)
    )
    return graph([node("Add", ["x", "w"], ["y"])], sparse_initializer=[weight])


@case("'w'", "sparse, and too large|more elements")
def sparse_bomb(_):
    weight = helper.make_sparse_tensor(
        tensor("w", dims=(1,), float_data=[1.0]), tensor("", TensorProto.INT64, (1,), int64_data=[0]), (1 << 20, 1 << 20)
    )
    return graph([node("Add", ["x", "w"], ["y"])], sparse_initializer=[weight])
