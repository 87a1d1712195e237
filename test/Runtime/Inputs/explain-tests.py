# ===- explain-tests.py - onnx_compile.explain ------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
import pathlib
import sys
import unittest

import onnx_compile

DIGITS = sys.argv.pop(1)


class Explanations(unittest.TestCase):
    def test_node(self):
        found = onnx_compile.explain(DIGITS, "relu1", cpu="generic")
        self.assertEqual((found["schema"], found["node"]), (1, {"name": "relu1", "op": "Relu"}))
        (kernel,) = found["kernels"]
        self.assertEqual([node["name"] for node in kernel["nodes"]], ["conv1", "relu1"])
        self.assertIn({"name": "conv1", "op": "Conv"}, found["fused_with"])
        self.assertGreater(kernel["multiply_adds"], 0)
        self.assertTrue(kernel["dynamic"])
        self.assertIn("for ", kernel["loops"])
        self.assertEqual(found["functions"], [])

    def test_text_is_that_of_the_tool(self):
        found = onnx_compile.explain(DIGITS, "relu1", cpu="generic")
        self.assertTrue(str(found).startswith(f'{DIGITS}:"relu1" (Relu) for '))
        self.assertIn('kernel "Conv+Relu"', str(found))
        self.assertIn("&quot;Conv+Relu&quot;", found._repr_html_())

    def test_options_and_bytes(self):
        model = pathlib.Path(DIGITS).read_bytes()
        found = onnx_compile.explain(model, "relu1", dims={"batch": 2}, asm=True)
        self.assertFalse(found["kernels"][0]["dynamic"])
        (function,) = found["functions"]
        self.assertTrue(function["assembly"].startswith(function["name"] + ":"))

    def test_tensor_is_explained_by_its_node(self):
        self.assertEqual(onnx_compile.explain(DIGITS, "probabilities")["node"]["name"], "softmax")

    def test_unknown_names(self):
        with self.assertRaisesRegex(onnx_compile.CompileError, "no node or tensor 'relu'; similar: 'relu1'") as raised:
            onnx_compile.explain(DIGITS, "relu")
        self.assertEqual(raised.exception.status, 2)

    def test_models_that_are_refused(self):
        with self.assertRaises(onnx_compile.CompileError) as raised:
            onnx_compile.explain(b"no model", "a")
        self.assertEqual(raised.exception.status, 1)
        with self.assertRaises(TypeError):
            onnx_compile.explain(7, "a")


unittest.main()
