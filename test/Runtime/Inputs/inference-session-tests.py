# ===- inference-session-tests.py - InferenceSession -------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
import contextlib
import io
import json
import os
import pathlib
import pickle
import shutil
import sys
import tempfile
import threading
import time
import unittest
import warnings
from unittest import mock

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto, helper, numpy_helper

import onnx_compile as ort

EXAMPLES = pathlib.Path(sys.argv.pop(1))
DIGITS = EXAMPLES / "digits" / "digits.onnx"
IMAGES = sorted((EXAMPLES / "digits" / "images").glob("*.npy"))
SCRIPTS = pathlib.Path(__file__).parent / "onnxruntime"


class Cached(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache"
        change = mock.patch.dict(os.environ, ONNX_COMPILE_CACHE=str(self.cache))
        change.start()
        self.addCleanup(change.stop)

    def artefacts(self):
        return sorted(self.cache.glob("*/model.so"))


class Scripts(Cached):
    """Scripts for onnxruntime print the same after a change of their import."""

    def output(self, script, module):
        text = script.read_text().replace("import onnxruntime as ort", f"import {module} as ort")
        printed = io.StringIO()
        arguments = [str(script), str(DIGITS), *map(str, IMAGES)]
        with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(printed):
            exec(compile(text, str(script), "exec"), {"__name__": "__main__"})
        return printed.getvalue()

    def test_scripts(self):
        scripts = sorted(SCRIPTS.glob("*.py"))
        self.assertEqual(len(scripts), 3)
        for script in scripts:
            with self.subTest(script.name):
                expected = self.output(script, "onnxruntime")
                self.assertGreater(expected.count("\n"), 3)
                self.assertEqual(self.output(script, "onnx_compile"), expected)


class Cache(Cached):
    def test_compiled_once(self):
        first = ort.InferenceSession(DIGITS)
        (artefact,) = self.artefacts()
        made = artefact.stat().st_mtime_ns
        for form in (str(DIGITS), DIGITS.read_bytes(), onnx.load(DIGITS)):
            ort.InferenceSession(form)
        self.assertEqual([path.stat().st_mtime_ns for path in self.artefacts()], [made])
        self.assertEqual(list(self.cache.glob(".*")), [])
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        ort.InferenceSession(DIGITS, options)
        self.assertEqual(len(self.artefacts()), 2)
        x = np.zeros((1, 1, 8, 8), np.float32)
        compiled = ort.InferenceSession(artefact)
        np.testing.assert_array_equal(compiled.run(None, {"image": x})[0], first.run(None, {"image": x})[0])

    def test_other_weights_beside_the_model(self):
        path = self.folder / "m.onnx"
        for factor in (2, 3):
            w = numpy_helper.from_array(np.full(300, factor, np.float32), "w")
            infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [300]) for name in "xy"]
            node = helper.make_node("Mul", ["x", "w"], ["y"])
            model = helper.make_model(helper.make_graph([node], "g", infos[:1], infos[1:], [w]))
            onnx.save(model, path, save_as_external_data=True, location="w.bin", size_threshold=0)
            (y,) = ort.InferenceSession(path).run(None, {"x": np.ones(300, np.float32)})
            self.assertEqual(y[0], factor)
            (self.folder / "w.bin").unlink()

    def test_failure_leaves_nothing(self):
        with self.assertRaises(ort.CompileError):
            ort.InferenceSession(b"no model")
        with self.assertRaises(FileNotFoundError):
            ort.InferenceSession(self.folder / "absent.onnx")
        self.assertEqual(list(self.cache.iterdir()), [])

    def test_cache_that_cannot_be_made(self):
        file = self.folder / "file"
        file.touch()
        with mock.patch.dict(os.environ, ONNX_COMPILE_CACHE=str(file)):
            with self.assertRaisesRegex(FileExistsError, f"the cache of compiled models: File exists; ONNX_COMPILE_CACHE names another folder: '{file}'"):
                ort.InferenceSession(DIGITS)

    def test_cache_of_everybody(self):
        ort.InferenceSession(DIGITS)
        self.assertEqual(self.cache.stat().st_mode & 0o777, 0o700)
        self.cache.chmod(0o777)
        with self.assertRaisesRegex(PermissionError, "everybody may write to .*cache, and compiled models are code"):
            ort.InferenceSession(DIGITS)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a folder away")
    def test_cache_of_another_user(self):
        self.cache.mkdir(0o700)
        os.chown(self.cache, 1000, 1000)
        with self.assertRaisesRegex(PermissionError, "cache belongs to user 1000, and compiled models are code"):
            ort.InferenceSession(DIGITS)

    def test_damaged_entry(self):
        ort.InferenceSession(DIGITS)
        (artefact,) = self.artefacts()
        whole = artefact.read_bytes()
        for kept in (0, len(whole) // 2):
            artefact.unlink()  # not in place: the model may still be loaded
            artefact.write_bytes(whole[:kept])
            ort.InferenceSession(DIGITS)
            self.assertEqual(artefact.read_bytes(), whole)


class Eviction(Cached):
    """Artefacts that have not been used for longest go first."""

    def setUp(self):
        super().setUp()
        # What a slow machine compiles meanwhile does not become old.
        moment = mock.patch("onnx_compile._cache._IN_USE_SECONDS", 3000)
        moment.start()
        self.addCleanup(moment.stop)

    def add(self, name, age, size=1000):
        folder = self.cache / name
        folder.mkdir(parents=True)
        (folder / "model.so").write_bytes(bytes(size))
        self.age(folder, age)

    def age(self, folder, seconds):
        os.utime(folder, (time.time() - seconds,) * 2)

    def names(self):
        return sorted(path.name for path in self.cache.iterdir())

    def limit(self, text):
        change = mock.patch.dict(os.environ, ONNX_COMPILE_CACHE_SIZE=text)
        change.start()
        self.addCleanup(change.stop)

    def test_least_recently_used(self):
        options = ort.SessionOptions()
        options.use_deterministic_compute = True
        ort.InferenceSession(DIGITS, options)
        (strict,) = self.names()
        ort.InferenceSession(DIGITS)
        (kept,) = set(self.names()) - {strict}
        size = sum(file.stat().st_size for file in self.cache.glob("*/*"))
        shutil.rmtree(self.cache / strict)
        self.age(self.cache / kept, 10_000)
        self.add("older", 5000)
        self.add("newer", 4000)
        self.add("just-used", 10)
        # A use is what counts, not the time of the compilation.
        ort.InferenceSession(DIGITS)
        self.limit(str(size + 2500))
        ort.InferenceSession(DIGITS, options)
        names = self.names()
        self.assertNotIn("older", names)
        self.assertLessEqual({kept, "just-used"}, set(names))
        self.assertEqual(len(self.artefacts()), len(names))

    def test_used_a_moment_ago(self):
        self.limit("1")
        sessions = [ort.InferenceSession(DIGITS)]
        self.add("older", 5000)
        sessions.append(ort.InferenceSession(DIGITS))
        options = ort.SessionOptions()
        options.use_deterministic_compute = True
        sessions.append(ort.InferenceSession(DIGITS, options))
        self.assertEqual(len(self.names()), 2)
        self.assertNotIn("older", self.names())

    def test_no_limit(self):
        self.limit("0")
        self.add("older", 5000, size=1 << 20)
        ort.InferenceSession(DIGITS)
        self.assertEqual(len(self.names()), 2)

    def test_abandoned_compilation(self):
        for age in (10, 100_000):
            self.add(f".compiling-{age}", age)
        ort.InferenceSession(DIGITS)
        self.assertEqual([name for name in self.names() if name[0] == "."], [".compiling-10"])

    def test_wrong_limit(self):
        for text in ("many", "-1", "5X"):
            self.limit(text)
            with self.assertRaisesRegex(ValueError, f"such as 500M or 10G, but is '{text}'"):
                ort.InferenceSession(DIGITS)
        self.limit("1T")
        ort.InferenceSession(DIGITS)


class Pickled(Cached):
    """A pickled session is its path and the hash of the artefact's contents."""

    def setUp(self):
        super().setUp()
        self.path = ort.compile(DIGITS, self.folder / "m.so", cpu="generic")
        self.session = ort.ExecutionSession(self.path)
        self.data = pickle.dumps(self.session)
        self.x = np.zeros((1, 1, 8, 8), np.float32)

    def check(self, path):
        session = pickle.loads(self.data)
        self.assertEqual(session.path, str(path))
        np.testing.assert_array_equal(session(self.x), self.session(self.x))

    def test_path(self):
        self.check(self.path)

    def test_cache_of_the_machine(self):
        artefact = ort.add_to_cache(self.path)
        self.assertEqual(ort.add_to_cache(pathlib.Path(self.path).read_bytes()), artefact)
        self.assertEqual([str(path) for path in self.artefacts()], [artefact])
        os.unlink(self.path)
        self.check(artefact)
        self.cache.chmod(0o777)
        with self.assertRaisesRegex(PermissionError, "everybody may write"):
            pickle.loads(self.data)

    def test_weights_in_a_file(self):
        path = ort.compile(DIGITS, self.folder / "w.so", weights="external")
        self.session = ort.ExecutionSession(path)
        self.data = pickle.dumps(self.session)
        artefact = ort.add_to_cache(path)
        self.session(self.x)  # maps its weights
        os.unlink(self.folder / "w.weights")
        self.check(artefact)

    def test_other_contents(self):
        ort.compile(DIGITS, self.path, O=1)
        # The session has what it was loaded from.
        self.assertEqual(pickle.dumps(self.session), self.data)
        with self.assertRaisesRegex(ValueError, "m.so is another model than the one pickled"):
            pickle.loads(self.data)
        os.unlink(self.path)
        with self.assertRaisesRegex(FileNotFoundError, "no compiled model at .*m.so"):
            pickle.loads(self.data)

    def test_what_is_no_model(self):
        with self.assertRaises(ImportError):
            ort.add_to_cache(b"no model")
        self.assertFalse(self.cache.exists())

    def test_inference_session(self):
        first = ort.InferenceSession(DIGITS)
        again = pickle.loads(pickle.dumps(first))
        np.testing.assert_array_equal(again.run(None, {"image": self.x})[0], first.run(None, {"image": self.x})[0])


class Session(Cached):
    def test_options(self):
        options = ort.SessionOptions()
        options.add_free_dimension_override_by_name("batch", 3)
        options.optimized_model_filepath = str(self.folder / "simplified.onnx")
        options.use_deterministic_compute = True
        options.compile_options["cpu"] = "generic"
        session = ort.InferenceSession(DIGITS, options)
        self.assertIs(session.get_session_options(), options)
        self.assertEqual(session.get_inputs(), [ort.NodeArg("image", "tensor(float)", [3, 1, 8, 8])])
        self.assertEqual(onnx.load(self.folder / "simplified.onnx").graph.input[0].name, "image")
        self.assertIn("<td>image</td><td>tensor(float)</td>", session._repr_html_())
        self.assertEqual(session.get_overridable_initializers(), [])
        self.assertEqual(json.loads(pickle.loads(pickle.dumps(session._session)).compilation_info())["cpu"], "x86-64")

    def test_providers(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            session = ort.InferenceSession(DIGITS, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
        self.assertEqual(["there is no provider CUDAExecutionProvider" in str(w.message) for w in caught], [True])
        self.assertEqual(session.get_providers(), ["CPUExecutionProvider"])

    def test_errors(self):
        session = ort.InferenceSession(DIGITS)
        x = np.zeros((1, 1, 8, 8), np.float32)
        for text, names, feed in (
            (r"required inputs \(\['image'\]\) are missing from the input feed \(\['x'\]\)", None, {"x": x}),
            ("has no input 'x'", None, {"image": x, "x": x}),
            ("has no output 'labels'; it has", ["labels"], {"image": x}),
        ):
            with self.assertRaisesRegex(ValueError, text):
                session.run(names, feed)
        with self.assertRaisesRegex(ValueError, "there is no device 'cuda'"):
            session.io_binding().bind_output("probabilities", "cuda")
        with self.assertRaisesRegex(ValueError, "has no output 'y'"):
            session.io_binding().bind_output("y")
        with self.assertRaisesRegex(ValueError, "required inputs"):
            session.run_with_iobinding(session.io_binding())

    def test_terminate(self):
        session = ort.InferenceSession(DIGITS)
        feed = {"image": np.zeros((1, 1, 8, 8), np.float32)}
        options = ort.RunOptions()
        session.run(None, feed, options)
        options.terminate = True
        with self.assertRaisesRegex(RuntimeError, "RunOptions.terminate is set"):
            session.run(None, feed, options)
        options.terminate = False
        session.run(None, feed, options)

    def test_terminate_ends_a_run(self):
        session = ort.InferenceSession(
            onnx.parser.parse_model(
                """<ir_version: 10, opset_import: ["" : 21]>
                count (int64 n) => (int64 last) {
                  yes = Constant <value = bool {1}> ()
                  zero = Constant <value = int64 {0}> ()
                  last = Loop (n, yes, zero) <body = g (int64 i, bool c, int64 sum) => (bool d, int64 next) {
                    d = Identity (c)
                    square = Mul (i, i)
                    next = Add (sum, square)
                  }>
                }"""
            )
        )
        self.assertEqual(session.run(None, {"n": 4})[0], 14)
        options, other = ort.RunOptions(), ort.RunOptions()
        messages, begun, compiled = [], threading.Semaphore(0), session._session

        class Reporting:
            """Reports a run that is no longer refused."""

            _cancel = compiled._cancel

            def run(self, *arguments, **named):
                begun.release()
                return compiled.run(*arguments, **named)

        session._session = Reporting()

        def run():
            try:
                session.run(None, {"n": 2**62}, options)
            except RuntimeError as error:
                messages.append(str(error))

        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in threads:
            begun.acquire()
        other.terminate = True
        self.assertEqual([thread.is_alive() for thread in threads], [True, True])
        options.terminate = True
        for thread in threads:
            thread.join()
        session._session = compiled
        self.assertEqual(messages, ["the run has ended, as RunOptions.terminate was set"] * 2)
        self.assertEqual(session.run(None, {"n": 3})[0], 5)

    def test_metadata(self):
        model = onnx.load(DIGITS)
        model.doc_string, model.domain, model.model_version = "about digits", "org.example", 7
        helper.set_model_props(model, {"classes": "10", "author": "somebody"})
        meta = ort.InferenceSession(model).get_modelmeta()
        self.assertEqual((meta.graph_name, meta.domain, meta.version), ("digits", "org.example", 7))
        self.assertEqual((meta.description, meta.graph_description), ("about digits", ""))
        self.assertEqual(meta.custom_metadata_map, {"classes": "10", "author": "somebody"})

    def test_values(self):
        value = ort.OrtValue.ortvalue_from_shape_and_type([2], TensorProto.BFLOAT16)
        self.assertEqual((value.data_type(), value.element_type()), ("tensor(bfloat16)", TensorProto.BFLOAT16))
        value = ort.OrtValue.ortvalue_from_numpy(np.zeros(2, np.float32))
        pointer = value.data_ptr()
        value.update_inplace(np.float32([1, 2]))
        self.assertEqual((value.numpy().tolist(), value.data_ptr()), ([1, 2], pointer))
        self.assertEqual(np.from_dlpack(value).tolist(), [1, 2])
        with self.assertRaises(TypeError):
            value.update_inplace(np.float64([1, 2]))


if __name__ == "__main__":
    unittest.main()
