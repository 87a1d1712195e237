# ===- cluster-tests.py - Sessions in jobs of Dask and Ray --------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""cluster-tests.py DIGITS: scores images in one process, and in two of a local cluster of each."""

import os
import pathlib
import sys
import tempfile
import time
import unittest

import numpy as np

BLOCK = 5_000


def many_images(digits):
    images = [np.load(path).reshape(1, 8, 8) for path in sorted((digits / "images").glob("*.npy"))]
    return np.tile(np.stack(images), (5_000, 1, 1, 1))


def where_it_runs(session):
    return session.path


class Clusters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # Of the processes of the clusters too.
        os.environ["ONNX_COMPILE_CACHE"] = str(cls.folder / "cache")
        os.environ["OM_NUM_THREADS"] = "1"
        import onnx_compile

        cls.onnx_compile = onnx_compile
        cls.images = many_images(DIGITS)
        path = onnx_compile.compile(DIGITS / "digits.onnx", cls.folder / "digits.so")
        cls.artefact = pathlib.Path(path).read_bytes()
        cls.session = onnx_compile.ExecutionSession(path)
        blocks = range(0, len(cls.images), BLOCK)
        began = time.perf_counter()
        cls.expected = np.concatenate([cls.session(cls.images[i : i + BLOCK]) for i in blocks])
        cls.report("one process", time.perf_counter() - began)
        # Other machines do not have the path.
        os.unlink(path)

    @classmethod
    def report(cls, name, seconds):
        print(f"{name}: {len(cls.images) / seconds:.0f} images/s", flush=True)

    def check_cache(self, paths):
        (kept,) = (self.folder / "cache").glob("*/model.so")
        self.assertEqual(set(paths), {str(kept)})

    def test_dask(self):
        import dask.array
        from distributed import Client, LocalCluster

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                          local_directory=str(self.folder)) as cluster, Client(cluster) as client:  # fmt: skip
            paths = client.run(self.onnx_compile.add_to_cache, self.artefact)
            self.assertEqual(len(paths), 2)
            self.check_cache(client.run(where_it_runs, self.session).values())
            images = dask.array.from_array(self.images, chunks=(BLOCK, 1, 8, 8))
            result = images.map_blocks(self.session, dtype=np.float32, drop_axis=(2, 3), chunks=(BLOCK, 10))
            began = time.perf_counter()
            got = result.compute()
            self.report("Dask, 2 processes", time.perf_counter() - began)
        np.testing.assert_array_equal(got, self.expected)

    def test_ray(self):
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _temp_dir=str(self.folder / "ray"))
        try:
            ray.get(ray.remote(self.onnx_compile.add_to_cache).remote(self.artefact))
            self.check_cache([ray.get(ray.remote(where_it_runs).remote(self.session))])

            @ray.remote
            class Scorer:
                def __init__(self, session):
                    self.session = session

                def score(self, images):
                    return self.session(images)

            workers = ray.util.ActorPool([Scorer.remote(self.session) for _ in range(2)])
            blocks = [self.images[i : i + BLOCK] for i in range(0, len(self.images), BLOCK)]
            began = time.perf_counter()
            got = np.concatenate(list(workers.map(lambda worker, images: worker.score.remote(images), blocks)))
            self.report("Ray, 2 processes", time.perf_counter() - began)
        finally:
            ray.shutdown()
        np.testing.assert_array_equal(got, self.expected)


# Workers of Dask import this file, with other arguments.
if __name__ == "__main__":
    DIGITS = pathlib.Path(sys.argv.pop(1))
    unittest.main()
