# ===- recipe_edits.py - Random recipes that are legal more often than not --===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Follows just enough of the loop nest to make sensible steps; whether a recipe
# is legal is for the compiler to say.
# ===------------------------------------------------------------------------===//
"""Draws random recipes for a kernel."""

import dataclasses


@dataclasses.dataclass
class Op:
    """A structured op of a kernel body: the axes it runs over and those it reduces."""

    axes: tuple
    reduced: frozenset


@dataclasses.dataclass
class Kernel:
    """What a recipe can be about: named axes with their extents (None: unknown) and the ops over them."""

    name: str
    axes: dict
    ops: list


class Nest:
    """The live loops, outermost first, each with the axes it stems from."""

    def __init__(self, kernel, rng):
        self.kernel, self.rng, self.steps = kernel, rng, []
        self.stems = {name: {name} for name in kernel.axes}
        self.extents = dict(kernel.axes)
        self.order = list(kernel.axes)
        self.shared, self.fresh, self.preserves = [], 0, True

    def reduced(self, loop):
        return any(self.stems[loop] & op.reduced for op in self.kernel.ops)

    def in_all_ops(self, loop):
        return all(self.stems[loop] <= set(op.axes) for op in self.kernel.ops)

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def split(self, step, loop, size):
        outer, inner = self.name("o"), self.name("i")
        self.steps.append(f"{step}({loop}, {size}) -> ({outer}, {inner})")
        extent = self.extents[loop]
        self.extents |= {outer: extent and -(-extent // size), inner: size}
        self.stems |= {outer: self.stems[loop], inner: self.stems[loop]}
        at = self.order.index(loop)
        self.order[at : at + 1] = [outer, inner]

    def block(self):
        loop = self.rng.choice(self.order)
        self.split("block", loop, int(self.rng.choice([2, 3, 4, 5, 8, 16, 32, 48])))

    def split_reduction(self):
        loops = [l for l in self.order if self.reduced(l)]
        if loops:
            self.preserves = False
            self.split("split_reduction", self.rng.choice(loops), int(self.rng.choice([2, 4])))

    def fuse(self):
        if len(self.order) < 2:
            return
        at = int(self.rng.integers(len(self.order) - 1))
        outer, inner = self.order[at : at + 2]
        if self.reduced(outer) != self.reduced(inner):
            return
        name = self.name("f")
        self.steps.append(f"fuse({outer}, {inner}) -> {name}")
        sizes = (self.extents[outer], self.extents[inner])
        self.extents[name] = sizes[0] * sizes[1] if all(sizes) else None
        self.stems[name] = self.stems[outer] | self.stems[inner]
        self.order[at : at + 2] = [name]

    def reorder(self):
        """A random order, most often with the loops that can be shared outside."""
        loops = list(self.rng.permutation(self.order))
        if self.rng.random() < 0.8:
            loops.sort(key=lambda l: not self.in_all_ops(l) or self.reduced(l))
        before = [l for l in self.order if self.reduced(l)]
        self.preserves &= before == [l for l in loops if self.reduced(l)]
        self.order = [str(l) for l in loops]
        self.steps.append(f"order({', '.join(self.order)})")

    def share(self):
        possible = []
        for loop in self.order:
            if self.reduced(loop) or not self.in_all_ops(loop):
                break
            possible.append(loop)
        count = int(self.rng.integers(len(possible) + 1))
        if count == 0:
            return
        self.shared = possible[:count]
        self.steps.append(f"share({', '.join(self.shared)})")
        count = int(self.rng.integers(count + 1))
        if count:
            self.steps.append(f"parallel({', '.join(self.shared[:count])})")

    def finish(self):
        """Something for the innermost loops, or nothing."""
        free = self.order[len(self.shared) :]
        choice = self.rng.random()
        if free and choice < 0.45:
            loop = free[-1]
            self.preserves &= not self.reduced(loop)
            self.steps.append(f"vectorize({loop}, {self.rng.choice([4, 8, 16])})")
        elif free and choice < 0.65:
            self.steps.append(f"unroll({free[-1]}, {self.rng.choice([2, 3, 4])})")
        elif len(free) >= 2 and choice < 0.9:
            self.steps.append(f"register_tile({free[-2]}, {free[-1]})")


def register_tiled(kernel, rng):
    """The shape of recipe that contractions get, with random sizes; None where the kernel is no contraction."""
    reduced = [a for a in kernel.axes if any(a in op.reduced for op in kernel.ops)]
    kept = [a for a in kernel.axes if a not in reduced]
    if len(reduced) != 1 or len(kept) < 2:
        return None
    nest = Nest(kernel, rng)
    m, n = kept[-2:]
    nest.split("block", n, int(rng.choice([16, 32, 48])))
    nest.split("block", m, int(rng.choice([2, 3, 4, 8])))
    no, nr, mo, mr = "o1", "i2", "o3", "i4"
    outer = [*kept[:-2], *((no, mo) if rng.random() < 0.5 else (mo, no))]
    nest.steps.append(f"order({', '.join([*outer, *reduced, mr, nr])})")
    nest.steps.append(f"share({', '.join(outer)})")
    if rng.random() < 0.7:
        nest.steps.append(f"parallel({', '.join(outer[: int(rng.integers(1, len(outer) + 1))])})")
    nest.steps.append(f"register_tile({mr}, {nr})")
    return nest.steps, True


def random_recipe(kernel, rng):
    """Returns (steps, whether they keep the order of every reduction)."""
    if rng.random() < 0.25:
        tiled = register_tiled(kernel, rng)
        if tiled:
            return tiled
    nest = Nest(kernel, rng)
    for _ in range(int(rng.integers(4))):
        draw = rng.random()
        (nest.block if draw < 0.65 else nest.fuse if draw < 0.8 else nest.split_reduction)()
    if rng.random() < 0.6:
        nest.reorder()
    if rng.random() < 0.8:
        nest.share()
    nest.finish()
    return nest.steps, nest.preserves
