# ===- check-tests.py - onnx_compile.check() --------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
# check-tests.py MODEL: the findings of models as paths, bytes and protobufs.
import pathlib
import sys
import tempfile

import onnx_compile
from onnx import parser

SLOW = """<ir_version: 8, opset_import: ["" : 17]>
slow (float[n, 4] x) => (int64[2, m] z) { [where] z = NonZero (x) }"""
REFUSED = """<ir_version: 8, opset_import: ["" : 17]>
refused (float[2] x) => (float[2] y) { [first] y = Reluu (x) }"""


def test_a_model_that_compiles():
    found = onnx_compile.check(sys.argv[1])
    assert found["compiles"] and found["errors"] == 0 and found["model"] == sys.argv[1], found
    assert found == {**onnx_compile.check(open(sys.argv[1], "rb").read()), "model": found["model"],
                     "findings": found["findings"]}  # fmt: skip


def test_what_costs_time():
    found = onnx_compile.check(parser.parse_model(SLOW))
    kinds = {finding["kind"]: finding for finding in found["findings"]}
    call = kinds["runtime-call"]
    assert call["name"] == "where" and call["operator"] == "NonZero" and call["opset"] == 17, call
    assert call["operands"] == ["f32[n, 4]"] and call["severity"] == "warning" and call["share"] > 0.5, call
    assert kinds["dynamic-size"]["hint"] == "--dim n=SIZE fixes it", kinds
    fixed = onnx_compile.check(parser.parse_model(SLOW), dims={"n": 3})
    assert "dynamic-size" not in {finding["kind"] for finding in fixed["findings"]}, fixed


def test_a_refused_model_is_no_exception():
    found = onnx_compile.check(parser.parse_model(REFUSED))
    assert not found["compiles"] and found["errors"] == 1, found
    first = found["findings"][0]
    assert first["severity"] == "error" and first["name"] == "first" and "did you mean" in first["reason"], first
    page = found._repr_html_()
    assert "is rejected</caption>" in page and "<td>first</td><td>Reluu</td>" in page, page


def test_a_node_alone():
    with tempfile.TemporaryDirectory() as folder:
        path = onnx_compile.cut_node(parser.parse_model(REFUSED), "first", pathlib.Path(folder) / "first.onnx")
        alone = onnx_compile.check(path)
        assert alone["errors"] == 1 and alone["findings"][0]["name"] == "first", alone
    try:
        onnx_compile.cut_node(sys.argv[1], "nothing", "nothing.onnx")
        raise AssertionError("no exception")
    except onnx_compile.CompileError as error:
        assert error.status == 2 and "no such node" in str(error), error


def test_a_wrong_option_is_an_exception():
    try:
        onnx_compile.check(sys.argv[1], cpu="abacus")
        raise AssertionError("no exception")
    except onnx_compile.CompileError as error:
        assert error.status == 2 and "abacus" in str(error), error


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
print("checked")
