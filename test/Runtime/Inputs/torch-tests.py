# ===- torch-tests.py - Models and tensors of PyTorch ------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
import glob
import pathlib
import sys
import tempfile
import unittest
import warnings

import numpy as np
import torch

import onnx_compile

MODEL = sys.argv.pop(1)
# An installation, whose entry points torch.compile looks at.
sys.path += glob.glob(sys.argv.pop(1) + "/lib/python*/site-packages")
warnings.simplefilter("ignore")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU())
        self.last = torch.nn.Linear(16, 3)
        self.eval()

    def forward(self, x, scale=None):
        y = self.last(self.layers(x))
        return y if scale is None else y * scale


X = torch.linspace(-1, 1, 16).reshape(2, 8)


class Compile(unittest.TestCase):
    def setUp(self):
        self.net = Net()
        with torch.no_grad():
            self.expected = self.net(X).numpy()

    def check(self, *arguments, **named):
        session = onnx_compile.ExecutionSession(onnx_compile.compile(*arguments, **named))
        np.testing.assert_allclose(session(X), self.expected, rtol=1e-5, atol=1e-6)
        return session

    def test_module(self):
        self.check(self.net, example_inputs=(X,))
        self.check(self.net, example_inputs=X)
        with self.assertRaisesRegex(TypeError, r"needs example_inputs: compile\(module, example_inputs=\(x,\)\)"):
            onnx_compile.compile(self.net)

    def test_module_with_named_inputs_and_dynamic_sizes(self):
        rows = torch.export.Dim("rows")
        session = onnx_compile.ExecutionSession(
            onnx_compile.compile(
                self.net,
                example_inputs={"x": X, "scale": torch.tensor(2.0)},
                dynamic_shapes={"x": {0: rows}, "scale": None},
            )
        )
        self.assertEqual(session.inputs[0].shape, ("rows", 8))
        (y,) = session.run({"x": X[:1].repeat(5, 1), "scale": np.float32(3)})
        np.testing.assert_allclose(y, np.repeat(3 * self.expected[:1], 5, 0), rtol=1e-5, atol=1e-6)

    def test_programs(self):
        exported = torch.export.export(self.net, (X,))
        self.check(exported)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.so"
            self.check(torch.onnx.export(exported, dynamo=True, verbose=False), output=path)
            self.assertEqual([p.name for p in pathlib.Path(folder).iterdir()], ["net.so"])


class Tensors(unittest.TestCase):
    def test_every_type(self):
        for name, type in {
            "FLOAT": torch.float32, "DOUBLE": torch.float64, "FLOAT16": torch.float16, "BFLOAT16": torch.bfloat16,
            "INT8": torch.int8, "INT64": torch.int64, "UINT8": torch.uint8, "BOOL": torch.bool,
            "COMPLEX64": torch.complex64, "FLOAT8E4M3FN": torch.float8_e4m3fn, "FLOAT8E5M2": torch.float8_e5m2,
        }.items():  # fmt: skip
            x = torch.tensor([[0, 1], [2, 3]]).to(type)
            session = onnx_compile.ExecutionSession(MODEL, entry=f"identity_{name}")
            for tensor in (x, x.T):
                y = torch.from_dlpack(onnx_compile.to_dlpack(session.run(tensor)[0]))
                self.assertEqual((y.dtype, y.shape), (tensor.dtype, tensor.shape))
                self.assertEqual(y.to(torch.complex64).tolist(), tensor.to(torch.complex64).tolist())

    def test_gradient_and_out(self):
        session = onnx_compile.ExecutionSession(MODEL, entry="identity_FLOAT")
        x = torch.ones(2, 3, requires_grad=True)
        y = torch.zeros(2, 3)
        self.assertIs(session.run(x, out=y)[0], y)
        self.assertEqual(y.tolist(), x.tolist())


class Backend(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        self.net = Net()

    def compiled(self, model):
        def backend(module, inputs):
            graph = onnx_compile.torch_backend(module, inputs)
            self.graphs.append(graph)
            return graph

        self.graphs = []
        return torch.compile(model, backend=backend)

    def check(self, model, *inputs):
        with torch.no_grad():
            torch.testing.assert_close(self.compiled_model(*inputs), model(*inputs), rtol=1e-5, atol=1e-6)
        return [c for graph in self.graphs for c in graph.compiled.values() if c is not None]

    def test_inference(self):
        self.compiled_model = self.compiled(self.net)
        (first,) = self.check(self.net, X)
        self.assertEqual(len(first.session.inputs), 1)
        self.assertEqual(self.check(self.net, X), [first])
        # Other weights and other sizes.
        with torch.no_grad():
            self.net.last.weight.mul_(2)
            self.net.layers[1].running_mean.add_(1)
        (second,) = self.check(self.net, X)
        self.assertIsNot(first, second)
        for rows in (3, 5):
            self.check(self.net, X[:1].repeat(rows, 1))

    def test_by_name(self):
        compiled = torch.compile(self.net, backend="onnx_compile", options={"O": 1})
        with torch.no_grad():
            torch.testing.assert_close(compiled(X), self.net(X), rtol=1e-5, atol=1e-6)

    def test_gradient(self):
        self.compiled_model = self.compiled(self.net)
        self.compiled_model(X).sum().backward()
        self.assertIsNotNone(self.net.last.weight.grad)
        self.assertEqual([graph.compiled for graph in self.graphs], [{}])

    def test_graphs_that_change_inputs(self):
        def increment(x):
            x.add_(1)
            return x * 2, None, 3

        self.compiled_model = self.compiled(increment)
        x = torch.zeros(2)
        with torch.no_grad():
            y, none, three = self.compiled_model(x)
        self.assertEqual((x.tolist(), y.tolist(), none, three), ([1, 1], [2, 2], None, 3))

    def test_what_cannot_be_expressed(self):
        def solve(x):
            return torch.linalg.solve(x, x) + 1

        self.compiled_model = self.compiled(solve)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertEqual(self.check(solve, torch.eye(3)), [])
        self.assertTrue(any("runs in PyTorch, as it cannot be compiled" in str(w.message) for w in caught))


if __name__ == "__main__":
    unittest.main()
