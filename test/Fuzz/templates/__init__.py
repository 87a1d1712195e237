# ===- templates/__init__.py - What random models are made of --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Templates of nodes: TEMPLATES is a list of functions of a Draw that return a Node or None."""

import templates.dimensions
import templates.elementwise
import templates.movement
import templates.patterns
import templates.products
from templates.node import NUMBERS, TEMPLATES, Node

__all__ = ["NUMBERS", "TEMPLATES", "Node"]
