# ===- bad_models.py - Files that must be refused --------------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   bad_models.py FOLDER COMMAND...
#
# Writes broken, malicious and merely wrong models into FOLDER and runs COMMAND
# on each. It must exit with status 1 and say what is wrong where, as the case
# expects, and print nothing on standard output. Prints a line per failure and
# a count.
# ===------------------------------------------------------------------------===//
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F = TensorProto.FLOAT
CASES = {}


def case(*expected):
    """Registers a function that returns bytes, a ModelProto or a GraphProto
    and is called with the folder; `expected` are patterns of the message."""

    def register(function):
        CASES[function.__name__] = (function, expected)
        return function

    return register


def value(name, shape=(2, 3), kind=F):
    return helper.make_tensor_value_info(name, kind, shape)


def graph(nodes, inputs=None, outputs=None, initializers=(), **more):
    return helper.make_graph(
        nodes, "bad", inputs or [value("x")], outputs or [value("y", None)], list(initializers), **more
    )


def node(kind, inputs, outputs, name="culprit", **attributes):
    return helper.make_node(kind, inputs, outputs, name=name, **attributes)


def model(content, opset=21, **more):
    imports = more.pop("opset_imports", [helper.make_opsetid("", opset)])
    return helper.make_model(content, opset_imports=imports, ir_version=10, **more)


def relu():
    return model(graph([node("Relu", ["x"], ["y"])]))


def tensor(name, kind=F, dims=(2, 3), **fields):
    result = TensorProto(name=name, data_type=kind, dims=dims)
    for field, content in fields.items():
        if field == "raw_data":
            result.raw_data = content
        else:
            getattr(result, field).extend(content)
    return result


def external(name, location, dims=(2, 3), **entries):
    result = TensorProto(name=name, data_type=F, dims=dims)
    result.data_location = TensorProto.EXTERNAL
    for key, text in {"location": location, **entries}.items():
        entry = result.external_data.add()
        entry.key, entry.value = key, text
    return result


def with_weight(weight):
    return graph([node("Add", ["x", "w"], ["y"])], initializers=[weight])


# --- Files ------------------------------------------------------------------


@case("empty")
def empty_file(_):
    return b""


@case("no ONNX model")
def garbage(_):
    return bytes(np.random.default_rng(1).integers(0, 256, 4096, dtype=np.uint8))


@case("no ONNX model")
def text_file(_):
    return b"<html>404 not found</html>\n" * 20


@case("no ONNX model|cut off")
def truncated(_):
    data = model(with_weight(numpy_helper.from_array(np.ones((64, 64), np.float32), "w"))).SerializeToString()
    return data[: len(data) // 2]


@case("no ONNX model|cut off")
def length_past_the_end(_):
    return b"\x3a\xff\xff\xff\xff\x0f" + b"\x00" * 16


@case("no ONNX model|cut off")
def varint_that_does_not_end(_):
    return b"\xff" * 64


@case("no graph|no ONNX model")
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


@case("no ONNX model|nested")
def deep_types(_):
    kind = helper.make_tensor_type_proto(F, (2,)).SerializeToString()
    for _ in range(5000):
        kind = field(4, field(1, kind))
    return relu().SerializeToString() + field(7, field(11, field(1, b"z") + field(2, kind)))


# --- Operators --------------------------------------------------------------


@case(r"'culprit' \(Rellu\)", "did you mean 'Relu'")
def unknown_operator(_):
    return graph([node("Rellu", ["x"], ["y"])])


@case(r"'culprit' \(com\.acme\.Relu\)", "'com.acme'", "ai.onnx 1 to")
def unknown_domain(_):
    return model(
        graph([node("Relu", ["x"], ["y"], domain="com.acme")]),
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.acme", 1)],
    )


@case(r"'culprit' \(com\.microsoft\.Gelo\)", "Gelu")
def operator_of_an_exporter(_):
    return model(
        graph([node("Gelo", ["x"], ["y"], domain="com.microsoft")]),
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)],
    )


@case(r"'culprit' \(ai\.onnx\.ml\.Scaler\)", "does not import")
def domain_not_imported(_):
    return graph([node("Scaler", ["x"], ["y"], domain="ai.onnx.ml", offset=[0.0], scale=[1.0])])


@case("version 99", "not known")
def opset_of_the_future(_):
    return model(graph([node("Relu", ["x"], ["y"])]), opset=99)


@case(r"'culprit' \(Gelu\)", "version 13")
def operator_newer_than_opset(_):
    return model(graph([node("Gelu", ["x"], ["y"])]), opset=13)


@case(r"'culprit' \(Upsample\)", "deprecated")
def removed_operator(_):
    scales = numpy_helper.from_array(np.ones(2, np.float32), "s")
    return graph([node("Upsample", ["x", "s"], ["y"])], initializers=[scales])


@case(r"'culprit' \(Scan\)", "cannot be raised", "num_scan_inputs")
def old_scan_of_more_than_there_is(_):
    body = graph([node("Identity", ["i"], ["o"])], [value("i", (3,))], [value("o", (3,))])
    return model(
        graph(
            [node("Scan", ["n", "x"], ["y"], num_scan_inputs=2, body=body)],
            [value("x", (1, 2, 3)), value("n", (1,), TensorProto.INT64)],
        ),
        opset=8,
    )


@case(r"'Relu_0' \(Relu\)", "'missing'")
def unnamed_node(_):
    return graph([node("Relu", ["missing"], ["y"], name="")])


# --- Values -----------------------------------------------------------------


@case("depends on itself", "'culprit' .*'second'|'second' .*'culprit'")
def cycle(_):
    return graph([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"], "second"), node("Relu", ["b"], ["y"], "third")])


@case("depends on itself", "'culprit'")
def node_on_itself(_):
    return graph([node("Add", ["x", "y"], ["y"])])


@case(r"'culprit' \(Add\)", "input 1 'nobody' is not defined")
def undefined_input(_):
    return graph([node("Add", ["x", "nobody"], ["y"])])


@case("graph output 'nothing'", "not defined")
def undefined_output(_):
    return graph([node("Relu", ["x"], ["y"])], outputs=[value("nothing")])


@case("'y' is defined twice")
def duplicate_output(_):
    return graph([node("Relu", ["x"], ["y"], "first"), node("Abs", ["x"], ["y"])])


@case("'x' is defined twice")
def output_called_like_an_input(_):
    return graph([node("Relu", ["x"], ["x"]), node("Relu", ["x"], ["y"], "other")])


@case("'x' is defined twice")
def duplicate_input(_):
    return graph([node("Relu", ["x"], ["y"])], [value("x"), value("x")])


@case("'w' is defined twice")
def duplicate_initializer(_):
    weight = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    return graph([node("Add", ["x", "w"], ["y"])], initializers=[weight, weight])


@case(r"'culprit' \(Add\)", "'only_inside' is not defined")
def value_of_a_branch_outside(_):
    branch = graph([node("Relu", ["x"], ["only_inside"], "inner")], [], [value("only_inside")])
    branch.ClearField("input")
    return graph(
        [node("If", ["c"], ["z"], "choice", then_branch=branch, else_branch=branch), node("Add", ["z", "only_inside"], ["y"])],
        [value("x"), value("c", (), TensorProto.BOOL)],
    )


# --- Signatures -------------------------------------------------------------


@case(r"'culprit' \(Relu\)", "3 inputs, but takes 1")
def too_many_inputs(_):
    return graph([node("Relu", ["x", "x", "x"], ["y"])])


@case(r"'culprit' \(Conv\)", "1 inputs, but takes 2 to 3")
def too_few_inputs(_):
    return graph([node("Conv", ["x"], ["y"])])


@case(r"'culprit' \(Relu\)", "2 outputs, but takes 1")
def too_many_outputs(_):
    return graph([node("Relu", ["x"], ["y", "z"])])


@case(r"'culprit' \(MatMul\)", "input 0 .*missing")
def required_input_left_out(_):
    return graph([node("MatMul", ["", "x"], ["y"])])


@case(r"'culprit' \(Concat\)", "required attribute 'axis'")
def missing_attribute(_):
    return graph([node("Concat", ["x", "x"], ["y"])])


@case(r"'culprit' \(Relu\)", "no attribute 'slope'")
def unknown_attribute(_):
    return graph([node("Relu", ["x"], ["y"], slope=0.1)])


@case(r"'culprit' \(LeakyRelu\)", "'alpha' is STRING, but must be FLOAT")
def attribute_of_the_wrong_kind(_):
    return graph([node("LeakyRelu", ["x"], ["y"], alpha="0.1")])


@case(r"'culprit' \(LeakyRelu\)", "'alpha' is given twice")
def attribute_given_twice(_):
    bad = node("LeakyRelu", ["x"], ["y"], alpha=0.1)
    bad.attribute.append(helper.make_attribute("alpha", 0.2))
    return graph([bad])


@case(r"'culprit' \(Constant\)", "0 values, but must have one")
def constant_without_value(_):
    return graph([node("Constant", [], ["c"]), node("Add", ["x", "c"], ["y"], "other")])


@case(r"'culprit' \(Add\)", "f32", "i64")
def operands_of_two_types(_):
    return graph([node("Add", ["x", "i"], ["y"])], [value("x"), value("i", (2, 3), TensorProto.INT64)])


@case(r"'culprit' \(Sin\)", "i64")
def type_that_the_operator_lacks(_):
    return graph([node("Sin", ["i"], ["y"])], [value("i", (2,), TensorProto.INT64)])


@case(r"'culprit' \(Relu\)", "declared")
def output_of_another_type(_):
    return graph([node("Relu", ["x"], ["y"])], outputs=[value("y", (2, 3), TensorProto.INT64)])


@case(r"'culprit' \(MatMul\)")
def shapes_that_do_not_fit(_):
    return graph([node("MatMul", ["x", "z"], ["y"])], [value("x", (2, 3)), value("z", (4, 5))])


@case(r"'culprit' \(Transpose\)")
def permutation_of_another_rank(_):
    return graph([node("Transpose", ["x"], ["y"], perm=[0, 1, 2, 3])])


@case(r"'culprit' \(Concat\)")
def axis_out_of_range(_):
    return graph([node("Concat", ["x", "x"], ["y"], axis=7)])


@case(r"'culprit' \(Loop\)", "inputs, but is given")
def body_with_other_inputs(_):
    body = graph([node("Identity", ["c"], ["d"], "inner")], [value("c", (), TensorProto.BOOL)], [value("d", (), TensorProto.BOOL)])
    return graph([node("Loop", ["", "", "x"], ["y"], body=body)])


@case(r"'culprit' \(If\)", "differs")
def branches_of_two_types(_):
    one = helper.make_graph([node("Relu", ["x"], ["a"], "inner")], "one", [], [value("a", None)])
    two = helper.make_graph(
        [node("Cast", ["x"], ["a"], "inner", to=TensorProto.INT64)], "two", [], [value("a", None, TensorProto.INT64)]
    )
    return graph(
        [node("If", ["c"], ["y"], then_branch=one, else_branch=two)], [value("x"), value("c", (), TensorProto.BOOL)]
    )


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


# --- External data ----------------------------------------------------------


@case("'w'", "'nowhere.bin'", "No such file")
def external_missing(_):
    return with_weight(external("w", "nowhere.bin"))


@case("'w'", "not a path beneath")
def external_escapes(folder):
    (folder.parent / "outside.bin").write_bytes(b"0" * 24)
    return with_weight(external("w", "../outside.bin"))


@case("'w'", "not a path beneath")
def external_escapes_from_within(_):
    return with_weight(external("w", "a/../../outside.bin"))


@case("'w'", "not a path beneath")
def external_absolute(_):
    return with_weight(external("w", "/etc/passwd"))


@case("'w'", "symbolic link")
def external_through_a_link(folder):
    (folder.parent / "outside.bin").write_bytes(b"0" * 24)
    link = folder / "link.bin"
    link.unlink(missing_ok=True)
    link.symlink_to("../outside.bin")
    return with_weight(external("w", "link.bin"))


@case("'w'", "symbolic link")
def external_through_a_linked_folder(folder):
    link = folder / "linked"
    link.unlink(missing_ok=True)
    link.symlink_to("/etc")
    return with_weight(external("w", "linked/passwd"))


@case("'w'", "behind the end")
def external_too_short(folder):
    (folder / "short.bin").write_bytes(b"0" * 10)
    return with_weight(external("w", "short.bin"))


@case("'w'", "behind the end|no number")
def external_offset_overflows(folder):
    (folder / "short.bin").write_bytes(b"0" * 10)
    return with_weight(external("w", "short.bin", offset=str((1 << 64) - 8)))


@case("'w'", "no number")
def external_offset_negative(folder):
    (folder / "short.bin").write_bytes(b"0" * 10)
    return with_weight(external("w", "short.bin", offset="-8"))


@case("'w'", "holds 8 bytes|takes 24")
def external_length_of_another_size(folder):
    (folder / "long.bin").write_bytes(b"0" * 100)
    return with_weight(external("w", "long.bin", length="8"))


@case("'w'", "not a regular file")
def external_folder(folder):
    (folder / "folder").mkdir(exist_ok=True)
    return with_weight(external("w", "folder"))


@case("'w'", "not a regular file")
def external_pipe(folder):
    pipe = folder / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    return with_weight(external("w", "pipe"))


@case("'w'", "no location")
def external_nowhere(_):
    return with_weight(external("w", ""))


@case("'w'", "behind the end")
def forged_place_in_the_file(_):
    weight = tensor("w", dims=(1 << 20,))
    entry = weight.external_data.add()
    entry.key, entry.value = "onnxc.mapped", f"{1 << 40},{4 << 20}"
    return with_weight(weight)


# --- Functions --------------------------------------------------------------


def function(name, nodes, inputs=("a",), outputs=("b",), attributes=()):
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
    return helper.make_function("own", name, list(inputs), list(outputs), nodes, imports, list(attributes))


def with_functions(functions, call):
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]
    return model(graph([call]), opset_imports=imports, functions=functions)


def call(kind, inputs, outputs, name="culprit", **attributes):
    return node(kind, inputs, outputs, name, domain="own", **attributes)


@case(r"\(own\.F\)", "calls itself", "F -> F")
def function_that_calls_itself(_):
    return with_functions([function("F", [call("F", ["a"], ["b"])])], call("F", ["x"], ["y"]))


@case("calls itself", "F -> G -> F")
def functions_that_call_each_other(_):
    return with_functions(
        [function("F", [call("G", ["a"], ["b"])]), function("G", [call("F", ["a"], ["b"])])], call("F", ["x"], ["y"])
    )


@case("more than .* nodes|nested more than")
def function_bomb(_):
    functions = [function("F0", [node("Relu", ["a"], ["b"])])]
    for i in range(1, 22):
        functions.append(function(f"F{i}", [call(f"F{i - 1}", ["a"], ["t"]), call(f"F{i - 1}", ["t"], ["b"], "again")]))
    return with_functions(functions, call("F21", ["x"], ["y"]))


@case(r"'culprit' \(own\.F\)", "2 inputs")
def call_with_too_many_inputs(_):
    return with_functions([function("F", [node("Relu", ["a"], ["b"])])], call("F", ["x", "x"], ["y"]))


@case(r"'culprit' \(own\.F\)", "no attribute 'slope'")
def call_with_unknown_attribute(_):
    return with_functions([function("F", [node("Relu", ["a"], ["b"])])], call("F", ["x"], ["y"], slope=1.0))


@case("'F'", "defined twice")
def function_defined_twice(_):
    one = function("F", [node("Relu", ["a"], ["b"])])
    return with_functions([one, one], call("F", ["x"], ["y"]))


@case(r"'culprit/inner' \(Relu\)", "'x' is not defined")
def function_that_reads_the_graph(_):
    return with_functions([function("F", [node("Relu", ["x"], ["b"], "inner")])], call("F", ["x"], ["y"]))


# --- Everything at once -----------------------------------------------------


@case("'first'", "'second'", "'third'")
def three_errors(_):
    return graph(
        [node("Rellu", ["x"], ["a"], "first"), node("Abs", ["nobody"], ["b"], "second"), node("Concat", ["x"], ["y"], "third")]
    )


def write(name, folder):
    content = CASES[name][0](folder)
    if isinstance(content, onnx.GraphProto):
        content = model(content)
    path = folder / f"{name}.onnx"
    path.write_bytes(content if isinstance(content, bytes) else content.SerializeToString())
    return path


def check(name, path, command):
    """What is wrong with how `command` takes the file, or None."""
    run = subprocess.run([*command, str(path)], capture_output=True, text=True, errors="replace", timeout=60)
    if run.returncode != 1:
        return f"exit status {run.returncode}, not 1: {run.stderr[-300:]}"
    if run.stdout:
        return f"output in spite of the error: {run.stdout[:100]}"
    if "error" not in run.stderr:
        return "no error message"
    if path.name not in run.stderr:
        return f"the message does not name the file: {run.stderr[:300]}"
    if re.search(r"\n\s+#\d+ 0x", run.stderr) or "Stack dump" in run.stderr:
        return "it crashed"
    for pattern in CASES[name][1]:
        if not re.search(pattern, run.stderr):
            return f"nothing like '{pattern}' in: {run.stderr[:600]}"
    return None


def main():
    folder = pathlib.Path(sys.argv[1]) / "bad"
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in CASES:
        problem = check(name, write(name, folder), sys.argv[2:])
        if problem:
            failed += 1
            print(f"FAILED {name}: {problem}")
    print(f"{len(CASES) - failed} bad models refused, {failed} not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
