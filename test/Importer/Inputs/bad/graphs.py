# ===- bad/graphs.py - Nodes and values that do not fit --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Bad nodes, values and functions."""

import numpy as np
from bad.builders import case, graph, model, node, value
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

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


@case(r"'culprit' \(com\.microsoft\.BeamSearch\)", "not supported: it runs whole decoders", "write the loop")
def refused_operator_of_an_exporter(_):
    return model(
        graph([node("BeamSearch", ["x"], ["y"], domain="com.microsoft")]),
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)],
    )


@case(r"'culprit' \(com\.microsoft\.FusedMatMul\)", "attribute 'transA' is 9223372036854775807, but only 32 bits are supported")
def attribute_beyond_32_bits(_):
    return model(
        graph([node("FusedMatMul", ["x", "x"], ["y"], domain="com.microsoft", transA=2**63 - 1)]),
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)],
    )


@case(r"'culprit' \(com\.microsoft\.nchwc\.Conv\)", "'com.microsoft.nchwc' are not supported", "ORT_ENABLE_EXTENDED")
def operator_of_one_processor(_):
    return model(
        graph([node("Conv", ["x", "x"], ["y"], domain="com.microsoft.nchwc")]),
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft.nchwc", 1)],
    )


@case(r"'culprit' \(ai\.onnx\.ml\.Scaler\)", "does not import")
def domain_not_imported(_):
    return graph([node("Scaler", ["x"], ["y"], domain="ai.onnx.ml", offset=[0.0], scale=[1.0])])


@case("version 99", "not known")
def opset_of_the_future(_):
    return model(graph([node("Relu", ["x"], ["y"])]), opset=99)


@case("operator set 'ai.onnx' is imported twice, as versions 11 and 21")
def two_opsets_of_a_domain(_):
    imports = [helper.make_opsetid("", 11), helper.make_opsetid("ai.onnx", 21)]
    return model(graph([node("Relu", ["x"], ["y"])]), opset_imports=imports)


@case(r"'culprit' \(Gelu\)", "version 13")
def operator_newer_than_opset(_):
    return model(graph([node("Gelu", ["x"], ["y"])]), opset=13)


@case(r"'culprit' \(Upsample\)", "deprecated")
def removed_operator(_):
    scales = numpy_helper.from_array(np.ones(2, np.float32), "s")
    return graph([node("Upsample", ["x", "s"], ["y"])], initializers=[scales])


@case(r"'culprit' \(Scan\)", "cannot be upgraded", "num_scan_inputs")
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


@case("'y' is defined twice", '"first": note: the first definition is here')
def duplicate_output(_):
    return graph([node("Relu", ["x"], ["y"], "first"), node("Abs", ["x"], ["y"])])


@case("'x' is defined twice")
def output_called_like_an_input(_):
    return graph([node("Relu", ["x"], ["x"]), node("Relu", ["x"], ["y"], "other")])


@case("'x' is defined twice")
def duplicate_input(_):
    return graph([node("Relu", ["x"], ["y"])], [value("x"), value("x")])


@case('"w": error: initializer .w. has elements of type FLOAT, but its input declares INT64')
def initializer_of_another_type(_):
    weight = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    return graph([node("Add", ["x", "w"], ["y"])], [value("x"), value("w", (2, 3), TensorProto.INT64)], initializers=[weight])


@case("'w' is defined twice", '"w": note: the first definition is here')
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


def scan_of(count):
    body = graph([node("Identity", ["i"], ["o"], "inner")], [value("i", (3,))], [value("o", (3,))])
    return graph([node("Scan", ["x"], ["y"], num_scan_inputs=count, body=body)])


@case("node 'culprit'", "cannot scan")
def scan_of_too_few(_):
    return scan_of(-(2**63))


@case("node 'culprit'", "cannot scan")
def scan_of_too_many(_):
    return scan_of(2**63 - 1)


@case(
    r"'culprit' \(If\): its branches return different numbers of values, or elements of different types",
    r"\"inner\": note: then_branch returns tensor\(float\)",
    r"note: else_branch returns tensor\(int64\)",
)
def branches_of_two_types(_):
    one = helper.make_graph([node("Relu", ["x"], ["a"], "inner")], "one", [], [value("a", None)])
    two = helper.make_graph(
        [node("Cast", ["x"], ["a"], "inner", to=TensorProto.INT64)], "two", [], [value("a", None, TensorProto.INT64)]
    )
    return graph(
        [node("If", ["c"], ["y"], then_branch=one, else_branch=two)], [value("x"), value("c", (), TensorProto.BOOL)]
    )


@case(
    r"'culprit' \(Loop\): its body returns other types than it is called with",
    r"\"inner\": note: the body returns tensor\(bool\), tensor\(int64\)",
    r"note: the operands of the node are tensor\(int64\), tensor\(bool\), tensor\(float\)",
)
def state_of_two_types(_):
    ins = [value("i", (), TensorProto.INT64), value("go", (), TensorProto.BOOL), value("v")]
    outs = [value("on", (), TensorProto.BOOL), value("w", None, TensorProto.INT64)]
    nodes = [node("Identity", ["go"], ["on"], "again"), node("Cast", ["v"], ["w"], "inner", to=TensorProto.INT64)]
    body = helper.make_graph(nodes, "body", ins, outs)
    return graph(
        [node("Loop", ["m", "c", "x"], ["y"], body=body)],
        [value("x"), value("m", (), TensorProto.INT64), value("c", (), TensorProto.BOOL)],
    )


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


@case(r"'culprit/inner' \(Add\): input 'B' has no value: the call of a function leaves it out")
def call_without_an_input_that_a_node_needs(_):
    return with_functions([function("F", [node("Add", ["a", "c"], ["b"], "inner")], ["a", "c"])], call("F", ["x"], ["y"]))


@case(r"'culprit/inner' \(Relu\): input 'X' has no value")
def call_without_inputs(_):
    return with_functions([function("F", [node("Relu", ["a"], ["b"], "inner")])], call("F", [], ["y"]))


@case("'y' has no value: the call of a function leaves it out")
def call_whose_result_is_an_input_left_out(_):
    return with_functions([function("F", [node("Relu", ["a"], ["d"])], ["a", "b"])], call("F", ["x"], ["y"]))


@case("output of graph 'then' 'b' has no value")
def branch_whose_result_is_an_input_left_out(_):
    branches = {
        "then_branch": helper.make_graph([], "then", [], [value("b")]),
        "else_branch": helper.make_graph([node("Neg", ["a"], ["d"])], "else", [], [value("d")]),
    }
    nodes = [
        node("ReduceSum", ["a"], ["s"], keepdims=0),
        node("Cast", ["s"], ["go"], to=TensorProto.BOOL),
        node("If", ["go"], ["e"], "inner", **branches),
    ]
    return with_functions([function("F", nodes, ["a", "b"], ["e"])], call("F", ["x"], ["y"]))


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


# --- Declarations and graphs inside -------------------------------------------


@case("input 'x' has no proper type: none is declared")
def input_without_type(_):
    return graph([node("Relu", ["x"], ["y"])], inputs=[ValueInfoProto(name="x")])


@case("the declared type of 'a' is wrong: ")
def value_of_unknown_elements(_):
    return graph([node("Relu", ["x"], ["a"], "other"), node("Abs", ["a"], ["y"])], value_info=[value("a", kind=99)])


def choice(results, outputs=("y",)):
    """An If whose branches give these results."""
    branch = helper.make_graph([node("Relu", ["x"], ["b"], "inner")], "branch", [], [value(r) for r in results])
    condition = numpy_helper.from_array(np.array(True), "condition")
    return graph([node("If", ["condition"], list(outputs), then_branch=branch, else_branch=branch)], initializers=[condition])


@case('"culprit"', "output of graph 'branch' 'nobody' is not defined")
def branch_without_its_output(_):
    return choice(["nobody"])


@case(r"'culprit' \(If\)", "it has 2 outputs, but its graph returns 1")
def branch_of_one_output(_):
    return choice(["b"], outputs=["y", "z"])


@case(r"'culprit' \(ai\.onnx\.preview\.training\.Gradient\)", "the attributes name a tensor: 'nobody' is not defined")
def gradient_of_nothing(_):
    training = "ai.onnx.preview.training"
    return model(
        graph([node("Relu", ["x"], ["z"], "other"), node("Gradient", ["x"], ["y"], domain=training, xs=["nobody"], y="z")]),
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(training, 1)],
    )


# --- Everything at once -----------------------------------------------------


@case("'first'", "'second'", "'third'")
def three_errors(_):
    return graph(
        [node("Rellu", ["x"], ["a"], "first"), node("Abs", ["nobody"], ["b"], "second"), node("Concat", ["x"], ["y"], "third")]
    )
