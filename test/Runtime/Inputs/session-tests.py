# ===- session-tests.py - ExecutionSession, on the model written by hand -----===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
import gc
import json
import os
import pathlib
import pickle
import shutil
import sys
import tempfile
import threading
import unittest

import numpy as np
from onnx import TensorProto, helper

from onnx_compile import ExecutionSession, ValueInfo, to_dlpack

MODEL = sys.argv.pop(1)
WEIGHTS = np.array([1, 2, 3, 4], dtype=np.float32)


def affine(x, b):
    return (x + b[:, None]) * WEIGHTS


def some_inputs(n=2):
    x = np.arange(n * 4, dtype=np.float32).reshape(n, 4)
    return x, np.ones(n, dtype=np.float32)


class Forms(unittest.TestCase):
    def setUp(self):
        self.session = ExecutionSession(MODEL)
        self.x, self.b = some_inputs()

    def check(self, outputs):
        y, s = outputs
        np.testing.assert_array_equal(y, affine(self.x, self.b))
        self.assertEqual(y.dtype, np.float32)
        self.assertEqual(s.shape, ())
        self.assertEqual(s, y.sum())

    def test_list_and_tuple(self):
        self.check(self.session.run([self.x, self.b]))
        self.check(self.session.run((self.x, self.b)))

    def test_dict(self):
        self.check(self.session.run({"b": self.b, "x": self.x}))

    def test_python_lists_take_the_models_type(self):
        self.check(self.session.run([self.x.tolist(), [1, 1]]))

    def test_numbers_that_do_not_fit_an_integer(self):
        pool = ExecutionSession(MODEL, entry="pool")
        self.assertEqual(pool.run(-0.0)[0], 0)
        for number in (2**70, 1.5, float("nan"), "7"):
            with self.assertRaisesRegex((ValueError, TypeError), "input 'x'"):
                pool.run(number)

    def test_one_bare_array(self):
        pool = ExecutionSession(MODEL, entry="pool")
        self.assertEqual(pool.run(np.array(3))[0], 3)
        self.assertEqual(pool.run(np.int64(4))[0], 4)
        self.assertEqual(pool.run(5)[0], 5)
        self.assertEqual(pool.run([6])[0], 6)

    def test_any_memory_order(self):
        identity = ExecutionSession(MODEL, entry="identity_FLOAT")
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        for view in (x.T, x[:, ::2], x[::-1], np.asfortranarray(x), x.byteswap().view(x.dtype.newbyteorder())):
            np.testing.assert_array_equal(identity.run(view)[0], view)
        buffer = np.zeros(17, dtype=np.uint8)[1:].view(np.float32)
        np.testing.assert_array_equal(identity.run(buffer)[0], buffer)

    def test_memory_of_large_outputs_is_used_again(self):
        x, b = some_inputs(20000)
        first = self.session.run([x, b])[0]
        address = first.ctypes.data
        np.testing.assert_array_equal(first, affine(x, b))
        second = self.session.run([x, b])[0]
        self.assertNotEqual(second.ctypes.data, address)
        np.testing.assert_array_equal(first, second)
        del first
        self.assertEqual(self.session.run([x, b])[0].ctypes.data, address)
        self.session = None
        np.testing.assert_array_equal(second, affine(x, b))

    def test_dlpack(self):
        class Capsule:
            def __dlpack__(self, **named):
                return x.__dlpack__(**named)

            def __dlpack_device__(self):
                return x.__dlpack_device__()

        x = self.x
        identity = ExecutionSession(MODEL, entry="identity_FLOAT")
        np.testing.assert_array_equal(identity.run(Capsule())[0], x)
        y = identity.run(x)[0]
        np.testing.assert_array_equal(np.from_dlpack(y), x)

    def test_no_dlpack_of_elements_without_a_size(self):
        with self.assertRaisesRegex(BufferError, "DLPack has no type"):
            to_dlpack(np.empty(3, "V0")).__dlpack__()

    def test_dlpack_with_types_that_numpy_lacks(self):
        class Legacy:
            """A library that knows no versions of DLPack, and whose tensors are part of a differentiation."""

            def detach(self):
                return Exported()

            def __dlpack__(self):
                raise BufferError("needs a gradient")

            def __dlpack_device__(self):
                return (1, 0)

        class Exported(Legacy):
            detach = None

            def __dlpack__(self):
                return to_dlpack(x).__dlpack__()

        for name in ("BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E5M2", "FLOAT8E8M0", "BOOL", "COMPLEX64"):
            identity = ExecutionSession(MODEL, entry=f"identity_{name}")
            x = np.array([[1, 2], [4, 0.5]]).astype(helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(name))).T
            for tensor in (to_dlpack(x), Legacy()):
                (y,) = identity.run(tensor)
                self.assertEqual((y.dtype, y.tolist()), (x.dtype, x.tolist()))
            y.flags.writeable = False
            self.assertEqual(identity.run(to_dlpack(y))[0].tolist(), x.tolist())
        self.assertEqual(np.from_dlpack(to_dlpack(self.x)).tolist(), self.x.tolist())
        with self.assertRaisesRegex(BufferError, "DLPack has no type int4"):
            to_dlpack(np.zeros(2, "int4")).__dlpack__()
        uneven = np.zeros(3, np.dtype([("a", np.uint8), ("b", np.float32)]))["b"]
        with self.assertRaisesRegex(BufferError, "between those of DLPack's strides"):
            to_dlpack(uneven).__dlpack__()

    def test_out(self):
        y, s = np.empty((2, 4), np.float32), np.empty((), np.float32)
        for out in ([y, s], (y, s), {"s": s, "y": y}):
            y[:] = s[...] = 0
            outputs = self.session.run([self.x, self.b], out=out)
            self.assertIs(outputs[0], y)
            self.assertIs(outputs[1], s)
            self.check(outputs)
        outputs = self.session.run([self.x, self.b], out={"y": y})
        self.assertIs(outputs[0], y)
        self.check(outputs)
        self.check(self.session.run([self.x, self.b], out=[None, s]))
        tensor = to_dlpack(np.zeros((2, 4), np.float32))
        self.assertIs(self.session.run([self.x, self.b], out=[tensor, None])[0], tensor)
        np.testing.assert_array_equal(tensor.array, y)

    def test_call(self):
        self.check(self.session(self.x, self.b))
        self.check(self.session(b=self.b, x=self.x))
        np.testing.assert_array_equal(ExecutionSession(MODEL, entry="identity_FLOAT")(self.x), self.x)
        with self.assertRaisesRegex(TypeError, "in the order of the model or by name"):
            self.session(self.x, b=self.b)

    def test_empty(self):
        y, s = self.session.run([np.zeros((0, 4), np.float32), np.zeros(0, np.float32)])
        self.assertEqual(y.shape, (0, 4))
        self.assertEqual(s, 0)

    def test_large_outputs_own_their_memory(self):
        identity = ExecutionSession(MODEL, entry="identity_FLOAT")
        arrays = [identity.run(np.full((200, 200), i, np.float32))[0] for i in range(5)]
        del identity
        gc.collect()
        for i, array in enumerate(arrays):
            self.assertTrue((array == i).all())


class Types(unittest.TestCase):
    def test_every_type(self):
        for name, number in TensorProto.DataType.items():
            if name in ("UNDEFINED", "STRING"):
                continue
            values = [-2, 1, -1, 0] if name in ("INT4", "INT2") else [[0, 1], [2, 3]]
            x = np.array(values).astype(helper.tensor_dtype_to_np_dtype(number))
            y = ExecutionSession(MODEL, entry=f"identity_{name}").run(x)[0]
            self.assertEqual(y.dtype, x.dtype, name)
            self.assertEqual(y.shape, x.shape, name)
            if name in ("INT4", "INT2"):  # upper bits of a byte may differ
                self.assertEqual(y.tolist(), x.tolist(), name)
            else:
                self.assertEqual(y.tobytes(), x.tobytes(), name)

    def test_strings(self):
        session = ExecutionSession(MODEL, entry="identity_STRING")
        for x in (np.array([["a", "gr\u00fc\u00df"], ["", "\u20ac"]]), np.array(["z"], dtype=object)):
            y = session.run(x)[0]
            self.assertEqual(y.dtype, object)
            self.assertEqual(y.tolist(), x.tolist())
        self.assertEqual(session.run([["p", "q"]])[0].tolist(), ["p", "q"])
        self.assertEqual(session.run(np.array([b"bytes"]))[0].tolist(), ["bytes"])
        # What comes out can go in, also where it is no UTF-8.
        (odd,) = session.run(np.array([b"\xff"], object))
        self.assertEqual(session.run(odd)[0].tolist(), odd.tolist())

    def test_values_go_in_and_out(self):
        for entry, value in [
            ("same_rows", [np.float32([1, 2]), np.float32([])]),
            ("same_rows", []),
            ("same_some", None),
            ("same_some", [np.float32([3])]),
            ("same_words", {"a": np.float32(1), "bc": np.float32(2)}),
            ("same_map", {10: np.float32([1, 2]), -3: np.float32([])}),
            ("same_texts", [np.array(["x", "ü"], object)]),
        ]:
            (out,) = ExecutionSession(MODEL, entry=entry).run([value])
            np.testing.assert_equal(out, value)

    def test_numbers_take_the_type_of_the_model(self):
        (rows,) = ExecutionSession(MODEL, entry="same_rows").run([([1, 2], [3])])
        self.assertEqual([row.dtype for row in rows], [np.float32, np.float32])
        self.assertEqual(ExecutionSession(MODEL, entry="length").run([[[1.0]] * 5])[0], 5)

    def test_sequence(self):
        x, _ = some_inputs(3)
        (rows,) = ExecutionSession(MODEL, entry="sequence").run(x)
        self.assertIsInstance(rows, list)
        np.testing.assert_array_equal(np.stack(rows), x)


class Errors(unittest.TestCase):
    def setUp(self):
        self.session = ExecutionSession(MODEL)

    def refused(self, error, text, inputs):
        with self.assertRaisesRegex(error, text):
            self.session.run(inputs)

    def test_inputs(self):
        x, b = some_inputs()
        self.refused(ValueError, r"takes 2 inputs and was given 1: its inputs are \['x', 'b'\]", [x])
        self.refused(ValueError, "takes 2 inputs and was given 1", x)
        self.refused(ValueError, r"the model has no input 'c'; its inputs are \['x', 'b'\]", {"x": x, "b": b, "c": b})
        self.refused(ValueError, r"input 'b' is missing; given are \['x', 'B'\]", {"x": x, "B": b})
        self.refused(ValueError, r"takes f32\[batch, 4\] and was given f64\[2, 4\]", [x.astype(float), b])
        self.refused(ValueError, "wrong shape", [x[:, :3], b])
        self.refused(ValueError, "'batch' is 2 elsewhere", [x, b[:1]])
        self.refused(TypeError, "no model takes dtype", [x.astype("M8[s]"), b])
        # The session is as good as before.
        self.session.run([x, b])

    def test_statuses(self):
        fails = ExecutionSession(MODEL, entry="fails")
        for code, error in ((1, ValueError), (2, ValueError), (3, MemoryError), (5, TimeoutError), (7, RuntimeError)):
            with self.assertRaisesRegex(error, "index 7 is out of range"):
                fails.run(code)

    def test_deadline(self):
        slow = ExecutionSession(MODEL, entry="slow")
        with self.assertRaisesRegex(TimeoutError, "the deadline of 1 ms has passed"):
            slow.run(2**63 - 1, deadline=0.001)
        # It is that of one run.
        self.assertEqual(slow.run(100)[0], 100)
        self.assertEqual(slow.run(inputs=100, deadline=np.float32(1e30))[0], 100)
        self.assertEqual(slow.run(100, deadline=None)[0], 100)
        for wrong in (0, -1, float("nan")):
            with self.assertRaisesRegex(ValueError, "deadline is a number of seconds above 0; None: no limit"):
                slow.run(100, deadline=wrong)
        with self.assertRaisesRegex(TypeError, "must be real number, not str"):
            slow.run(100, deadline="1")

    def test_out(self):
        x, b = some_inputs()
        y = np.zeros((2, 4), np.float32)
        for error, text, out in (
            (ValueError, "gives 2 outputs and out has 1", y),
            (ValueError, "gives 2 outputs and out has 3", [y, None, None]),
            (ValueError, r"out has 'z', but the model has no such output; its outputs are \['y', 's'\]$", {"z": y}),
            (ValueError, "out of 'y' must have the byte order of this machine, but is dtype\\('>f4'\\)", [y.astype(">f4"), None]),
            (TypeError, "out of 'y' must be of float32, but is of float64", [y.astype(float), None]),
            (TypeError, "out of 'y' must be an array, but is 'y'", ["y", None]),
            (ValueError, "out of 'y' must be contiguous", [np.zeros((4, 2), np.float32).T, None]),
            (ValueError, r"output 'y' has shape \[2, 4\]", [np.zeros((3, 4), np.float32), None]),
            (ValueError, "output", [y[:1], None]),
            (ValueError, "output 'y' would overwrite input 'x'", [x, None]),
            (ValueError, "output 's' would overwrite output 'y'", [y, y[1, 1:2].reshape(())]),
        ):
            with self.assertRaisesRegex(error, text):
                self.session.run([x, b], out=out)
        read_only = np.zeros((2, 4), np.float32)
        read_only.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "writable"):
            self.session.run([x, b], out=[to_dlpack(read_only), None])
        with self.assertRaisesRegex(TypeError, "must be None, as it is not a tensor of numbers"):
            ExecutionSession(MODEL, entry="identity_STRING").run(["a"], out=np.array(["b"], object))
        np.testing.assert_array_equal(self.session.run([x, b])[0], affine(x, b))

    def test_arguments(self):
        for arguments, named, text in (
            ((), {}, "needs the inputs"),
            ((1, 2), {}, "takes one argument, the inputs, but 2 were given"),
            ((1,), {"inputs": 1}, "no other argument 'inputs'"),
            ((1,), {"timeout": 1}, "no other argument 'timeout'"),
        ):
            with self.assertRaisesRegex(TypeError, text):
                ExecutionSession(MODEL, entry="pool").run(*arguments, **named)

    def test_no_path(self):
        with self.assertRaisesRegex(TypeError, r"takes the path of a compiled model, such as .*, and not bytes"):
            ExecutionSession(b"model.so")

    def test_files(self):
        with self.assertRaises(FileNotFoundError):
            ExecutionSession("absent.so")
        with self.assertRaisesRegex(ImportError, f"^{__file__} is not a compiled model; .*compile it first: onnx-compile {__file__}$"):
            ExecutionSession(__file__)
        other = os.path.join(os.path.dirname(MODEL), "../../lib/onnxc/libm.so.6")
        with tempfile.NamedTemporaryFile(suffix=".so") as part:
            part.write(pathlib.Path(MODEL).read_bytes()[:4096])
            part.flush()
            with self.assertRaisesRegex(ImportError, f"^{part.name} is truncated: copy it again"):
                ExecutionSession(part.name)
        with self.assertRaisesRegex(ImportError, "libm.so.6 is not a compiled model: it does not define"):
            ExecutionSession(other)
        with self.assertRaisesRegex(ValueError, "no entry point 'other'; it has: run_main_graph, pool"):
            ExecutionSession(MODEL, entry="other")

    def test_strings(self):
        session = ExecutionSession(MODEL, entry="identity_STRING")
        with self.assertRaisesRegex(TypeError, "input 'x': a string tensor holds only str, not None"):
            session.run(np.array(["a", None], dtype=object))
        with self.assertRaisesRegex(ValueError, "input 'x': a string has a NUL character"):
            session.run(["a\0b"])
        with self.assertRaisesRegex(ValueError, "input 'x': 'utf-8' codec can't encode character"):
            session.run(["\ud800"])

    def test_numbers_that_do_not_fit(self):
        for name, numbers in (("INT64", [4.5]), ("INT8", [1, 2.5]), ("INT4", [100]), ("UINT2", [5]), ("BOOL", [1, 2])):
            with self.assertRaisesRegex(ValueError, "input 'x': .* does not fit"):
                ExecutionSession(MODEL, entry=f"identity_{name}").run([numbers])
        for name, numbers in (("INT64", [4.0, -5.0]), ("INT4", [-8, 7]), ("BOOL", [0, 1]), ("FLOAT16", [0.1])):
            (same,) = ExecutionSession(MODEL, entry=f"identity_{name}").run([numbers])
            np.testing.assert_allclose(same.astype(float), numbers, 1e-3)
        with self.assertRaisesRegex(ValueError, "input 'x': could not convert string to float: 'abc'"):
            ExecutionSession(MODEL, entry="identity_FLOAT").run("abc")
        with self.assertRaisesRegex(ValueError, "input 'x': setting an array element with a sequence"):
            ExecutionSession(MODEL, entry="identity_FLOAT").run([[[1.0], [1.0, 2.0]]])
        with self.assertRaisesRegex(TypeError, "input 'x': expected an array of float32, not None"):
            ExecutionSession(MODEL, entry="identity_FLOAT").run([None])

    def test_values(self):
        rows = ExecutionSession(MODEL, entry="same_rows")
        with self.assertRaisesRegex(TypeError, "input 'rows': a sequence is a list, not float"):
            rows.run([1.0])
        with self.assertRaisesRegex(ValueError, "expected elements of type f32, but got f64"):
            rows.run([[np.zeros(2)]])
        with self.assertRaisesRegex(TypeError, "input 'rows': no model takes dtype"):
            rows.run([[np.zeros(2, "M8[s]")]])
        words = ExecutionSession(MODEL, entry="same_words")
        with self.assertRaisesRegex(TypeError, "input 'words': a map is a dict, not list"):
            words.run([[]])
        with self.assertRaisesRegex(TypeError, "holds only str"):
            words.run([{1: 1.0}])
        with self.assertRaisesRegex(ValueError, "a value of a map has 2 elements"):
            words.run([{"a": [1.0, 2.0]}])


class Facts(unittest.TestCase):
    def test_signatures(self):
        session = ExecutionSession(MODEL)
        self.assertEqual([i["name"] for i in json.loads(session.input_signature())], ["x", "b"])
        self.assertEqual(json.loads(session.output_signature())[0]["dims"], [-1, 4])
        self.assertEqual(session.input_names, ["x", "b"])
        self.assertEqual(session.output_names, ["y", "s"])
        self.assertEqual(json.loads(session.compilation_info())["compiler"], "by hand")
        self.assertEqual(session.entry_points()[:2], ["run_main_graph", "pool"])
        self.assertIn("fake.so", repr(session))

    def test_values(self):
        session = ExecutionSession(MODEL)
        x = session.inputs[0]
        self.assertEqual(x, ValueInfo("x", "tensor(float)", ("batch", 4), np.dtype(np.float32)))
        self.assertEqual(session.outputs[1], ValueInfo("s", "tensor(float)", (), np.dtype(np.float32)))
        for entry, text in (("same_rows", "seq(tensor(float))"), ("same_some", "optional(seq(tensor(float)))"),
                            ("same_words", "map(string,tensor(float))")):  # fmt: skip
            (value,) = ExecutionSession(MODEL, entry=entry).inputs
            self.assertEqual((value.type, value.shape, value.dtype), (text, None, None))
        for name, number in TensorProto.DataType.items():
            if name != "UNDEFINED":
                (value,) = ExecutionSession(MODEL, entry=f"identity_{name}").inputs
                self.assertEqual(value.type, f"tensor({name.lower()})" if name != "DOUBLE" else "tensor(double)")
                self.assertEqual(value.dtype, helper.tensor_dtype_to_np_dtype(number))

    def test_notebook(self):
        text = ExecutionSession(MODEL)._repr_html_()
        self.assertIn("<td>x</td><td>tensor(float)</td><td>[batch, 4]</td>", text)
        self.assertIn("<td>compiler</td><td>by hand</td>", text)

    def test_threads(self):
        session = ExecutionSession(MODEL)
        session.threads = 1
        self.assertEqual(session.threads, 1)
        session.threads = 0
        self.assertLessEqual(session.threads, len(os.sched_getaffinity(0)))
        with self.assertRaises(ValueError):
            session.threads = -1

    def test_other_name(self):
        import PyRuntime

        self.assertIs(PyRuntime.ExecutionSession, ExecutionSession)
        self.assertIs(PyRuntime.OMExecutionSession, ExecutionSession)


class Life(unittest.TestCase):
    def test_pickle_needs_a_hash(self):
        with self.assertRaisesRegex(ValueError, "has no hash of its contents"):
            pickle.dumps(ExecutionSession(MODEL))

    def test_threads_share_a_session(self):
        session = ExecutionSession(MODEL)
        wrong = []

        def work(n):
            x, b = some_inputs(n)
            for _ in range(200):
                if not (session.run([x, b])[0] == affine(x, b)).all():
                    wrong.append(n)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_other_threads_run_meanwhile(self):
        slow = ExecutionSession(MODEL, entry="slow")
        errors = []

        def run():
            try:
                slow.run(2**63 - 1, tag=slow, deadline=300)
            except Exception as error:
                errors.append(str(error))

        thread = threading.Thread(target=run)
        thread.start()
        # A run that held the lock would end by its deadline before this thread goes on.
        while thread.is_alive():
            slow._cancel(slow)  # a run that has not begun does not see it
            thread.join(0.01)
        self.assertEqual(errors, ["the run was cancelled"])

    def test_no_leaks(self):
        import resource

        session = ExecutionSession(MODEL)
        strings = ExecutionSession(MODEL, entry="identity_STRING")
        x, b = some_inputs(5000)
        text = np.array(["some text"] * 1000)

        def round_trips(n):
            for _ in range(n):
                session.run([x, b])
                strings.run(text)
                with self.assertRaises(ValueError):
                    session.run([x, b[:1]])

        round_trips(50)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        round_trips(500)  # 500 x (80 KiB + 1000 strings)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 8192)

    def test_many_sessions(self):
        for _ in range(50):
            ExecutionSession(MODEL).run(list(some_inputs()))


if __name__ == "__main__":
    unittest.main()
