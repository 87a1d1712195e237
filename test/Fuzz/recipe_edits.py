# ===- recipe_edits.py - Random recipes that are nearly legal --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Follows just enough of the loop nest to make sensible steps; whether one is
# legal is for the compiler to say, and a refused step is taken out.
# ===------------------------------------------------------------------------===//
"""Draws random recipes for a kernel, and knows which of them keep the order of reductions."""

import dataclasses

PAD = ", tail=pad"
SIZES = [1, 2, 3, 4, 5, 7, 8, 16, 32, 48, 64]


@dataclasses.dataclass
class Step:
    """One step of a recipe: its loops, those it makes, and the rest of its text."""

    kind: str
    loops: list
    made: list = dataclasses.field(default_factory=list)
    number: int = 0
    op: int = -1
    tail: str = ""
    distance: int = 0
    line: int = 0

    def __str__(self):
        names = ", ".join(self.loops)
        inside = {
            "block": f"{names}, {self.number}{self.tail}",
            "cache": f"{self.number}, at={names}{self.tail}",
            "dot": f"{names}{self.tail}",
            "grid": f"{self.number}",
            "map": f"{names}, {self.tail or 'thread'}",
            "pack": f"{self.number}, [{names}]",
            "prefetch": f"{self.number}, distance={self.distance}, line={self.line}",
            "register_tile": f"{names}, lanes={self.number}{self.tail}",
        }.get(self.kind, f"{names}, {self.number}{self.tail}" if self.number else names)
        made = {0: "", 1: " -> " + "".join(self.made)}.get(len(self.made), f" -> ({', '.join(self.made)})")
        return f"{f'{self.op}: ' if self.op >= 0 else ''}{self.kind}({inside}){made}"


class Nest:
    """The loops of each op, outermost first, each with the axes it stems from."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.stems = {name: {name} for name in kernel.axes}
        self.extents = dict(kernel.axes)
        self.order = list(kernel.axes)
        self.ops = [[a for a in kernel.axes if a in op.axes] for op in kernel.ops]
        self.unrolled = [{} for _ in kernel.ops]

    def reduced(self, loop, op=-1):
        ops = self.kernel.ops if op < 0 else [self.kernel.ops[op]]
        return any(self.stems[loop] & o.reduced for o in ops)

    def lists(self, op):
        return [self.order, *self.ops] if op < 0 else [self.ops[op]]

    def in_all_ops(self, loop):
        return all(loop in loops for loops in self.ops)

    def advance(self, step):
        """Carries the step out; returns whether every reduction keeps its order."""
        if step.kind in ("block", "split_reduction", "fuse"):
            return self.replace(step)
        if step.kind == "order":
            return self.reorder(step)
        if step.kind in ("prefetch", "grid"):
            return True
        numbers = range(len(self.ops)) if step.op < 0 else [step.op]
        reducing = [n for n in numbers if step.loops[0] in self.ops[n] and self.reduced(step.loops[0], n)]
        if step.kind == "unroll":
            for number in numbers:
                self.unrolled[number][step.loops[0]] = step.number
            return all(self.unrolls_in_order(n, step.loops[0]) for n in reducing)
        if step.kind in ("mma", "wgmma"):
            return self.kernel.multiplies_bytes
        return step.kind not in ("vectorize", "map") or not reducing

    def unrolls_in_order(self, op, loop):
        """The copies follow one another only if all loops of the reduction inside are unrolled."""
        inside = self.ops[op][self.ops[op].index(loop) + 1 :]
        return all(self.unrolled[op].get(l) == self.extents[l] for l in inside if self.reduced(l, op))

    def replace(self, step):
        old, made = step.loops, step.made
        sizes = [self.extents[l] for l in old]
        if step.kind == "fuse":
            self.extents[made[0]] = sizes[0] * sizes[1] if all(s is not None for s in sizes) else None
        else:
            blocks = None if sizes[0] is None else -(-sizes[0] // step.number)
            self.extents |= {made[0]: blocks, made[1]: step.number}
        for name in made:
            self.stems[name] = set().union(*(self.stems[l] for l in old))
        for loops in self.lists(step.op):
            if old[0] in loops:
                at = loops.index(old[0])
                loops[at : at + len(old)] = made
        # Zeros past the end turn a sum of -0 into 0.
        adds_zeros = step.tail == PAD and self.reduced(made[0], step.op) and not self.kernel.multiplies_bytes
        return step.kind != "split_reduction" and not adds_zeros

    def reorder(self, step):
        before = [[l for l in loops if self.reduced(l, n)] for n, loops in enumerate(self.ops)]
        wanted = step.loops
        if step.op < 0:
            permute(self.order, wanted)
            wanted = self.order
        for loops in self.ops if step.op < 0 else [self.ops[step.op]]:
            permute(loops, wanted)
        after = [[l for l in loops if self.reduced(l, n)] for n, loops in enumerate(self.ops)]
        return before == after


def permute(loops, wanted):
    """Lets the wanted loops take, in that order, the places they hold together."""
    wanted = [l for l in wanted if l in loops]
    places = [i for i, l in enumerate(loops) if l in wanted]
    for place, loop in zip(places, wanted):
        loops[place] = loop


def keeps_order(kernel, steps):
    nest = Nest(kernel)
    return all([nest.advance(step) for step in steps])


class Draw:
    """Writes one random recipe."""

    def __init__(self, kernel, rng):
        self.nest, self.kernel, self.rng, self.steps, self.fresh = Nest(kernel), kernel, rng, [], 0
        self.shared, self.part = [], None

    def add(self, kind, loops, made=(), **rest):
        step = Step(kind, [str(l) for l in loops], list(made), **rest)
        self.steps.append(step)
        self.nest.advance(step)
        return step

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def chance(self, probability):
        return self.rng.random() < probability

    def names(self, *prefixes):
        self.fresh += 1
        return [f"{prefix}{self.fresh}" for prefix in prefixes]

    def tail(self, largest):
        """The parts of what is left after steps of `largest`, most often ever smaller ones."""
        sizes = [n for n in (largest - 1, largest // 2, largest // 4) if n > 1 and self.chance(0.5)]
        return f", tail=[{', '.join(map(str, sizes))}]" if sizes and self.chance(0.5) else ""

    def some_op(self):
        """Most steps concern all ops."""
        return int(self.rng.integers(len(self.kernel.ops))) if self.chance(0.2) else -1

    def loops_of(self, op):
        return self.nest.order if op < 0 else self.nest.ops[op]

    def block(self, loop=None, size=None, op=-1, tail=None):
        loop = loop or self.pick(self.loops_of(op))
        tail = self.pick(["", "", ", tail=peel", ", tail=peel", PAD]) if tail is None else tail
        made = self.names("o", "i")
        self.add("block", [loop], made, number=int(size or self.pick(SIZES)), op=op, tail=tail)
        return made

    def split_reduction(self, op):
        loops = [l for l in self.loops_of(op) if self.nest.reduced(l, op)]
        if loops:
            number = int(self.pick([2, 4, 8, 32]))
            made = self.names("s", "v")
            self.add("split_reduction", [self.pick(loops)], made, number=number, op=op)
            return made
        return None

    def fuse(self, op):
        loops = self.loops_of(op)
        pairs = [p for p in zip(loops, loops[1:]) if self.nest.reduced(p[0], op) == self.nest.reduced(p[1], op)]
        if pairs:
            self.add("fuse", self.pick(pairs), self.names("f"), op=op)

    def reorder(self, op):
        """A random order, most often with the loops that can be shared outside."""
        loops = [str(l) for l in self.rng.permutation(self.loops_of(op))]
        if self.chance(0.3):
            loops = loops[: len(loops) // 2 + 1]
        if self.chance(0.8):
            loops.sort(key=lambda l: not self.nest.in_all_ops(l) or self.nest.reduced(l))
        # What is inside a block has to stay inside the loop over the blocks.
        for step in self.steps:
            if len(step.made) == 2 and set(step.made) <= set(loops):
                outer, inner = sorted(loops.index(l) for l in step.made)
                loops[outer], loops[inner] = step.made
        if loops:
            self.add("order", loops, op=op)

    def share(self):
        possible = []
        for loop in self.nest.order:
            if self.nest.reduced(loop) or not self.nest.in_all_ops(loop):
                break
            possible.append(loop)
        self.place(possible[: int(self.rng.integers(len(possible) + 1))])

    def place(self, shared):
        self.shared = shared
        if shared:
            self.add("fuse_outer", shared)
            count = int(self.rng.integers(len(shared) + 1))
            if count:
                self.add("parallel", shared[:count])
            if count < len(shared) and self.chance(0.4):
                self.add("map", [shared[count]])
        if self.part and self.chance(0.7):
            self.add("map", [self.part])

    def registers(self):
        """Vectors and copies for loops inside: of all ops, or for each op its own."""
        free = [l for l in self.nest.order if l not in self.shared]
        if len(free) >= 2 and self.chance(0.25):
            self.add("register_tile", free[-2:], number=int(self.pick([1, 2, 4, 8, 16, 32])), tail=self.tail(5))
            return
        for op in range(len(self.kernel.ops)) if self.chance(0.5) else [-1]:
            loops = [l for l in self.loops_of(op) if l not in self.shared or self.chance(0.2)]
            if loops and self.chance(0.6):
                self.add("vectorize", loops[-1:], number=int(self.pick([2, 4, 8, 16, 32])), op=op)
            for loop in loops[-3:]:
                if self.chance(0.3):
                    number = int(self.pick([2, 3, 4, 5, 9]))
                    self.add("unroll", [loop], number=number, op=op, tail=self.tail(number))

    def accesses(self):
        """How copies get into memory, and where loops may end: refused where no access has a use for it."""
        for loop in self.nest.order:
            for kind in ("transpose", "interleave", "early_exit", "skip_masked"):
                if self.chance(0.6):
                    self.add(kind, [loop])
            for distance in (2, 3, 4):
                if self.chance(0.4):
                    self.add("strided", [loop], number=distance)

    def arena(self):
        """Intermediates that are whole tensors; after all steps that say where loops are."""
        for op in range(len(self.kernel.ops)):
            if self.chance(0.3):
                self.add("arena", [str(op)])

    def storage(self):
        """Operands packed, or cached somewhere."""
        for number, axes in self.kernel.operands.items():
            loops = [l for l in self.nest.order if self.nest.stems[l] & axes]
            if loops and self.chance(0.3):
                chosen = [l for l in self.rng.permutation(loops) if self.chance(0.7)]
                self.add("pack", chosen or loops, number=number)
                self.prefetch(number)
            if self.chance(0.3):
                tail = ", in=shared" if self.chance(0.3) else ""
                self.add("cache", [self.pick(self.loops_of(self.some_op()))], number=number, tail=tail)

    def prefetch(self, operand):
        if self.chance(0.7):
            distance, line = int(self.pick([1, 2, 3])), int(self.pick([16, 32, 64]))
            self.add("prefetch", [], number=operand, distance=distance, line=line)

    def panels(self, panel, steps, column, group=(), share=0.6):
        """An operand of columns as it is read: panel by panel."""
        for number, axes in self.kernel.operands.items():
            loops = [l for l in [panel, *steps, column, *group] if self.nest.stems[l] & axes]
            if column in loops and self.chance(share):
                self.add("pack", loops, number=number)
                self.prefetch(number)

    def added_blocks(self):
        """What some ops have and the last one reduces: blocks that are added up."""
        reduced = [a for a in self.kernel.axes if self.nest.reduced(a)]
        return [a for a in reduced if not all(a in o.reduced for o in self.kernel.ops if a in o.axes)][:1]

    def contraction(self):
        """The shape of recipe that contractions get, with random sizes; false where the kernel is none."""
        reduced = [a for a in self.kernel.axes if self.nest.reduced(a)]
        kept = [a for a in self.kernel.axes if a not in reduced and self.nest.in_all_ops(a)]
        if not reduced or len(kept) < 2:
            return False
        together = self.added_blocks() if self.chance(0.8) else []
        reduced = [a for a in reduced if a not in together] or reduced
        if self.chance(0.3):
            at = int(self.rng.integers(len(reduced)))
            reduced[at : at + 1] = self.block(reduced[at])
        rows, columns = kept.pop(int(self.rng.integers(len(kept)))), kept.pop(int(self.rng.integers(len(kept))))
        group = []
        if self.kernel.multiplies_bytes and self.chance(0.8):
            at = int(self.rng.integers(len(reduced)))
            reduced[at], *group = self.block(reduced[at], 4)
        reduced = [*(a for a in together if a not in reduced), *reduced]
        row_blocks, row = self.block(rows, self.pick([1, 2, 3, 4, 8]))
        column_blocks, column = self.block(columns, self.pick([8, 16, 24, 32, 48]))
        outer = [*kept, row_blocks, column_blocks]
        self.rng.shuffle(outer)
        self.add("order", [*outer, *reduced, *group, row, column])
        self.place([str(l) for l in outer])
        if together:
            self.add("compute_at", together)
        lanes, rows = int(self.pick([1, 4, 8, 16, 32])), self.nest.extents[row]
        self.add("register_tile", [row, column], number=lanes, tail=self.tail(rows))
        if group:
            packed = self.chance(0.5)
            if packed:
                self.panels(column_blocks, reduced, column, group, 1)
            self.add("dot", group, tail=", sums=i16" if packed and self.chance(0.7) else "")
        if self.chance(0.4):
            number = int(self.pick([2, 3, 4, 9]))
            self.add("unroll", reduced[-1:], number=number, tail=self.tail(number))
        if self.chance(0.4):
            self.panels(column_blocks, reduced, column)
        return True

    def hoisted(self):
        """Loops of one op around all, the others outside of those that they lack or reduce; false where there is one op."""
        if len(self.kernel.ops) < 2:
            return False
        inside = max(range(len(self.kernel.ops)), key=lambda n: len(self.kernel.ops[n].axes) + self.rng.random())
        common = [a for a in self.kernel.axes if self.nest.in_all_ops(a) and not self.nest.reduced(a)]
        own = [a for a in self.nest.ops[inside] if a not in common]
        for loops in (common, own):
            self.rng.shuffle(loops)
        moved = int(self.rng.integers(len(common) + 1))
        outer, inner = [str(l) for l in common[:moved]], [str(l) for l in [*common[moved:], *own]]
        self.rng.shuffle(inner)
        if self.chance(0.5):
            at = int(self.rng.integers(len(inner) or 1))
            inner[at : at + 1] = self.block(inner[at]) if inner else []
        blocks = inner[: int(self.rng.integers(1, 4))]
        rest = [l for l in self.nest.order if l not in outer and l not in blocks]
        self.add("order", [*outer, *blocks, *rest])
        for op, loops in enumerate(self.nest.ops):
            bad = [l for l in blocks if l not in loops or self.nest.reduced(l)]
            last = blocks.index(bad[0]) if bad else len(blocks)
            at = min(last, int(self.rng.integers(len(blocks) + 2)))
            if op != inside and at < len(blocks):
                self.add("hoist", [blocks[at]], op=op)
        self.place([*outer, *blocks])
        self.registers()
        return True

    def windows(self):
        """Lanes along results whose windows are apart, and copies of the positions between them; false without such windows."""
        common = [a for a in self.kernel.axes if self.nest.in_all_ops(a) and not self.nest.reduced(a)]
        found = [w for w in self.kernel.windows if w[0] in common and self.nest.reduced(w[1])]
        if not found:
            return False
        moving, window, step = found[int(self.rng.integers(len(found)))]
        outer = [a for a in common if a != moving]
        own = [a for a in self.kernel.axes if a not in (*common, window)]
        self.add("order", [*outer, *own, window, moving])
        self.place(outer[: int(self.rng.integers(len(outer) + 1))])
        self.add("unroll", [window], number=step + int(self.rng.integers(3)))
        self.add("vectorize", [moving], number=int(self.pick([4, 8, 16])))
        return True

    def threads(self):
        """The shape of recipe that kernels of a GPU get, with random sizes; false where no loop is common to all ops."""
        common = [l for l in self.nest.order if self.nest.in_all_ops(l) and not self.nest.reduced(l)]
        if not common:
            return False
        self.rng.shuffle(common)
        own = [l for l in self.nest.order if l not in common]
        outer, inner = [str(l) for l in common], []
        for at in range(max(0, len(outer) - 2), len(outer)):
            if self.chance(0.6):
                outer[at], inside = self.block(outer[at], self.pick([2, 4, 8]))
                inner.append(inside)
        self.add("order", [*outer, *own, *inner])
        while len(outer) > 1 and self.chance(0.8):
            made = self.names("f")
            self.add("fuse", outer[:2], made)
            outer[:2] = made
        blocks, thread = self.block(outer.pop(), self.pick([1, 7, 32, 64, 100, 256, 1024]))
        self.place_threads([*outer, blocks], thread)
        self.registers()
        return True

    def place_threads(self, blocks, *threads, cluster=False):
        self.shared = [*blocks, *threads]
        self.add("fuse_outer", self.shared)
        self.add("parallel", blocks)
        if self.chance(0.3):
            self.add("grid", [], number=int(self.pick([1, 2, 4, 6, 132])))
        if cluster:
            self.add("map", blocks[-1:], tail="cluster")
        for thread in threads:
            self.add("map", [thread])

    def divisor(self, extent, largest):
        """Most often one that leaves nothing."""
        largest = min(largest, extent or largest)
        divisors = [n for n in range(1, largest + 1) if extent is None or extent % n == 0]
        return self.pick(divisors if self.chance(0.9) else range(1, largest + 1))

    def shared_tiles(self):
        """The shape of recipe that contractions of a GPU get, with random sizes; false where the kernel is none."""
        reduced = [a for a in self.kernel.axes if self.nest.reduced(a)]
        kept = [a for a in self.kernel.axes if a not in reduced and self.nest.in_all_ops(a)]
        if not reduced or len(kept) < 2:
            return False
        blocks, threads, registers = [], [], []
        for loop in (kept.pop(int(self.rng.integers(len(kept)))), kept.pop()):
            pads = self.chance(0.5)
            size = int(self.pick([4, 8, 16, 24, 32]) if pads else self.divisor(self.nest.extents[loop], 32))
            block, tile = self.block(loop, size, tail=PAD if pads else None)
            thread, inside = self.block(tile, int(self.divisor(size, 8)))
            blocks.append(block)
            threads.append(thread)
            registers.append(inside)
        *outside, last = reduced
        parts, share = [], self.pick(registers) if self.chance(0.4) else None
        number, extent, step = self.nest.extents.get(share), self.nest.extents[last], int(self.pick([3, 4, 8, 16]))
        terms = -(-extent // (number * step)) * step if number in (2, 4, 8) and extent else 0
        if terms and -(-extent // terms) == number:
            # Blocks of a cluster have a part of the sum each, and the results of an iteration.
            *parts, last = self.block(last, terms, tail=PAD if extent % terms else "")
        steps = [*outside, *self.block(last, step, tail="" if parts else None)]
        self.add("order", [*kept, *blocks, *threads, *registers, *parts, *steps])
        self.place_threads([*kept, *blocks], *threads)
        for loop in registers:
            sums = [n for n in range(len(self.kernel.ops)) if self.nest.reduced(last, n)]
            self.add("unroll", [loop], number=self.nest.extents[loop], op=sums[0] if parts and loop == share else -1)
        if parts:
            self.add("map", parts, tail="cluster")
            self.add("map", [share], tail=f"cluster, as={parts[0]}")
        self.cache_shared(steps)
        self.copy_ahead(steps)
        return True

    def cache_shared(self, loops, share=0.8, way=""):
        """Operands copied to shared memory at some of the loops."""
        for number in self.kernel.operands:
            if self.chance(share):
                self.add("cache", [self.pick(loops)], number=number, tail=f", in=shared{way}")

    def copy_ahead(self, loops, ways=("",), share=0.6):
        """Often some iterations ahead."""
        for loop in dict.fromkeys(loops):
            if self.chance(share):
                self.add("pipeline", [loop], number=int(self.pick([2, 3, 4])), tail=self.pick(ways))

    def matrices(self):
        """Products of matrices of a warp or a warpgroup, with random numbers of fragments; false where no loops are their multiples."""
        reduced = [a for a in self.kernel.axes if self.nest.reduced(a)]
        kept = [a for a in self.kernel.axes if a not in reduced and self.nest.in_all_ops(a)]
        depth = 32 if self.kernel.multiplies_bytes else int(self.pick([8, 16, 16]))
        if len(kept) < 2 or len(reduced) != 1:
            return False
        of_group = self.chance(0.4)
        blocks, threads, registers = [], [], []
        for loop, size, inside in ((kept[-2], 16, 8), (kept[-1], 8, 2)):
            extent = self.nest.extents[loop]
            fragments = int(self.divisor(extent and -(-extent // size), 2))
            warps = int(self.divisor(extent and -(-extent // (size * fragments)), 2))
            if of_group and size == 16:
                fragments, warps = 1, 4
            pads = extent is None or extent % (size * fragments * warps)
            block, tile = self.block(loop, size * fragments * warps, tail=PAD if pads else None)
            warp, tile = self.block(tile, size * fragments)
            fragment, tile = self.block(tile, size)
            blocks.append(block)
            threads.append(warp)
            registers.append((fragment, *self.block(tile, inside)))
        (row_fragment, row_copy, row_thread), (column_fragment, column_thread, column_copy) = registers
        row_warp, column_warp = threads
        threads = [*([column_warp, row_warp] if of_group else [row_warp, column_warp]), row_thread, column_thread]
        inner = [row_fragment, row_copy, column_fragment, column_copy]
        size, extent = depth * int(self.pick([1, 2])), self.nest.extents[reduced[0]]
        stages, stage = self.block(reduced[0], size, tail=PAD if extent is None or extent % size else None)
        step, products = self.block(stage, depth)
        # Boxes are of known sizes and aligned rows; clusters and producers copy nothing else.
        way = self.pick(["", "", ", by=tma"]) if of_group else ""
        even = [loop for loop in blocks if self.nest.extents[loop] and self.nest.extents[loop] % 2 == 0]
        cluster = bool(way and even) and self.chance(0.5)
        if cluster:
            halved = self.pick(even)
            blocks.remove(halved)
            blocks += self.block(halved, 2, tail="")
        self.add("order", [*kept[:-2], *blocks, *threads, *inner, stages, step, products])
        self.place_threads([*kept[:-2], *blocks], *threads, cluster=cluster)
        for loop in inner[:3]:
            if self.nest.extents[loop] > 1:
                self.add("unroll", [loop], number=self.nest.extents[loop])
        # No vector reaches across the end of a padded loop.
        columns = self.nest.extents[kept[-1]]
        is_even = columns is not None and columns % 2 == 0
        self.add("vectorize" if is_even and self.chance(0.7) else "unroll", [column_copy], number=2)
        if of_group:
            # The instruction reads slices, of the loop that its products are steps of.
            if size > depth and self.chance(0.7):
                self.add("unroll", [step], number=size // depth)
            self.cache_shared([stages], share=1, way=way)
            self.add("wgmma", [row_warp, row_copy, row_thread, column_fragment, column_thread, column_copy, products])
            self.copy_ahead([stages], ["", ", in_flight=1", *([", producer", ", in_flight=1, producer"] if way else [])], share=0.8)
            return True
        self.add("mma", [row_copy, row_thread, column_thread, column_copy, products])
        self.cache_shared([stages, stages, step])
        self.copy_ahead([stages, step])
        return True

    def walk(self):
        for _ in range(int(self.rng.integers(5))):
            draw, op = self.rng.random(), self.some_op()
            if draw < 0.6:
                self.block(op=op)
            elif draw < 0.8:
                self.fuse(op)
            else:
                self.split_reduction(op)
        if self.chance(0.4):
            # Threads have a part of the innermost loop, also of one that is summed up.
            self.part = self.block(self.nest.order[-1], self.pick([32, 32, 64, 1024]))[1]
        if self.chance(0.7):
            self.reorder(self.some_op())
        if self.chance(0.2):
            self.fuse(-1)
        if self.chance(0.8):
            self.share()
        free = [l for l in self.nest.order if l not in self.shared and not self.nest.in_all_ops(l)]
        if free and self.chance(0.2):
            self.add("compute_at", [self.pick(free)])
        self.registers()


def random_recipe(kernel, rng, device=False):
    """Steps, most of them legal; half of those for a device have threads."""
    draw = Draw(kernel, rng)
    if draw.chance(0.8) and draw.matrices():
        pass
    elif draw.chance(0.25 if device else 0.1) and draw.shared_tiles():
        pass
    elif device and draw.chance(0.5) and draw.threads():
        pass
    elif kernel.windows and draw.chance(0.5) and draw.windows():
        pass
    elif draw.chance(0.95 if draw.added_blocks() else 0.8 if kernel.multiplies_bytes else 0.3) and draw.contraction():
        pass
    elif not draw.chance(0.2) or not draw.hoisted():
        draw.walk()
    draw.accesses()
    draw.storage()
    draw.arena()
    return draw.steps


def without(steps, number):
    """The recipe without the step of that number, nor any that needs the loops it makes."""
    gone, kept = set(), []
    for place, step in enumerate(steps):
        if place == number or gone & set(step.loops) and step.kind not in ("order", "fuse_outer", "parallel", "pack"):
            gone |= set(step.made)
            continue
        loops = [l for l in step.loops if l not in gone]
        if loops or not step.loops:
            kept.append(dataclasses.replace(step, loops=loops))
    return kept
