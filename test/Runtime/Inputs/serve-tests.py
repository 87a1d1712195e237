# ===- serve-tests.py - Compiled models in MLServer ---------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""serve-tests.py DIGITS OTHER.onnx: requests of KServe v2 to a server on localhost."""

import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import onnx_compile

DIGITS = pathlib.Path(sys.argv.pop(1))
OTHER = pathlib.Path(sys.argv.pop(1))
IMAGES = np.stack([np.load(path).reshape(1, 8, 8) for path in sorted((DIGITS / "images").glob("*.npy"))])
INFER = "/v2/models/digits/infer"
# What takes longer hangs.
SECONDS = 300


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def request_of(images, **changes):
    tensor = {"name": "image", "datatype": "FP32", "shape": list(images.shape), "data": images.ravel().tolist()}
    return {"inputs": [{**tensor, **changes}]}


class Client:
    """Keeps its connection, which is opened by the first request."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def __call__(self, method, path, body=None):
        """(status, text of the answer)"""
        headers = {"Content-Type": "application/json"}
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read().decode()


class Served(unittest.TestCase):
    """One server for all tests."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.fresh = cls.folder / "fresh.so"
        onnx_compile.compile(OTHER, cls.fresh)
        cls.models = cls.folder / "models"
        model = cls.models / "digits"
        model.mkdir(parents=True)
        onnx_compile.compile(DIGITS / "digits.onnx", model / "digits.so")
        cls.settings = {"name": "digits", "implementation": "onnx_compile.mlserver.CompiledModel",
                        "parameters": {"uri": "./digits.so"}, "max_batch_size": 16, "max_batch_time": 0.1}  # fmt: skip
        (model / "model-settings.json").write_text(json.dumps(cls.settings))
        cls.expected = [onnx_compile.ExecutionSession(path)(IMAGES) for path in (model / "digits.so", cls.fresh)]
        cls.start()

    @classmethod
    def start(cls):
        cls.port, cls.metrics, grpc = free_ports(3)
        settings = {"host": "127.0.0.1", "http_port": cls.port, "grpc_port": grpc, "metrics_port": cls.metrics,
                    "parallel_workers": 0, "debug": False}  # fmt: skip
        (cls.models / "settings.json").write_text(json.dumps(settings))
        log = (cls.folder / "log").open("w")
        cls.addClassCleanup(log.close)
        command = [pathlib.Path(sys.executable).with_name("mlserver"), "start", str(cls.models)]
        cls.server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=cls.folder)
        cls.addClassCleanup(cls.stop)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and cls.server.poll() is None:
            try:
                with Client(cls.port) as client:
                    if client("GET", "/v2/models/digits/ready")[0] == 200:
                        return
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError((cls.folder / "log").read_text())

    @classmethod
    def stop(cls):
        cls.server.terminate()
        cls.server.wait(SECONDS)

    def ask(self, body, client=None):
        if client:
            return client("POST", INFER, body)
        with Client(self.port) as client:
            return client("POST", INFER, body)

    def get(self, path, port=None):
        with Client(port or self.port) as client:
            return client("GET", path)

    def probabilities(self, text):
        (output,) = json.loads(text)["outputs"]
        self.assertEqual(output["name"], "probabilities")
        return np.array(output["data"], np.float32).reshape(output["shape"])

    def is_close(self, text, expected):
        return np.allclose(self.probabilities(text), expected, rtol=1e-5, atol=1e-7)

    def test_health_and_metadata(self):
        self.assertEqual(self.get("/v2/health/live")[0], 200)
        self.assertEqual(self.get("/v2/health/ready")[0], 200)
        facts = json.loads(self.get("/v2/models/digits")[1])
        (given,), (made,) = facts["inputs"], facts["outputs"]
        self.assertEqual([given[key] for key in ("name", "datatype", "shape")], ["image", "FP32", [-1, 1, 8, 8]])
        self.assertEqual([made[key] for key in ("name", "datatype", "shape")], ["probabilities", "FP32", [-1, 10]])

    def test_results(self):
        status, text = self.ask(request_of(IMAGES))
        self.assertEqual(status, 200, text)
        np.testing.assert_allclose(self.probabilities(text), self.expected[0], rtol=1e-5, atol=1e-7)

    def test_wrong_requests(self):
        for changes, message in (
            ({"name": "photo"}, "the model has no input 'photo'"),
            ({"datatype": "INT64"}, "input 'image' is FP32 of shape .*but the request has INT64"),
            ({"shape": [len(IMAGES), 1, 64]}, "but the request has FP32 of shape .*1, 64"),
            ({"shape": [3, 1, 8, 8]}, "input 'image': cannot reshape"),
        ):
            with self.subTest(message):
                status, text = self.ask(request_of(IMAGES, **changes))
                self.assertEqual(status, 400, text)
                self.assertRegex(json.loads(text)["error"], message)
        status, text = self.ask({"inputs": []})
        self.assertEqual(status, 400, text)

    def test_wrong_models(self):
        """The answer says why, and the model that was loaded goes on."""
        model = self.models / "digits" / "digits.so"
        whole, settings = model.read_bytes(), model.with_name("model-settings.json")

        def load(content, changes, status, message):
            source = self.folder / "other.so"
            source.write_bytes(content)
            os.replace(source, model)
            settings.write_text(json.dumps(self.settings | changes))
            with Client(self.port) as client:
                found, text = client("POST", "/v2/repository/models/digits/load")
            self.assertEqual(found, status, text)
            self.assertIn(message, text)
            self.assertEqual(self.ask(request_of(IMAGES))[0], 200)

        for content, changes, message in (
            (b"text", {}, "digits.so: error: it is not an ONNX model, or the file is truncated or damaged"),
            (whole[:5000], {}, "digits.so is truncated: copy it again"),
            (whole, {"parameters": {"uri": "./digits.so", "extra": {"threads": 2}}}, "unexpected keyword argument 'threads'"),
            (whole, {"parameters": {"uri": "./none.so"}}, "Invalid URI specified for model digits"),
        ):
            with self.subTest(message):
                load(content, changes, 422, message)
        load(whole, {}, 200, "")

    def test_requests_at_once_are_one_run(self):
        """Those of a model that was loaded again, too."""
        self.ask_at_once()
        with Client(self.port) as client:
            self.assertEqual(client("POST", "/v2/repository/models/digits/load")[0], 200)
        self.ask_at_once()

    def counts(self):
        """Requests that were answered, runs, and rows of them."""
        text = self.get("/metrics", self.metrics)[1]
        metrics = {line.split("{")[0]: float(line.split()[-1]) for line in text.splitlines() if line[0] != "#"}
        return np.array([metrics.get(name, 0) for name in ("model_infer_request_success_total", "rows_per_run_count", "rows_per_run_sum")])

    def ask_at_once(self):
        """A wrong request among them fails alone."""
        answers, before = {}, self.counts()

        def work(i):
            body = request_of(IMAGES[i % 10 : i % 10 + 1]) if i else request_of(IMAGES[:1], shape=[1, 64, 1])
            for _ in range(10):
                answers.setdefault(i, []).append(self.ask(body))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, all_of_it in answers.items():
            for status, text in all_of_it:
                self.assertEqual(status, 200 if i else 400, text)
                if i:
                    expected = self.expected[0][i % 10 : i % 10 + 1]
                    np.testing.assert_allclose(self.probabilities(text), expected, rtol=1e-5, atol=1e-7)
        requests, runs, rows = self.counts() - before
        self.assertEqual((requests, rows), (110, 110))
        self.assertLess(runs, requests)

    def test_update_under_load(self):
        """The artefact is replaced while requests go on: each is answered by the old or the new one."""
        seen, wrong, enough = [], [], threading.Event()

        def work():
            with Client(self.port) as client:
                while not enough.is_set() and not wrong:
                    try:
                        status, text = self.ask(request_of(IMAGES), client)
                    except Exception as error:
                        wrong.append(repr(error))
                        break
                    fits = [self.is_close(text, known) for known in self.expected] if status == 200 else []
                    if sum(fits) != 1:
                        wrong.append(text)
                    else:
                        seen.append(fits.index(True))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            for update in range(6):
                before = len(seen)
                while len(seen) < before + 20 and not wrong:
                    time.sleep(0.01)
                source = self.folder / f"update-{update}.so"
                if update % 2:
                    onnx_compile.compile(DIGITS / "digits.onnx", source)
                else:
                    shutil.copyfile(self.fresh, source)
                os.replace(source, self.models / "digits" / "digits.so")
                with Client(self.port) as client:
                    self.assertEqual(client("POST", "/v2/repository/models/digits/load")[0], 200)
                status, text = self.ask(request_of(IMAGES))
                self.assertTrue(self.is_close(text, self.expected[(update + 1) % 2]))
        finally:
            enough.set()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(set(seen), {0, 1})
        print(f"{len(seen)} requests during 6 updates, none failed")


if __name__ == "__main__":
    unittest.main()
