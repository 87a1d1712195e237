//===- MemorySteps.td - Steps that say where operands and results are *- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_MEMORYSTEPS_TD
#define ONNXC_DIALECT_KRNL_IR_MEMORYSTEPS_TD

include "onnxc/Dialect/Krnl/IR/RecipeStepBase.td"

def Krnl_CacheStep
    : Krnl_Step<"Cache", "cache", "cache",
                "getOperand(), getAt(), getCopy()"> {
  let summary = "Copy the slice of an operand to scratch memory";
  let description = [{
    `cache(0, at=m.o)`: at the beginning of each iteration of `m.o` every op that
    reads operand 0 inside copies the elements that it will read there, in the
    order of its loops inside. The slices have known sizes and are at most 64 KiB.

    `cache(0, at=m.o, as=i16)`: bytes that an op sums up products of are extended to
    16 bits when they are copied. The sums come last in such a slice, so that a
    `dot` of pairs reads both bytes of a pair at once.

    `cache(0, at=k.o, in=shared)`: the threads of a tile copy one slice for all of
    them to memory that they share, and wait for each other before and after. The
    slice has the iterations of all mapped loops, and of loops around `k.o` that
    are unrolled whole. The sums come first in it, then the loops of each axis.
    No loop may end at a different place in different threads, and the slices of
    a kernel fit the shared memory of the target.

    Operands after those of the kernel are the results of its ops. Of a kernel with
    four operands `cache(5, at=k.o, in=shared)` lets the threads compute the slice of
    the result of the second op, which has no loops of its own then. The op has neither
    sums nor computed indices, reads inputs of the kernel and writes each element of its
    one result once; one other op reads that. The step comes before `fuse_outer`.

    `cache(0, at=k.o, in=shared, by=tma)`: of a slice that a later `wgmma` reads, and
    `pipeline` of `k.o` lets copies go ahead of, one thread starts copies of whole boxes
    of the tensor, and all threads wait for their bytes. The operand has at most five
    dimensions of known sizes, which one loop each goes over, and its rows begin at
    multiples of 16 bytes. The loops of the slice go over the last dimension and one
    other, in order. What is outside of the tensor is zero. Without these steps, and where
    the target has no such copies, the slice is copied as without `by=tma`.
  }];
  let parameters = (ins OperandNumber:$operand, LoopName:$at,
                        "::onnxc::krnl::SliceCopy":$copy);
  let assemblyFormat = [{
    `(` $operand `,` `at` `` `=` `` $at `` custom<SliceCopy>($copy) `)`
  }];
}

def Krnl_PipelineStep
    : Krnl_Step<"Pipeline", "pipeline", "pipeline",
                "getLoop(), getStages(), getInFlight(), getProducer()"> {
  let summary = "Copy slices to shared memory ahead of their use";
  let description = [{
    `pipeline(k.o, 3)`: of each slice that threads copy to shared memory at `k.o`
    there are three. While an iteration of `k.o` reads one, the copy for the
    iteration after the next one is under way, and threads wait once in each
    iteration. The slices of all stages fit the shared memory of the target.

    `pipeline(k.o, 4, in_flight=1)`: an iteration of `k.o` starts its products by
    `wgmma` and waits for those of the iteration before, so that the instructions
    have work while threads wait for copies. The slice of that iteration is read
    until then, so copies go two iterations ahead.

    `pipeline(k.o, 4, in_flight=1, producer)`: a block has one more warp, which starts
    the copies of boxes and computes nothing. It waits until all warps have read the
    slice that a copy overwrites, and these wait for copies alone. The slices follow each
    other over the tiles of a block, so that those of the next tile come while the warps
    are after the sums of this one. Elsewhere the step is as without `producer`.

    `k.o` is a loop inside of an op, at which some `cache(.., in=shared)` is. It is not
    peeled. If ops are computed at it, the slices of all of them are copied together,
    so that those of the next iteration come during all ops of this one. With products
    in flight, the ops sum up products by `wgmma` along it. With a producer, all slices of the kernel are those of
    one `wgmma` along it, `by=tma`; the loops around it are parallel, mapped or
    unrolled; and threads do not wait for each other elsewhere.
  }];
  let parameters = (ins LoopName:$loop, "int64_t":$stages, "int64_t":$inFlight,
                        "bool":$producer);
  let assemblyFormat = [{
    `(` $loop `,` $stages `` custom<Overlap>($inFlight, $producer) `)`
  }];
}

def Krnl_ArenaStep : Krnl_Step<"Arena", "arena", "arena", "getOp()"> {
  let summary = "Keep an intermediate in the arena of the run";
  let description = [{
    `arena(exp)`: the results of op `exp` are whole tensors in the arena of the
    run. Without the step the part of an intermediate that a tile needs is on the
    stack, if its size is known and at most 64 KiB; where it is not, or is passed
    in registers, the step is refused.
  }];
  let parameters = (ins OpName:$op);
  let assemblyFormat = "`(` $op `)`";
}

def Krnl_SharedStep : Krnl_Step<"Shared", "shared", "shared", "getOp()"> {
  let summary = "Keep an intermediate in shared memory";
  let description = [{
    `shared(exp)`: the part of the results of op `exp` that a tile needs is in memory of
    all its threads, so that each may read what others have written: they wait for each
    other in between. Each element is one thread's to write, and the sizes are known.
    Where each tile is one thread's, that is its stack.
  }];
  let parameters = (ins OpName:$op);
  let assemblyFormat = "`(` $op `)`";
}

def Krnl_PackStep
    : Krnl_Step<"Pack", "pack", "pack",
                "getOperand(), namesOf(getLoops()), getShuffle(), getLanes()"> {
  let summary = "Pack an operand, with loops as its dimensions";
  let description = [{
    `pack(1, [n.p, k, n.r])`: operand 1 is laid out with these loops as
    dimensions, outermost first; its other loops come before them in nest order.
    A constant is packed when the artefact is written, other operands in each
    run, element by element, or in vectors along the rows of the operand:

    - `pack(1, [n.p, k, n.r], lanes=16)`: the last dimension lies along the rows, 16
      elements of which are copied at once.
    - `pack(1, [n.p, k, n.r], transpose=16)`: squares of 16 by 16 elements, whose
      rows lie along the dimension before the last one, are transposed.
    - `pack(1, [n.p, k.o, n.r, k.q], interleave=16)`: groups of the last dimension
      come from four rows, 16 elements of each.
  }];
  let parameters = (ins OperandNumber:$operand, LoopNames:$loops,
                        "std::optional<::onnxc::krnl::Shuffle>":$shuffle,
                        "int64_t":$lanes);
  let assemblyFormat = [{
    `(` $operand `,` `[` $loops `]` `` custom<PackShuffle>($shuffle, $lanes) `)`
  }];
}

def Krnl_PrefetchStep
    : Krnl_Step<"Prefetch", "prefetch", "prefetch",
                "{getOperand(), getDistance(), getLine()}"> {
  let summary = "Prefetch the next panels of a packed operand";
  let description = [{
    `prefetch(1, distance=1, line=64)`: a panel of packed operand 1 is the part
    that one iteration of its fused outer loops reads. The register tiles that read one
    panel after the other share the work to prefetch the panel that is `distance`
    panels further on: in each step of its reduction each of them prefetches as
    many lines of `line` bytes as bring all of the panel into the cache.

    `prefetch(2, distance=0, line=32)`: what an op reads of operand 2 after a sum
    is prefetched before the sum. The op and the sum run once at each point of the
    fused outer loops, and in a thread the op reads along the last dimension of the
    operand, at most 64 lines. Threads that read the same elements share the lines.
  }];
  let parameters = (ins OperandNumber:$operand, "int64_t":$distance,
                        "int64_t":$line);
  let assemblyFormat = [{
    `(` $operand `,` `distance` `` `=` `` $distance `,`
    `line` `` `=` `` $line `)`
  }];
}

#endif // ONNXC_DIALECT_KRNL_IR_MEMORYSTEPS_TD
