# ===- compile-tests.py - onnx_compile.compile ------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
import json
import os
import pathlib
import platform
import shutil
import signal
import sys
import tempfile
import threading
import unittest
import unittest.mock

import numpy as np
import onnx
import onnx.parser

import onnx_compile

DIGITS = sys.argv.pop(1)
IMAGES = np.random.default_rng(0).random((3, 1, 8, 8), dtype=np.float32)


class Compile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_model(self, path):
        (probabilities,) = onnx_compile.ExecutionSession(path).run(IMAGES)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
        return probabilities

    def test_file(self):
        output = self.folder / "other.so"
        path = onnx_compile.compile(DIGITS, output=output)
        self.assertEqual(path, str(output))
        self.run_model(path)

    def test_beside_the_model(self):
        model = self.folder / "digits.onnx"
        shutil.copy(DIGITS, model)
        self.assertEqual(onnx_compile.compile(model), str(self.folder / "digits.so"))
        self.run_model(self.folder / "digits.so")

    def test_memory(self):
        expected = self.run_model(onnx_compile.compile(DIGITS, output=self.folder / "a.so"))
        model = onnx.load(DIGITS)
        for form in (model, model.SerializeToString(), bytearray(model.SerializeToString())):
            path = onnx_compile.compile(form)
            self.assertTrue(os.path.exists(path))
            np.testing.assert_array_equal(self.run_model(path), expected)

    def test_name_of_what_is_emitted(self):
        model = self.folder / "m.onnx"
        shutil.copy(DIGITS, model)
        for emit, suffix in (("onnx", ".mlir"), ("asm", ".s"), ("obj", ".o"), ("model", ".simplified.onnx")):
            self.assertEqual(onnx_compile.compile(model, emit=emit), str(self.folder / f"m{suffix}"))
            self.assertTrue(onnx_compile.compile(model.read_bytes(), emit=emit).endswith(f"model{suffix}"))
        self.assertIn("func.func @main_graph", (self.folder / "m.mlir").read_text())

    def test_name_of_a_library_for_a_board(self):
        model = self.folder / "m.onnx"
        shutil.copy(DIGITS, model)
        options = {"dims": {"batch": 1}, "triple": "thumbv7em-none-eabi"}
        for form, name in ((model, "m.a"), (model.read_bytes(), "model.a")):
            path = pathlib.Path(onnx_compile.compile(form, **options))
            self.assertEqual(path.name, name)
            self.assertEqual(path.read_bytes()[:8], b"!<arch>\n")
            self.assertTrue(path.with_suffix(".h").exists())
        self.assertTrue((self.folder / "m.a").exists())

    def test_again_to_the_same_file(self):
        def scaled(factor):
            node = onnx.helper.make_node("Add" if factor == 2 else "Neg", ["x"] * abs(factor), ["y"])
            infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1]) for name in "xy"]
            model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", infos[:1], infos[1:]))
            return onnx_compile.ExecutionSession(onnx_compile.compile(model, self.folder / "same.so"))

        sessions = [scaled(2), scaled(-1), scaled(2)]
        self.assertEqual([session.run([[3]])[0][0] for session in sessions], [6, -3, 6])

    def test_options(self):
        path = onnx_compile.compile(
            DIGITS, output=self.folder / "b.so", O=1, cpu="generic", dim=["batch=3"], tag="mine", weights="external"
        )
        session = onnx_compile.ExecutionSession(path)
        self.assertEqual(json.loads(session.input_signature())[0]["dims"], [3, 1, 8, 8])
        self.assertEqual(json.loads(session.compilation_info())["level"], 1)
        self.assertTrue((self.folder / "b.weights").exists())
        self.run_model(path)

    @unittest.skipUnless(platform.machine() == "x86_64", "levels of x86-64")
    def test_levels(self):
        path = onnx_compile.compile(DIGITS, output=self.folder / "l.so", cpu=["x86-64-v2", "x86-64"])
        session = onnx_compile.ExecutionSession(path)
        self.assertEqual(json.loads(session.compilation_info())["cpu"], "x86-64,x86-64-v2")
        with unittest.mock.patch.dict(os.environ, OM_CPU="x86-64"):
            shutil.copy(path, self.folder / "low.so")
            lower = self.run_model(self.folder / "low.so")
        only = onnx_compile.compile(DIGITS, output=self.folder / "o.so", cpu="x86-64")
        np.testing.assert_array_equal(lower, self.run_model(only))
        with unittest.mock.patch.dict(os.environ, OM_CPU="abacus"):
            shutil.copy(path, self.folder / "other.so")
            with self.assertRaisesRegex(RuntimeError, "OM_CPU is 'abacus', but the model was compiled for x86-64, "):
                onnx_compile.ExecutionSession(self.folder / "other.so")

    def test_mappings(self):
        path = onnx_compile.compile(DIGITS, output=self.folder / "d.so", dims={"batch": 3}, limits={"seconds": 600})
        signature = json.loads(onnx_compile.ExecutionSession(path).input_signature())
        self.assertEqual(signature[0]["dims"], [3, 1, 8, 8])
        path = onnx_compile.compile(DIGITS, output=self.folder / "e.so", shapes={"image": (None, 1, 8, 8)}, dims=None)
        self.assertEqual(json.loads(onnx_compile.ExecutionSession(path).input_signature())[0]["dims"][1:], [1, 8, 8])
        self.run_model(path)
        with self.assertRaisesRegex(TypeError, "dims must be a mapping, such as a dict, but is list"):
            onnx_compile.compile(DIGITS, output=self.folder / "f.so", dims=["batch=3"])

    def test_report(self):
        report = onnx_compile.compile(DIGITS, self.folder / "r.so", report=True)
        self.assertEqual(report["output"], str(self.folder / "r.so"))
        self.assertEqual(report["libraries"], ["libm.so.6", "libc.so.6"])
        self.assertEqual([layer["name"] for layer in report.layers][:3], ["conv1", "relu1", "conv2"])
        self.assertEqual(report.layers[0]["op"], "Conv")
        self.assertGreater(report.layers[0]["multiply_adds"], 0)
        self.assertTrue(report.html.startswith("<!DOCTYPE html>"))
        self.assertRegex(report._repr_html_(), '(?s)^<iframe sandbox="allow-scripts" [^>]*srcdoc="&lt;!DOCTYPE html[^"<>]*"></iframe>$')
        self.run_model(report["output"])

    def test_report_alone(self):
        before = set(self.folder.iterdir())
        report = onnx_compile.report(DIGITS, dims={"batch": 1})
        self.assertEqual(set(self.folder.iterdir()), before)
        self.assertEqual(report["arena_bytes"], max(slot["offset"] + slot["bytes"] for slot in report["arena"]))
        with self.assertRaises(onnx_compile.CompileError) as caught:
            onnx_compile.report(DIGITS, dims={"batch": 1}, max_ram="1K")
        self.assertEqual(caught.exception.status, 4)
        self.assertIn("--max-ram allows 1 KiB", str(caught.exception))
        firmware = onnx_compile.report(DIGITS, dims={"batch": 1}, triple="thumbv7em-none-eabi")
        self.assertEqual((firmware["target"], firmware["scalar_kernels"]), ("thumbv7em-unknown-none-eabi generic", []))

    def test_progress(self):
        steps = []
        report = onnx_compile.compile(DIGITS, self.folder / "p.so", report=True, progress=lambda *step: steps.append(step))
        ended = [(name, seconds) for _, _, name, seconds in steps if seconds is not None]
        self.assertEqual([name for name, _ in ended], [step["name"] for step in report["steps"]])
        self.assertEqual([step for *step, seconds in steps if seconds is None], [step for *step, s in steps if s is not None])
        self.assertTrue(all(number <= total for number, total, _, _ in steps))

    def test_external_data_that_changes(self):
        model = self.folder / "digits.onnx"
        onnx.save_model(onnx.load(DIGITS), model, save_as_external_data=True, location="weights.bin", size_threshold=0)
        weights = self.folder / "weights.bin"

        def change(number, total, *_):
            if number == total:
                os.utime(weights, (0, 0))

        with self.assertRaisesRegex(onnx_compile.CompileError, "weights.bin' has changed while the model was compiled"):
            onnx_compile.compile(model, self.folder / "q.so", progress=change)
        self.assertFalse((self.folder / "q.so").exists())
        self.run_model(onnx_compile.compile(model, self.folder / "q.so"))

    def test_bools_of_any_byte(self):
        model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
            m (bool[n] x, bool[n] y) => (bool[n] same, bool[n] other, uint8[n] byte) {
            same = Equal (x, y)  other = Xor (x, y)  byte = Cast <to = 2> (x) }""")
        x, y = (np.array(values, np.uint8).view(bool) for values in ([2, 2, 1, 255, 0], [1, 2, 1, 1, 0]))
        same, other, byte = onnx_compile.ExecutionSession(onnx_compile.compile(model)).run([x, y])
        self.assertTrue(same.all())
        self.assertFalse(other.any())
        self.assertEqual(byte.tolist(), [1, 1, 1, 1, 0])

    def test_warnings(self):
        model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
            m (float[2, 3] x, bool c) => (float[2, 4] y) {
            y = If (c) <then_branch = t () => (float[2, 4] a) { a = MatMul (x, x) },
                        else_branch = e () => (float[2, 4] b) { w = Constant <value = float[2, 1] {0, 0}> ()
                                                                b = Concat <axis = 1> (x, w) }> }""")
        with self.assertWarnsRegex(onnx_compile.CompileWarning, "MatMul"):
            onnx_compile.compile(model)

    def test_cancelled(self):
        def refuse(number, *_):
            if number == 3:
                raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            onnx_compile.compile(DIGITS, self.folder / "q.so", progress=refuse)
        interrupt = threading.Event()

        def interrupt_once(number, *_):
            if number == 3 and not interrupt.is_set():
                interrupt.set()
                os.kill(os.getpid(), signal.SIGINT)

        # Programs in the background are started with the signal ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        with self.assertRaises(KeyboardInterrupt):
            onnx_compile.compile(DIGITS, self.folder / "q.so", progress=interrupt_once)
        self.assertEqual(list(self.folder.iterdir()), [])
        self.run_model(onnx_compile.compile(DIGITS, self.folder / "q.so"))

    def test_version(self):
        path = onnx_compile.compile(DIGITS, self.folder / "v.so")
        info = json.loads(onnx_compile.ExecutionSession(path).compilation_info())
        self.assertEqual(info["compiler"], f"onnx-compile {onnx_compile.__version__}")

    def test_errors(self):
        def refused(status, text, *arguments, **named):
            with self.assertRaisesRegex(onnx_compile.CompileError, text) as caught:
                onnx_compile.compile(*arguments, output=self.folder / "c.so", **named)
            self.assertEqual(caught.exception.status, status)
            self.assertEqual(list(self.folder.iterdir()), [])

        refused(1, "model", b"no model at all")
        refused(2, "unknown option 'colour'", DIGITS, colour="red")
        refused(1, "absent.onnx", "absent.onnx")
        with self.assertRaisesRegex(TypeError, "model must be a path, bytes, .*, but is int"):
            onnx_compile.compile(5)
        self.assertTrue(issubclass(onnx_compile.CompileError, RuntimeError))

    def test_several_at_once(self):
        paths = [self.folder / f"{i}.so" for i in range(4)]
        threads = [threading.Thread(target=onnx_compile.compile, args=(DIGITS, path)) for path in paths]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        results = [self.run_model(path) for path in paths]
        for result in results:
            np.testing.assert_array_equal(result, results[0])


if __name__ == "__main__":
    unittest.main()
