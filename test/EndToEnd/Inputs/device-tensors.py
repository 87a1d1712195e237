# ===- device-tensors.py - Tensors of a simulated device in Python ------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs a model on tensors that lie on the simulated device: device-tensors.py MODEL HOST_MODEL OTHER OTHER_HOST EITHER.

MODEL and HOST_MODEL are the same model for the device and for the processor, and so are those of another one. EITHER is
MODEL for both.
"""

import contextlib
import ctypes
import gc
import sys
import unittest

import numpy as np
import onnx_compile

MODEL, HOST, OTHER, OTHER_HOST, EITHER = sys.argv[1:6]
del sys.argv[1:]
CUDA, CPU = 2, 1
LEGACY = 1
CAPABILITY = 990  # ONNXC_SIMULATOR_CAPABILITY


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Settings(ctypes.Structure):
    _fields_ = [
        ("failAt", ctypes.c_int64),
        ("failWith", ctypes.c_int),
        ("seed", ctypes.c_uint64),
        ("devices", ctypes.c_int),
        ("capability", ctypes.c_int),
        ("others", ctypes.c_int),
    ]


class Driver:
    """The caller's own use of the device."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self("cuCtxPushCurrent_v2", self.context)

    def __call__(self, name, *arguments):
        error = getattr(self.library, name)(*arguments)
        assert error == 0, f"{name}: {error}"

    def copies(self):
        """How often the driver has copied to the device and from it."""
        self.library.simulatorCounters.restype = ctypes.POINTER(ctypes.c_int64 * 9)
        counters = self.library.simulatorCounters().contents
        return np.array([counters[2], counters[4], counters[6]])

    def calls(self):
        """How many calls the driver has had."""
        self.library.simulatorCounters.restype = ctypes.POINTER(ctypes.c_int64)
        return self.library.simulatorCounters()[0]

    @contextlib.contextmanager
    def devices(self, *capabilities):
        """Two devices of these compute capabilities."""
        self.library.simulatorSettings.restype = ctypes.POINTER(Settings)
        settings = self.library.simulatorSettings().contents
        before = settings.devices, settings.capability, settings.others
        settings.devices, settings.capability, settings.others = 2, *capabilities
        try:
            yield
        finally:
            settings.devices, settings.capability, settings.others = before

    def read(self, address, shape, dtype):
        array = np.empty(shape, dtype)
        self("cuMemcpyDtoHAsync_v2", ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(address), ctypes.c_size_t(array.nbytes), None)
        self("cuStreamSynchronize", None)
        return array


DRIVER = Driver()


class DeviceArray:
    """An array on the device, as another library has it."""

    alive = 0

    def __init__(self, array, device=0):
        self.array = np.ascontiguousarray(array)
        self.address = ctypes.c_uint64()
        self.streams = []
        self.device = device
        self.taken = []
        DRIVER("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(max(self.array.nbytes, 1)))
        data = ctypes.c_void_p(self.array.ctypes.data)
        DRIVER("cuMemcpyHtoDAsync_v2", self.address, data, ctypes.c_size_t(self.array.nbytes), None)
        DRIVER("cuStreamSynchronize", None)

    def __dlpack_device__(self):
        return (CUDA, self.device)

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        shape = (ctypes.c_int64 * self.array.ndim)(*self.array.shape)
        deleter = DELETER(lambda _: setattr(DeviceArray, "alive", DeviceArray.alive - 1))
        tensor = Tensor(self.address.value, CUDA, self.device, self.array.ndim, 2, 32, 1, shape, None, 0)
        managed = Managed(tensor, None, deleter)
        self.taken.append((managed, shape, deleter))
        DeviceArray.alive += 1
        return new_capsule(ctypes.addressof(managed), b"dltensor", None)

    def numpy(self):
        return DRIVER.read(self.address.value, self.array.shape, self.array.dtype)


def numpy_of(output):
    """A tensor with __dlpack__ on the device, copied."""
    capsule = output.__dlpack__()
    managed = Managed.from_address(pointer_of(capsule, b"dltensor"))
    shape = managed.tensor.shape[: managed.tensor.rank]
    return DRIVER.read(managed.tensor.data + managed.tensor.offset, shape, output.dtype)


class DeviceTensors(unittest.TestCase):
    def setUp(self):
        self.session = onnx_compile.ExecutionSession(MODEL)
        host = onnx_compile.ExecutionSession(HOST)
        name = self.session.input_names[0]
        shape = self.session.inputs[0].shape
        self.x = np.random.default_rng(1).standard_normal(shape, np.float32)
        (self.expected,) = host.run({name: self.x})

    def check(self, y):
        np.testing.assert_allclose(y, self.expected, rtol=1e-4, atol=1e-5)

    def test_nothing_goes_through_the_host(self):
        x = DeviceArray(self.x)
        self.session.run(x)
        before = DRIVER.copies()
        for _ in range(3):
            (y,) = self.session.run(x)
            self.assertEqual(y.__dlpack_device__(), (CUDA, 0))
            self.assertEqual((y.shape, y.dtype), (self.expected.shape, self.expected.dtype))
        self.assertEqual((DRIVER.copies() - before).tolist(), [0, 0, 0])
        self.check(numpy_of(y))
        self.assertEqual(x.streams, [LEGACY] * 4)
        self.assertEqual(DeviceArray.alive, 0)

    def test_outputs_go_in_again_and_outlive_the_session(self):
        x = DeviceArray(self.x)
        (y,) = self.session.run([x])
        (again,) = self.session.run({self.session.input_names[0]: x})
        del self.session
        gc.collect()
        self.check(numpy_of(y))
        self.check(numpy_of(again))
        (twice,) = onnx_compile.ExecutionSession(MODEL).run(y)
        np.testing.assert_allclose(numpy_of(twice), onnx_compile.ExecutionSession(HOST)(self.expected), rtol=1e-4)

    def test_out(self):
        x, y = DeviceArray(self.x), DeviceArray(np.zeros_like(self.expected))
        for given in (x, self.x):
            (result,) = self.session.run(given, out=y)
            self.assertIs(result, y)
            self.check(y.numpy())
        host = np.zeros_like(self.expected)
        self.session.run(x, out=host)
        self.check(host)

    def test_streams(self):
        stream = ctypes.c_void_p()
        DRIVER("cuStreamCreate", ctypes.byref(stream), 1)
        x = DeviceArray(self.x)
        self.check(numpy_of(self.session.run(x, stream=stream.value)[0]))
        self.assertEqual(x.streams, [stream.value])
        with self.assertRaisesRegex(ValueError, "the handle of a CUDA stream"):
            self.session.run(x, stream=0)
        DRIVER("cuStreamDestroy_v2", stream)

    def test_the_stream_is_that_of_one_run(self):
        stream = ctypes.c_void_p()
        DRIVER("cuStreamCreate", ctypes.byref(stream), 1)
        self.session.run(DeviceArray(self.x), stream=stream.value)
        DRIVER("cuStreamDestroy_v2", stream)
        self.check(self.session.run(self.x)[0])

    def test_the_device_of_host_arrays(self):
        self.assertEqual(self.session.device, 0)
        self.session.device = 1
        self.assertEqual(self.session.device, 1)
        with self.assertRaisesRegex(RuntimeError, "there is no GPU 1"):
            self.session.run(self.x)
        # A tensor names its own.
        self.check(numpy_of(self.session.run(DeviceArray(self.x))[0]))
        self.session.device = 0
        self.check(self.session.run(self.x)[0])
        with self.assertRaisesRegex(ValueError, "device is the number of a GPU"):
            self.session.device = -1
        for number in (None, "x"):
            with self.assertRaisesRegex(TypeError, f"device is the number of a GPU, 0 that of a new session, but got {number!r}"):
                self.session.device = number
        host = onnx_compile.ExecutionSession(HOST)
        self.assertIsNone(host.device)
        with self.assertRaisesRegex(ValueError, "the model runs on the processor"):
            host.device = 0

    def test_reading_the_device_does_nothing(self):
        with DRIVER.devices(CAPABILITY, CAPABILITY):
            x = DeviceArray(self.x, device=1)
            self.check(numpy_of(self.session.run(x)[0]))
            before = DRIVER.calls()
            self.assertEqual(self.session.device, 0)
            self.assertEqual(DRIVER.calls(), before)
            del self.session
            gc.collect()

    def test_back_to_the_processor(self):
        with DRIVER.devices(75, CAPABILITY):
            session = onnx_compile.ExecutionSession(EITHER)
            self.assertIsNone(session.device)
            self.check(session.run(self.x)[0])
            for _ in range(2):
                session.device = 1
                self.assertEqual(session.device, 1)
                self.check(session.run(self.x)[0])
                session.device = 0
                self.assertIsNone(session.device)
                self.check(session.run(self.x)[0])
            # A tensor names its own, for its run alone.
            for _ in range(2):
                self.check(numpy_of(session.run(DeviceArray(self.x, device=1))[0]))
                self.check(session.run(self.x)[0])
            # There is no such GPU, and the session stays where it is.
            session.device = 1
            with self.assertRaisesRegex(ValueError, "no GPU 2 that takes code"):
                session.device = 2
            self.assertEqual(session.device, 1)
            before = DRIVER.calls()
            self.check(session.run(self.x)[0])
            self.assertGreater(DRIVER.calls(), before)
            del session
            gc.collect()

    def test_back_from_the_processor(self):
        with DRIVER.devices(CAPABILITY, 75):
            session = onnx_compile.ExecutionSession(EITHER)
            session.device = 0
            for _ in range(2):
                with self.assertRaisesRegex(ValueError, "the tensor is on a GPU, and the model runs on the processor"):
                    session.run(DeviceArray(self.x, device=1))
                with self.assertRaisesRegex(ValueError, "no GPU 1 that takes code"):
                    session.device = 1
                self.assertEqual(session.device, 0)
                before = DRIVER.calls()
                self.check(session.run(self.x)[0])
                self.assertGreater(DRIVER.calls(), before)
            del session
            gc.collect()

    def test_verify_and_bench_on_a_device(self):
        self.assertTrue(onnx_compile.verify(artefact=MODEL, against=HOST, gpu=0).passed)
        with self.assertRaisesRegex(RuntimeError, "there is no GPU 1"):
            onnx_compile.verify(artefact=MODEL, against=HOST, gpu=1)
        with self.assertRaisesRegex(RuntimeError, "there is no GPU 1"):
            onnx_compile.bench(artefact=MODEL, against=HOST, gpu=1, rounds=1, seconds=0.01)

    def test_two_models_in_one_process(self):
        other = onnx_compile.ExecutionSession(OTHER)
        x = np.random.default_rng(2).standard_normal(other.inputs[0].shape, np.float32)
        expected = onnx_compile.ExecutionSession(OTHER_HOST).run(x)[0]
        for _ in range(2):
            self.check(self.session.run(self.x)[0])
            np.testing.assert_allclose(other.run(x)[0], expected, rtol=1e-4, atol=1e-5)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "the tensor is on a GPU, and the model runs on the processor"):
            onnx_compile.ExecutionSession(HOST).run(DeviceArray(self.x))
        with self.assertRaisesRegex(RuntimeError, "there is no GPU 5"):
            self.session.run(DeviceArray(self.x, device=5))
        with self.assertRaisesRegex(ValueError, "has another shape|needs .* bytes"):
            self.session.run(DeviceArray(self.x), out=DeviceArray(np.zeros((2, 2), np.float32)))
        self.assertEqual(DeviceArray.alive, 0)

    def test_host_arrays_give_host_arrays(self):
        (y,) = self.session.run(self.x)
        self.assertIsInstance(y, np.ndarray)
        self.check(y)


unittest.main(argv=sys.argv[:1])
