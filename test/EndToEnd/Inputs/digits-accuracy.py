# ===- digits-accuracy.py - How well the compiled digits network reads -----===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# digits-accuracy.py DIGITS.SO: runs the images that training never saw, in one
# batch and one by one, and prints the share recognised.
# ===------------------------------------------------------------------------===//
"""Accuracy of the compiled digits network on held-back images."""

import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "test"), str(ROOT / "examples" / "digits")]

from train import load_split

from Harness import artefact

session = artefact.load_session(sys.argv[1])
_, _, images, labels = load_split()
(together,) = session.run([images])
single = np.concatenate([session.run([image[None]])[0] for image in images])
assert together.shape == (len(images), 10), together.shape
assert np.allclose(together.sum(1), 1, atol=1e-5), "probabilities sum to one"
assert np.allclose(together, single, rtol=1e-4, atol=1e-6), "the batch size changes the result"
accuracy = (together.argmax(1) == labels).mean()
assert accuracy >= 0.97, f"accuracy {accuracy:.2%}"
print(f"{len(images)} held-back images, accuracy {accuracy:.2%}")
