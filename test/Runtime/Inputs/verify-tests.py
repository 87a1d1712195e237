# ===- verify-tests.py - onnx_compile.verify --------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
import json
import pathlib
import sys
import tempfile
import unittest

import ml_dtypes
import numpy as np
import onnx
from onnx import numpy_helper, parser

import onnx_compile
from onnx_compile._comparison import Meaning, Tolerance, compare
from onnx_compile._peers import Reference

DIGITS = sys.argv.pop(1)


def parsed(graph):
    return parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {graph}')


def reference(model, change=lambda name, value: value):
    """A function of a peer: the reference, and a change of each tensor that is asked for."""

    def values(feed, names):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "m.onnx")
            onnx.save(model, path)
            return {name: change(name, value) for name, value in Reference(str(path)).values(feed, names).items()}

    return values


class Comparisons(unittest.TestCase):
    def problem(self, actual, expected, tolerance=Tolerance(), meaning=Meaning()):
        return [c.problem for c in compare("y", actual, expected, tolerance, meaning)]

    def test_not_a_number_and_infinity(self):
        special = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
        self.assertEqual(self.problem(special, special), [None])
        for i in range(3):
            other = special.copy()
            other[i] = 1
            self.assertRegex(self.problem(special, other)[0], rf"^1 of 4 elements differ; element \[{i}\]")
            self.assertRegex(self.problem(other, special)[0], rf"^1 of 4 elements differ; element \[{i}\]")

    def test_scores_of_a_classifier(self):
        expected = [{0: 2e-5, 1: 0.99998}, {0: 0.25, 1: 0.75}]
        rounded = [{0: 2.006e-5, 1: 0.99998}, {0: 0.25, 1: 0.75}]
        other = [{0: 2e-5, 1: 0.99998}, {0: 0.5, 1: 0.75}]
        # The largest score decides how far a small one may be off, as in a tensor.
        self.assertEqual(self.problem(rounded, expected), [None])
        self.assertEqual(self.problem(rounded[:1] * 9, expected[:1] * 9), [None])
        self.assertRegex(
            self.problem(other, expected)[0], r"^1 of 4 elements differ; element \[1\]\[0\] is 0.5 and should be 0.25"
        )
        self.assertRegex(self.problem({"a": 1}, {"a": 2})[0], r"element \['a'\] is 1 and should be 2")
        self.assertEqual(self.problem([{0: 1.0}, {0: 1.0}], [{0: 1.0}, {1: 1.0}])[1][:15], "has the keys [0")
        self.assertEqual(self.problem([{}], [{}]), [])
        self.assertEqual(self.problem([{0: 1e39}], [{0: 1e39}]), [None])
        mixed = self.problem([{0: "a"}, {0: 1}], [{0: "a"}, {0: "1"}])
        self.assertEqual(mixed, [None, "is int64[] and should be string[]"])

    def test_tolerance_of_the_type(self):
        ones = np.ones(4)
        for dtype, error in (("float64", 1e-5), ("float32", 1e-2), ("float16", 0.1), (ml_dtypes.bfloat16, 0.125)):
            expected = ones.astype(dtype)
            self.assertEqual(self.problem((ones * (1 + error / 16)).astype(dtype), expected), [None], dtype)
            self.assertIn("differ", self.problem((ones * (1 + error)).astype(dtype), expected)[0], dtype)
        self.assertIn("differ", self.problem(ones * (1 + 1e-8), ones, Tolerance(rtol=0, atol=1e-9))[0])

    def test_integers_are_equal(self):
        large = np.array([2**62, 2**62 + 1])
        self.assertEqual(self.problem(large, large), [None])
        self.assertIn("element [1]", self.problem(large, np.array([2**62, 2**62]))[0])

    def test_types_shapes_and_kinds(self):
        x = np.zeros((2, 3), np.float32)
        self.assertEqual(self.problem(x, x.T), ["is float32[2, 3] and should be float32[3, 2]"])
        self.assertEqual(self.problem(x, x.astype(int)), ["is float32[2, 3] and should be int64[2, 3]"])
        self.assertEqual(self.problem([x], [x, x]), ["has 1 elements and should have 2"])
        self.assertEqual(self.problem({"a": x}, {"b": x}), ["has the keys ['a'] and should have ['b']"])
        self.assertEqual(self.problem(None, x), ["is an empty optional and should be a tensor"])
        self.assertEqual(self.problem([x], x), ["is a sequence and should be a tensor"])
        self.assertEqual(self.problem(np.array(["a"], object), np.array(["b"], object))[0][:19], "1 of 1 elements dif")
        self.assertEqual(self.problem([{1: np.float32(0.5)}], [{1: 0.5}]), [None])

    def test_ties(self):
        scores = np.array([[1, 5, 5, 0], [4, 4, 4, 9]], np.float32)
        meaning = Meaning(scores=scores, axis=1)
        self.assertEqual(self.problem(np.array([[2, 1], [3, 2]]), np.array([[1, 2], [3, 0]]), meaning=meaning), [None])
        self.assertIn("element [1, 0]", self.problem(np.array([[1], [0]]), np.array([[2], [3]]), meaning=meaning)[0])
        self.assertEqual(self.problem(np.array([2, 3]), np.array([1, 3]), meaning=meaning), [None])
        self.assertIn("element [0]", self.problem(np.array([7, 3]), np.array([1, 3]), meaning=meaning)[0])


class Verify(unittest.TestCase):
    def test_engines(self):
        for against in ("onnxruntime", "reference"):
            found = onnx_compile.verify(DIGITS, against, dims={"batch": 3})
            self.assertTrue(found.passed, str(found))
            self.assertEqual([c.elements for c in found.outputs], [30])
            self.assertIn(against, found.against)

    def test_operator_that_the_reference_lacks(self):
        model = parser.parse_model("""<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
            g (float[4] x) => (float[4] y) { y = com.microsoft.QuickGelu(x) }""")
        with self.assertRaisesRegex(NotImplementedError, "reference of onnx .* but onnxruntime may: .*QuickGelu"):
            onnx_compile.verify(model, "reference")

    def test_names_the_node(self):
        model = onnx.load(DIGITS)
        changed = onnx.load(DIGITS)
        weight = next(t for t in changed.graph.initializer if t.name == "conv2.weight")
        weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight) * np.float32(1.5), weight.name))
        lines = []
        found = onnx_compile.verify(model, reference(changed), progress=lines.append)
        self.assertFalse(found.passed)
        self.assertEqual((found.first_difference.node, found.first_difference.operator), ("conv2", "Conv"))
        self.assertEqual([(c.name, c.agrees) for c in found.first_difference.inputs], [("relu1.out", True)])
        self.assertEqual([(c.name, c.agrees) for c in found.first_difference.outputs], [("conv2.out", False)])
        self.assertLess(len(lines), 6)
        self.assertIn("conv2 (Conv)", found._repr_html_())
        self.assertEqual(json.loads(json.dumps(found.as_dict()))["first_difference"]["node"], "conv2")
        self.assertIsNone(onnx_compile.verify(model, reference(changed), locate=False).first_difference)

    def test_names_the_node_after_tensors_that_engines_cannot_give(self):
        model = parsed("""m (float[3, 7] x) => (float[7] y) {
            e = Exp (x)  q = Cast <to = 22> (e)  d = Cast <to = 1> (q)
            i = Constant <value_int = 0> ()  a = Gather (d, i)  y = Softmax (a) }""")

        def more(name, value):
            return value * np.float32(1.5) if name == "y" else value

        found = onnx_compile.verify(model, reference(model, more))
        self.assertEqual((found.first_difference.operator, found.remark), ("Softmax", ""))
        found = onnx_compile.verify(model, "onnxruntime", atol=0, rtol=0)
        self.assertFalse(found.passed)
        self.assertTrue(found.first_difference or found.remark)

    def test_names_the_node_of_any_branch(self):
        branches = "".join(f"[b{i}] y{i} = Exp (x) [c{i}] z{i} = Neg (y{i}) " for i in range(4))
        model = parsed(f"m (float[8] x) => (float[8] s) {{ {branches} [last] s = Sum (z0, z1, z2, z3) }}")
        for branch in range(4):
            for kind, node in (("y", "b"), ("z", "c")):
                wrong = {f"{kind}{branch}", f"z{branch}", "s"}
                found = onnx_compile.verify(model, reference(model, lambda n, v: v + 1 if n in wrong else v))
                self.assertEqual(found.first_difference.node, f"{node}{branch}")

    def test_names_the_node_that_a_branch_of_if_reads(self):
        model = parsed("""m (float[4] x, bool c) => (float[4] z) {
            [first] y = Exp (x)
            [choice] z = If (c) <then_branch = t () => (float[4] a) { a = Neg (y) },
                                 else_branch = e () => (float[4] b) { b = Abs (y) }> }""")
        for wrong, node in (({"y", "z"}, "first"), ({"z"}, "choice")):
            found = onnx_compile.verify(model, reference(model, lambda n, v: v + 1 if n in wrong else v))
            self.assertEqual(found.first_difference.node, node)

    # The reference of onnx runs no loop without a condition.
    LOOP = """m (float[2] x, int64 count) => (float[2] y) <float low = {-1.0}, bool yes = {1}> {
        [loop] y = Loop (count, yes, x) <body = b (int64 i, bool c, float[2] before) => (bool again, float[2] after) {
            again = Identity (c)
            [shrink] a = Sub (before, low)
            [root] r = Sqrt (a)
            [next] after = Neg (r) }> }"""

    def test_names_the_node_in_a_body(self):
        """Of two artefacts with taps, and inside the node that differs from another engine."""
        model, changed = parsed(self.LOOP), parsed(self.LOOP)
        next(n for n in changed.graph.node[0].attribute[0].g.node if n.name == "root").op_type = "Exp"
        feed = {"x": np.array([-1, 0], np.float32), "count": np.array(3)}
        with tempfile.TemporaryDirectory() as folder:
            paths = [onnx_compile.compile(m, f"{folder}/{i}.so", taps="all") for i, m in enumerate((model, changed))]
            found = onnx_compile.verify(artefact=paths[0], against=paths[1], inputs=feed)
            first = found.first_difference
            self.assertEqual((first.node, first.operator, first.iteration), ("root", "Sqrt", 0), str(found))
            onnx.save(model, f"{folder}/model.onnx")
            for against in ("onnxruntime", "reference"):
                check = onnx_compile.verify(f"{folder}/model.onnx", against, artefact=paths[0], inputs=feed)
                self.assertTrue(check.passed, str(check))
                self.assertEqual([c.name for c in check.outputs], ["y"])

    def test_names_the_node_in_a_branch_in_a_body(self):
        """The tensors of the loop begin to differ in the branch of the second iteration."""
        text = """g (float[2] x, int64 count) => (float[2] y) {
          [loop] y = Loop (count, , x) <body = b (int64 i, bool c, float[2] before) => (bool d, float[2] after) {
            d = Identity (c)
            [lift] a = Add (before, before)
            first = Cast <to = 9> (i)
            [choice] after = If (first) <
              then_branch = t () => (float[2] f) { [grow] f = ACT (a) },
              else_branch = e () => (float[2] g) { [keep] g = Neg (a) }>
          }>
        }"""
        feed = {"x": np.array([1, 2], np.float32), "count": np.array(3)}
        with tempfile.TemporaryDirectory() as folder:
            models = [parsed(text.replace("ACT", kind)) for kind in ("Tanh", "Sigmoid")]
            paths = [onnx_compile.compile(m, f"{folder}/{i}.so", taps="all") for i, m in enumerate(models)]
            first = onnx_compile.verify(artefact=paths[0], against=paths[1], inputs=feed).first_difference
            self.assertEqual((first.node, first.operator, first.iteration), ("grow", "Tanh", 1), str(first))

    def test_looks_into_a_body_with_another_engine(self):
        from onnx_compile import _peers, _verify

        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/model.onnx"
            onnx.save(parsed(self.LOOP), path)
            feed = {"x": np.array([-1, 0], np.float32), "count": np.array(3)}
            for engine in (_peers.OnnxRuntime, _peers.Reference):

                class Off(engine):
                    """Squares of the roots are too large from the second iteration on."""

                    def values(self, feed, names):
                        found = dict(super().values(feed, names))
                        if "loop/body/r" in found:
                            found["loop/body/r"] = [v + (i > 0) for i, v in enumerate(found["loop/body/r"])]
                        return {n: v + 1 if n == "y" else v for n, v in found.items()}

                peer = Off(path)
                own = {"y": np.zeros(2, np.float32)}
                check = _verify._Check(path, peer, feed, own, Tolerance(), {}, folder, None)
                first = check.locate("y")
                self.assertEqual((first.node, first.inside.node, first.inside.iteration), ("loop", "root", 1), str(first))
                self.assertIn("inside it the first node that differs is root (Sqrt), in iteration 1", str(first))

    def test_quanta(self):
        model = parsed("""m (float[16] x) => (uint8[16] q, float[4,4] y) <float s = {0.25}, uint8 z = {100}> {
            q = QuantizeLinear (x, s, z)  d = DequantizeLinear (q, s, z)  n = Constant <value_ints = [4, 4]> ()
            y = Reshape (d, n) }""")
        step = {"q": np.uint8(1), "y": np.float32(0.25)}
        near = reference(model, lambda name, value: value + step[name])
        self.assertTrue(onnx_compile.verify(model, near).passed)
        none = onnx_compile.verify(model, near, quanta=0, locate=False)
        self.assertEqual([c.differing for c in none.outputs], [16, 16])

    def test_quantized_layers(self):
        """Round and Clip instead of QuantizeLinear, as exporters write it, is a quantized tensor as well."""
        model = parsed("""m (float[64] x) => (float[64] y) <float s = {0.1}, uint8 z = {0}> {
            low = Constant <value_float = 0.0> ()  high = Constant <value_float = 255.0> ()  t = Constant <value_float = 0.1> ()
            a = Div (x, t)  b = Round (a)  c = Clip (b, low, high)  q = Cast <to = 2> (c)
            d = DequantizeLinear (q, s, z)  y = Exp (d) }""")
        one_step_off = {"q": lambda v: v + np.uint8(1), "d": lambda v: v + np.float32(0.1), "y": lambda v: v * np.float32(1.1)}
        same = lambda v: v  # noqa: E731
        found = onnx_compile.verify(model, reference(model, lambda n, v: one_step_off.get(n, same)(v)))
        self.assertEqual(found.first_difference.node, "y")
        self.assertEqual([(c.name, c.agrees) for c in found.first_difference.inputs], [("d", True)])

    def test_indices_of_equal_scores(self):
        model = parsed("""m (float[2,8] x) => (float[2,3] v, int64[2,3] i, int32[2] a) {
            k = Constant <value_ints = [3]> ()  v, i = TopK (x, k)
            b = ArgMax <axis = 1, keepdims = 0> (x)  a = Cast <to = 6> (b) }""")
        x = np.array([[1, 2, 2, 2, 2, 0, 0, 0], [0, 1, 2, 3, 4, 5, 6, 6]], np.float32)
        others = {"i": np.array([[4, 3, 2], [7, 6, 5]]), "a": np.array([4, 7], np.int32)}
        other = reference(model, lambda name, value: others.get(name, value))
        self.assertTrue(onnx_compile.verify(model, other, inputs={"x": x}).passed)
        others["i"] = np.array([[4, 3, 0], [7, 6, 5]])
        found = onnx_compile.verify(model, other, inputs={"x": x}, locate=False)
        self.assertEqual([(c.name, c.differing) for c in found.outputs], [("v", 0), ("i", 1), ("a", 0)])
        # The scores beside them are not indices.
        found = onnx_compile.verify(
            model, reference(model, lambda name, value: value + 1 if name == "v" else value), inputs={"x": x}, locate=False
        )
        self.assertEqual([(c.name, c.agrees) for c in found.outputs], [("v", False), ("i", True), ("a", True)])

    def test_containers(self):
        model = parsed("m (float[2,3] x) => (seq(float[3]) s) { s = SplitToSequence <keepdims = 0> (x) }")
        self.assertTrue(onnx_compile.verify(model).passed)
        found = onnx_compile.verify(model, reference(model, lambda name, value: [value[0], value[1] + 1]))
        self.assertEqual([(c.name, c.agrees) for c in found.outputs], [("s[0]", True), ("s[1]", False)])
        self.assertEqual(found.first_difference.operator, "SplitToSequence")

    def test_external_data(self):
        model = parsed("m (float[4] x) => (float[4] y) { y = Add (x, w) }")
        model.graph.initializer.append(numpy_helper.from_array(np.arange(4, dtype=np.float32), "w"))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "m.onnx")
            pathlib.Path(folder, "weights").mkdir()
            onnx.save(model, path, save_as_external_data=True, location="weights/w.bin", size_threshold=0)
            for against in ("onnxruntime", "reference"):
                self.assertTrue(onnx_compile.verify(path, against).passed)

    def test_artefacts(self):
        model = onnx.load(DIGITS)
        artefact = onnx_compile.compile(model)
        found = onnx_compile.verify(artefact=artefact, against=onnx_compile.compile(model, O=0))
        self.assertTrue(found.passed)
        with self.assertRaisesRegex(ValueError, "needs a model or an artefact"):
            onnx_compile.verify(against=artefact)
        with self.assertRaisesRegex(ValueError, "needs the model file"):
            onnx_compile.verify(artefact=artefact)

    def test_artefact_of_another_model(self):
        model, changed = onnx.load(DIGITS), onnx.load(DIGITS)
        weight = next(t for t in changed.graph.initializer if t.name == "conv2.weight")
        weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight) * np.float32(1.5), weight.name))
        # Compiled again, the model is right: no node differs.
        found = onnx_compile.verify(model, "reference", artefact=onnx_compile.compile(changed))
        self.assertIsNone(found.first_difference)
        self.assertRegex(str(found), "agrees: .* is of another model, or of another compiler$")
        # With taps nothing is compiled.
        right, wrong = (onnx_compile.compile(m, taps="all") for m in (model, changed))
        lines = []
        for against in ("reference", right):
            found = onnx_compile.verify(model, against, artefact=wrong, progress=lines.append)
            self.assertEqual((found.first_difference.node, found.first_difference.operator), ("conv2", "Conv"))
        self.assertEqual(lines, [])
        found = onnx_compile.verify(artefact=wrong, against=right)
        self.assertEqual([c.name for c in found.first_difference.outputs], ["conv2.out"])
        # Taps that the other lacks are left out.
        found = onnx_compile.verify(artefact=wrong, against=onnx_compile.compile(model, taps="fc2.out"))
        self.assertEqual([c.name for c in found.outputs], ["probabilities", "fc2.out"])
        self.assertEqual(found.first_difference.node, "fc2")
        found = onnx_compile.verify(artefact=wrong, against=onnx_compile.compile(model))
        self.assertEqual(found.remark, "with --taps=all, the first node that differs could be found")

    def test_inputs(self):
        model = parsed("""m (float[n] x, uint8[1000] u, int64[k] i, string[2] t) => (float[n] y, uint8[1000] v, int64[k] j, string[2] s) {
            y = Identity (x)  v = Identity (u)  j = Identity (i)  s = Identity (t) }""")
        seen = {}

        def keep(feed, names):
            seen.update(feed)
            return [feed[name] for name in ("x", "u", "i", "t")]

        self.assertTrue(onnx_compile.verify(model, keep, dims={"n": 500, "k": 100}, ranges={"i": (5, 7)}).passed)
        self.assertEqual(seen["x"].shape, (500,))
        self.assertTrue(-1 <= seen["x"].min() < -0.9 and 0.9 < seen["x"].max() <= 1)
        self.assertEqual((seen["u"].min(), seen["u"].max()), (0, 255))
        self.assertEqual(sorted(set(seen["i"])), [5, 6, 7])
        with self.assertRaisesRegex(ValueError, "no input is named 'z'; the model has: i, t, u, x"):
            onnx_compile.verify(model, keep, inputs={"z": 1})
        with self.assertRaisesRegex(ValueError, "no dimension of an input is named 'm'; the inputs have: k, n"):
            onnx_compile.verify(model, keep, dims={"m": 1})
        other = onnx_compile.compile(parsed("m (float[n] z) => (float[n] y) { y = Neg (z) }"))
        with self.assertRaisesRegex(ValueError, "has an input 'z', which is none of the model: it is of another model"):
            onnx_compile.verify(model, other)
        model.graph.input[0].type.tensor_type.ClearField("shape")
        with self.assertRaisesRegex(ValueError, "'x', tensor.float., cannot be generated at random"):
            onnx_compile.verify(model, keep)

    def test_notes(self):
        model = parsed("""m (float[n, 4] x, int64[2] lengths, uint8[2] u) => (float[n, 4] y, int64[2] same, uint8[0] none) {
            y = Relu (x)  zero = Constant <value = int64 {0}> ()  same = Mul (lengths, zero)
            starts = Constant <value = int64[1] {2}> ()  none = Slice (u, starts, starts) }""")
        found = onnx_compile.verify(model, "reference")
        self.assertTrue(found.passed)
        notes = [
            "input x: the sizes n are 1, as none is given (dims, shapes)",
            "input lengths: its elements are 0 or 1, as no range is given (ranges, inputs)",
            "output same: its 2 elements are all 0",
            "output none: it is empty",
        ]
        self.assertEqual(found.notes, notes)
        self.assertEqual(found.as_dict()["notes"], notes)
        self.assertEqual(str(found).split("\n")[4:], [f"note: {note}" for note in notes])
        found = onnx_compile.verify(model, "reference", dims={"n": 3}, ranges={"lengths": (0, 9)})
        self.assertEqual(found.notes, notes[2:])
        found = onnx_compile.verify(model, "reference", shapes={"x": (2, 4)}, inputs={"lengths": np.ones(2, np.int64)})
        self.assertEqual(found.notes, notes[2:])


if __name__ == "__main__":
    unittest.main()
