//===- LoopSteps.td - Steps that order and unroll loops ----*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPSTEPS_TD
#define ONNXC_DIALECT_KRNL_IR_LOOPSTEPS_TD

include "onnxc/Dialect/Krnl/IR/RecipeStepBase.td"

def Krnl_BlockStep
    : Krnl_Step<"Block", "block", "block",
                "getLoop(), getSize(), getTail(), getOuter(), getInner()"> {
  let summary = "Divide a loop into blocks";
  let description = [{
    `block(n, 48) -> (n.o, n.r)`: the loop over `n` becomes a loop `n.o` over
    blocks and a loop `n.r` of 48 iterations inside a block, in its place. `tail`
    is the strategy of a last, shorter block:

    - `mask`: by the same code as the others, under a bound that is computed for
      each block.
    - `peel`: by code of its own, after a loop over full blocks without such
      bounds. The code grows: `n.o` must stay a loop, and an op may have three
      loops that are peeled.
    - `pad`: all blocks are whole, so that threads may share them. Iterations
      past the end read what the last one reads and store nothing. Where they
      are summed up, the op multiplies elements of two operands, which are zero
      there. No vector may be half past the end, and none of the op's accesses
      is shuffled.

    Vectors and register tiles never access elements out of bounds: tails of
    them are masked or have code of their own, whatever the tail of blocks.
  }];
  let parameters = (ins LoopName:$loop, "int64_t":$size, TailParameter:$tail,
                        LoopName:$outer, LoopName:$inner);
  let assemblyFormat = [{
    `(` $loop `,` $size (`,` `tail` `` `=` `` $tail^)? `)` `->`
    `(` $outer `,` $inner `)`
  }];
}

def Krnl_FuseStep
    : Krnl_Step<"Fuse", "fuse", "fuse",
                "getOuter(), getInner(), getResult()"> {
  let summary = "Fuse two adjacent loops into one";
  let description = [{
    `fuse(i, j) -> ij`: `i` must be directly outside `j`; every op has both loops
    or neither, and none reduces only one of them.
  }];
  let parameters = (ins LoopName:$outer, LoopName:$inner, LoopName:$result);
  let assemblyFormat = "`(` $outer `,` $inner `)` `->` $result";
}

def Krnl_OrderStep : Krnl_Step<"Order", "order", "reorder", "namesOf(getLoops())"> {
  let summary = "Reorder loops, outermost first";
  let description = [{
    `order(n.o, m.o, k)`: the loops take, in this order, the positions that they
    hold together now; other loops keep theirs. Results of loops in registers
    stay there while the loops inside, which the op reduces, run.
  }];
  let parameters = (ins LoopNames:$loops);
  let assemblyFormat = "`(` $loops `)`";
}

def Krnl_FuseOuterStep
    : Krnl_Step<"FuseOuter", "fuse_outer", "fuseOuter",
                "namesOf(getLoops())"> {
  let summary = "Fuse the outermost loops of all ops of the kernel";
  let description = [{
    `fuse_outer(r.o, r.i)`: the loops must be the outermost ones, in this order. Each
    iteration runs all ops, one after the other, on their slice. Refused where an
    op does not have the loop, or reduces it and another one uses the result.
  }];
  let parameters = (ins LoopNames:$loops);
  let assemblyFormat = "`(` $loops `)`";
}

def Krnl_ComputeAtStep
    : Krnl_Step<"ComputeAt", "compute_at", "computeAt",
                "getLoop()"> {
  let summary = "Compute several ops inside one loop that the last of them reduces";
  let description = [{
    `compute_at(b)`: the ops that run over loop `b`, one after the other in the
    body, have one loop `b`, just inside the fused outer ones; each iteration runs all
    of them. The last one reduces it and keeps its results in registers, if those
    are a tile, or unrolled in each thread: loops of threads and unrolled ones may be
    around `b` in this op. No other op uses the results of the others. So sums over
    blocks are scaled and added up block by block, as those of parts of the keys of
    an attention are, by a running maximum.
  }];
  let parameters = (ins LoopName:$loop);
  let assemblyFormat = "`(` $loop `)`";
}

def Krnl_HoistStep : Krnl_Step<"Hoist", "hoist", "hoist", "getLoop()"> {
  let summary = "Run an op outside of a fused outer loop";
  let description = [{
    `factor: hoist(m.o)`: of the loops of `fuse_outer`, which comes later, the op has
    those before `m.o` only. It runs once in each of their iterations, before the loop
    `m.o`, or after it if it uses results of ops that run inside. What it computes for all
    of `m.o` is in memory. So panels of weights are converted once for all rows, and a loop
    that an op reduces may be a fused outer one although other ops use the sums: those that
    the sums begin with are hoisted from it, and those that read them. Each step of the
    loop then continues the sums in memory.
  }];
  let parameters = (ins LoopName:$loop);
  let assemblyFormat = "`(` $loop `)`";
}

def Krnl_UnrollStep
    : Krnl_Step<"Unroll", "unroll", "unroll",
                "getLoop(), getFactor(), getTail()"> {
  let summary = "Unroll a loop";
  let description = [{
    `unroll(k, 16, tail=[4])`: the unrolled instances stand side by side inside the
    loops within `k`, which run once for all of them. The tail of `k` is done
    four iterations at a time, then one by one.
  }];
  let parameters = (ins LoopName:$loop, "int64_t":$factor, TailSizes:$tail);
  let assemblyFormat = [{
    `(` $loop `,` $factor (`,` `tail` `` `=` `` `[` $tail^ `]`)? `)`
  }];
}

def Krnl_EarlyExitStep
    : Krnl_Step<"EarlyExit", "early_exit", "earlyExit",
                "getLoop()"> {
  let summary = "End a loop once its iterations change nothing";
  let description = [{
    `early_exit(s)`: a data-dependent traversal, such as the way down a tree, has
    a loop `s` over its steps. The loop ends after the first strip of copies that
    leaves all accumulators as they were; so do all later ones.
  }];
  let parameters = (ins LoopName:$loop);
  let assemblyFormat = "`(` $loop `)`";
}

def Krnl_SkipMaskedStep
    : Krnl_Step<"SkipMasked", "skip_masked", "skipMasked", "getLoop()"> {
  let summary = "End a loop where all further elements of a tile are masked";
  let description = [{
    `skip_masked(n.o)`: a payload computes a mask from indices, such as the causal
    one of an attention: elements are -infinity where `n` is greater than `m + 3`.
    The loop `n.o` ends after the last block of which a row of the tile, the
    iterations inside of the fused outer loops, has an element that is not
    hidden. Refused where results would change: the op sums up products with weights
    that are zero there, or takes the maximum, or its results are read by ops
    that skip the same iterations. A loop over terms of a product that is
    masked afterwards has no iterations in tiles that are hidden as a whole. A loop of
    `compute_at` ends where its last op keeps its running values, for all ops inside. Zeros
    times infinite or undefined elements of the other factor are left out, too.
  }];
  let parameters = (ins LoopName:$loop);
  let assemblyFormat = "`(` $loop `)`";
}

def Krnl_SplitReductionStep
    : Krnl_Step<"SplitReduction", "split_reduction", "splitReduction",
                "getLoop(), getParts(), getOuter(), getInner()"> {
  let summary = "Reduce into several partial results";
  let description = [{
    `split_reduction(k, 4) -> (k.o, k.i)`: iteration `k.o * 4 + k.i` goes to the
    partial result `k.i`; the four are combined after the loop `k.o`.
  }];
  let parameters = (ins LoopName:$loop, "int64_t":$parts, LoopName:$outer,
                        LoopName:$inner);
  let assemblyFormat = [{
    `(` $loop `,` $parts `)` `->` `(` $outer `,` $inner `)`
  }];
}

#endif // ONNXC_DIALECT_KRNL_IR_LOOPSTEPS_TD
