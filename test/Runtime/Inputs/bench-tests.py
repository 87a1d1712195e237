# ===- bench-tests.py - onnx_compile.bench ----------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
import os
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
import onnx_compile
from onnx_compile import _bench, _interleave

DIGITS = sys.argv.pop(1)


class Interleave(unittest.TestCase):
    def test_order(self):
        calls = []
        runs = {name: lambda name=name: calls.append(name) for name in "abc"}
        blocks, dropped = _interleave.interleave(runs, 2, 0, 0)
        turns = [name for i, name in enumerate(calls) if i == 0 or calls[i - 1] != name]
        # Blocks that follow one another are of one engine at the turn and between rounds.
        self.assertEqual("".join(turns), "abcbabcba")
        self.assertEqual({name: len(of) for name, of in blocks.items()}, {"a": 4, "b": 4, "c": 4})
        self.assertTrue(all(len(block) >= 3 for of in blocks.values() for block in of))
        self.assertEqual(dropped, 0)

    def test_stolen_time(self):
        with mock.patch.object(_interleave, "_stolen_ticks", side_effect=[0, 10**9, 10**9, 10**9]):
            blocks, dropped = _interleave.interleave({"a": int}, 1, 0, 0)
        self.assertEqual((len(blocks["a"]), dropped), (2, 1))

    def test_bootstrap(self):
        median, low, high = _interleave.bootstrap([1, 2, 2, 2, 3])
        self.assertEqual(median, 2)
        self.assertTrue(1 <= low <= 2 <= high <= 3)
        self.assertEqual(_interleave.bootstrap([2, 2, 2]), (2, 2, 2))


class Profile(unittest.TestCase):
    def test_launches(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "digits.so")
            onnx_compile.compile(DIGITS, path, profile=True, shapes={"image": (4, 1, 8, 8)})
            session = onnx_compile.ExecutionSession(path)
            image = np.zeros((4, 1, 8, 8), np.float32)
            for inputs in (None, image, [image], {"image": image}):
                profile = session.profile(inputs, threads=1, duration=0.02)
                names = {node["name"] for node in profile["nodes"]}
                self.assertLessEqual({"conv1", "relu1", "softmax"}, names)
                self.assertTrue(all("gflops" in row for row in profile["launches"]))
            self.assertIn("<table>", profile._repr_html_())
            with self.assertRaisesRegex(ValueError, "input image: "):
                session.profile(np.array(["a"]))
            with self.assertRaisesRegex(RuntimeError, "image"):
                session.profile(image[:2], duration=0.02)


class Bench(unittest.TestCase):
    def test_ratios(self):
        timings = _bench._timings({"ours": [[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]], "peer": [[6.0, 6.0, 4.0], [8.0, 8.0, 8.0]]})
        ours, peer = timings
        self.assertEqual((ours.minimum, ours.median, ours.ratio), (1, 2, None))
        self.assertEqual((peer.minimum, peer.median), (4, 7))
        self.assertEqual((peer.ratio.minimum, peer.ratio.median), (4, 3.5))

    def test_load(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {kind: os.path.join(folder, kind) for kind in ("csv", "svg")}
            found = onnx_compile.bench(
                DIGITS, [], rounds=1, seconds=0.02, pause=0, threads=1, callers=2, rate=1000, arrivals="fixed",
                cold_start=True, **files,
            )  # fmt: skip
            self.assertEqual(sum(found.load["caller_iterations"]), 20)
            self.assertEqual((found.load["callers"], found.load["arrivals"]), (2, "fixed"))
            self.assertGreater(found.load["cold_start"]["total"]["median"], 0)
            with open(files["csv"]) as csv, open(files["svg"]) as svg:
                self.assertEqual(len(csv.readlines()), 21)
                self.assertIn("</svg>", svg.read())
        with self.assertRaisesRegex(RuntimeError, "--arrivals: expected poisson"):
            onnx_compile.bench(DIGITS, [], rounds=1, seconds=0.001, rate=1, arrivals="never")

    def test_models(self):
        found = onnx_compile.bench(DIGITS, [], rounds=1, seconds=0.001, pause=0, dims={"batch": 2}, threads=1, O=1)
        self.assertEqual([t.engine for t in found.timings], ["onnx-compile"])
        self.assertIn("onnx-compile", found._repr_html_())
        self.assertEqual(found.as_dict()["threads"], 1)
        found = onnx_compile.bench(DIGITS, "onnxruntime", rounds=1, seconds=0.001, pause=0)
        self.assertEqual([t.engine.split()[0] for t in found.timings], ["onnx-compile", "onnxruntime"])

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "needs a model or an artefact"):
            onnx_compile.bench()
        for wrong in ({"rounds": 0}, {"threads": 0}, {"seconds": 0}, {"pause": -1}):
            with self.assertRaisesRegex(ValueError, "must be positive"):
                onnx_compile.bench(DIGITS, **wrong)
        with open(DIGITS, "rb") as file:
            artefact = onnx_compile.compile(file.read())
        found = onnx_compile.bench(artefact=artefact, rounds=1, seconds=0.001)
        self.assertIn("needs the model file", found.timings[1].error)


if __name__ == "__main__":
    unittest.main()
