//===- RecipeSteps.td - The steps of a recipe ----------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// To add a step: a def here, its name in the list of RecipeSteps.cpp, the method of
// LoopNest that the def calls, a test beside the others. Its description begins with
// an example between backquotes, which a test parses.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_RECIPESTEPS_TD
#define ONNXC_DIALECT_KRNL_IR_RECIPESTEPS_TD

include "mlir/IR/AttrTypeBase.td"
include "onnxc/Dialect/Krnl/IR/KrnlDialect.td"
include "onnxc/Dialect/Krnl/IR/RecipeStep.td"

class Krnl_Attr<string attrName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Krnl_Dialect, attrName, traits> {
  let mnemonic = attrMnemonic;
}

/// A loop name: bare (`n.o`) where the text allows it, else quoted.
def LoopName : StringRefParameter<"loop name"> {
  let parser = "::onnxc::krnl::parseLoopName($_parser)";
  let printer = "::onnxc::krnl::printLoopName($_printer, $_self)";
}

/// The name of a loop, empty where the step names none.
def OptionalLoopName : StringRefParameter<"loop name", [{""}]> {
  let parser = LoopName.parser;
  let printer = LoopName.printer;
}

/// Loop names separated by commas.
def LoopNames : ArrayRefParameter<"::mlir::StringAttr", "loop names"> {
  let parser = "::onnxc::krnl::parseLoopNames($_parser)";
  let printer = "::onnxc::krnl::printLoopNames($_printer, $_self)";
}

/// The name of a structured op, or its number.
def OpName : StringRefParameter<"op name"> {
  let parser = "::onnxc::krnl::parseOpName($_parser)";
  let printer = "::onnxc::krnl::printOpName($_printer, $_self)";
}

def TailParameter
    : DefaultValuedParameter<"::onnxc::krnl::TailStrategy", "::onnxc::krnl::TailStrategy::Mask"> {
  let parser = "::onnxc::krnl::parseTail($_parser)";
  let printer = "$_printer << ::onnxc::krnl::stringifyTail($_self)";
}

/// Iterations that are done together in the tail of a loop, most first.
def TailSizes : OptionalArrayRefParameter<"int64_t", "iterations">;

/// A step is done by a method of LoopNest, which takes `arguments`.
class Krnl_Step<string attrName, string stepMnemonic, string method = "",
                string arguments = "">
    : Krnl_Attr<attrName # "Step", stepMnemonic,
                [DeclareAttrInterfaceMethods<Krnl_RecipeStep, ["advance"]>]> {
  let extraClassDefinition = !if(!empty(method), "", [{
    ::llvm::LogicalResult $cppClass::advance(LoopNest &nest,
                                             EmitErrorFn emitError) const {
      return nest.}] # method # "(" # arguments # [{, emitError);
    }
  }]);
}

def Krnl_BlockStep
    : Krnl_Step<"Block", "block", "block",
                "getLoop(), getSize(), getTail(), getOuter(), getInner()"> {
  let summary = "cut a loop into blocks of a size";
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
      behind the end read what the last one reads and store nothing. Where they
      are summed up, the op multiplies elements of two operands, which are zero
      there. No vector may be half behind the end, and none of the op's accesses
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
  let summary = "run two adjacent loops as one";
  let description = [{
    `fuse(i, j) -> ij`: `i` must be directly outside `j`; every op has both loops
    or neither, and none reduces only one of them.
  }];
  let parameters = (ins LoopName:$outer, LoopName:$inner, LoopName:$result);
  let assemblyFormat = "`(` $outer `,` $inner `)` `->` $result";
}

def Krnl_OrderStep : Krnl_Step<"Order", "order", "reorder", "namesOf(getLoops())"> {
  let summary = "put loops in a new order, outermost first";
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
  let summary = "fuse the outermost loops of all ops of the kernel";
  let description = [{
    `fuse_outer(r.o, r.i)`: the loops must be the outermost ones, in this order. Each
    iteration runs all ops, one after the other, on their slice. Refused where an
    op does not have the loop, or reduces it and another one uses the result.
  }];
  let parameters = (ins LoopNames:$loops);
  let assemblyFormat = "`(` $loops `)`";
}

def Krnl_ParallelStep
    : Krnl_Step<"Parallel", "parallel", "parallel",
                "namesOf(getLoops())"> {
  let summary = "spread the iterations of fused outer loops over workers";
  let description = [{
    `parallel(r.o, c.o)`: the loops must be the outermost fused outer ones, in this order.
    Their iterations, flattened, are the tiles of the kernel.
  }];
  let parameters = (ins LoopNames:$loops);
  let assemblyFormat = "`(` $loops `)`";
}

def Krnl_GridStep : Krnl_Step<"Grid", "grid", "grid", "getBlocks()"> {
  let summary = "let so many blocks of a device take the tiles in turn";
  let description = [{
    `grid(132)`: a launch has at most so many blocks, and each of them goes on with the
    tile that is so many behind, in the order of the parallel loops, of which the last one
    runs fastest. Without the step each tile has a block of its own. Blocks of clusters
    are whole clusters. Elsewhere the step means nothing.
  }];
  let parameters = (ins "int64_t":$blocks);
  let assemblyFormat = "`(` $blocks `)`";
}

def Krnl_MapStep
    : Krnl_Step<"Map", "map", "map", "getLoop(), getCluster(), getAs()"> {
  let summary = "give each iteration of a loop to a thread, or to a block of a cluster";
  let description = [{
    `map(r.t, thread)`: the loop must be of known extent and stay a plain loop; of the
    loops in fuse_outer it must be the next one inside the parallel and mapped ones. A
    target whose tiles are shared by threads has one for each iteration of the mapped
    loops together, the last one running fastest: 1024 at most. Elsewhere the thread of
    the tile runs them all.

    Of a loop that is not in fuse_outer, each op that has it runs its iterations by these
    threads, and all other ops run in each of them. An op may reduce the loop: each thread
    sums up its part, those of a warp combine these in registers, and the warps by memory
    that they share, always in the same order. The loop is the last one that is mapped
    then, with 2, 4, ... 32 iterations or, as the only one, up to 1024; or its iterations
    are those of whole warps. What a thread reads from memory it has written there itself,
    but for the results of a step `shared`.

    `map(e.t, thread, as=n.t)`: the threads of loop `n.t`, which is mapped already, have
    the iterations of this one in the ops that have it. Both have as many, and no op has
    both.

    `map(m.c, cluster)`: the loop is the last parallel one, with 2, 4 or 8 iterations, and
    no loop of an op ends early. The blocks that have its iterations are one cluster. A
    slice by `cache(.., by=tma)` that is the same in all of them comes from memory once:
    each block copies a part of it to the shared memory of all. Where the target has no
    such copies, or no slice is the same, the loop is parallel like others.

    `map(k.c, cluster)`: of a loop that one op reduces each block of a cluster has one
    iteration, a part of the sums of the same tile. Behind it the blocks exchange these, and
    add them up in the order of the iterations.

    `map(m.f, cluster, as=k.c)`: each of them gets the sums of one iteration of this loop,
    and has these alone in the other ops, which all have the loop. In the op with the sum,
    which reads inputs of the kernel, it is written out. Where the target has no clusters,
    both are loops of a thread like others.
  }];
  let parameters = (ins LoopName:$loop, "bool":$cluster, OptionalLoopName:$as);
  let assemblyFormat = [{
    `(` $loop `,` custom<MappedTo>($cluster) (`,` `as` `` `=` `` $as^)? `)`
  }];
}

def Krnl_ComputeAtStep
    : Krnl_Step<"ComputeAt", "compute_at", "computeAt",
                "getLoop()"> {
  let summary = "compute several ops inside one loop that the last of them reduces";
  let description = [{
    `compute_at(b)`: the ops that run over loop `b`, one after the other in the
    body, have one loop `b`, just inside the fused outer ones; each iteration runs all
    of them. The last one reduces it and keeps its results in registers, if those
    are a tile; no other op uses the results of the others. So sums over blocks
    are scaled and added up block by block.
  }];
  let parameters = (ins LoopName:$loop);
  let assemblyFormat = "`(` $loop `)`";
}

def Krnl_UnrollStep
    : Krnl_Step<"Unroll", "unroll", "unroll",
                "getLoop(), getFactor(), getTail()"> {
  let summary = "write out several iterations of a loop";
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

def Krnl_DotStep : Krnl_Step<"Dot", "dot", "dot", "getLoop()"> {
  let summary = "multiply and sum groups of four bytes at once";
  let description = [{
    `dot(k.q)`: the four iterations of a loop that sums up products of bytes are
    one step. Where the loops inside are vectors it is one instruction, if the
    processor has it, for each vector. A packed operand has the loop as its last
    dimension.
  }];
  let parameters = (ins LoopName:$loop);
  let assemblyFormat = "`(` $loop `)`";
}

def Krnl_MmaStep : Krnl_Step<"Mma", "mma", "mma", "namesOf(getLoops())"> {
  let summary = "multiply small matrices by all threads of a warp at once";
  let description = [{
    `mma(m.h, m.g, n.t, n.c, k.i)`: an op that sums up products of two inputs of the
    kernel computes 16 rows by 8 columns at a time. The rows are those of `m.h`, two that
    are written out, and of `m.g`, eight threads; the columns those of `n.t`, four threads,
    and of `n.c`, two that are written out or lanes. `m.g` and `n.t` are the last mapped
    loops. `k.i` has the products of one instruction: 16 of f16 and bf16, 8 of f32, which
    are rounded to tf32, 32 of bytes.

    A target that has the instruction for these elements, which `krnl.target` lists, reads
    them with it, those of a slice in shared memory by matrices; its slices of rows or
    columns that lie along the sums keep that order, and rows of a slice are padded to
    lie in different banks. Elsewhere `k.i` is written out in each thread.
  }];
  let parameters = (ins LoopNames:$loops);
  let assemblyFormat = "`(` $loops `)`";
}

def Krnl_WgmmaStep : Krnl_Step<"Wgmma", "wgmma", "wgmma", "namesOf(getLoops())"> {
  let summary = "multiply small matrices by the four warps of a warpgroup at once";
  let description = [{
    `wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)`: an op that sums up products of two inputs of
    the kernel, of f16, bf16, f32 or bytes, computes 64 rows by up to 256 columns at a time. The rows are
    those of `m.w`, the four warps, of `m.h`, two that are written out, and of `m.g`, eight
    threads; the columns those of `n.f`, up to 32 that are written out, of `n.t`, four
    threads, and of `n.c`, two that are written out or lanes. `m.w`, `m.g` and `n.t` are the
    last mapped loops. `k.i` has the products of one instruction: 16 of f16 and bf16, 8 of f32,
    of which the last 13 bits are ignored, 32 of bytes. Above 32 columns, those of bytes are a
    multiple of 16.

    Both inputs have slices in shared memory, so the step comes behind their `cache`. Where
    the target has the instruction, which `krnl.target` lists, it reads the slices itself:
    lines of 128, 64 or 32 bytes whose chunks of 16 bytes are exchanged by the number of the
    line. Lines of f32 and of bytes are along the sums, however the input lies. All products of loops inside that are written out are one group, whose
    end the threads wait for. Elsewhere a warp computes them as those of `mma`.
  }];
  let parameters = (ins LoopNames:$loops);
  let assemblyFormat = "`(` $loops `)`";
}

def Krnl_VectorizeStep
    : Krnl_Step<"Vectorize", "vectorize", "vectorize",
                "getLoop(), getLanes()"> {
  let summary = "do several iterations of an innermost loop in vector lanes";
  let description = [{
    `vectorize(c, 16)`: each op that has `c` must have it innermost; inside it
    may have loops that it reduces, if it does not reduce `c`. An op that
    reduces `c` keeps one partial result per lane and combines them at the end.
  }];
  let parameters = (ins LoopName:$loop, "int64_t":$lanes);
  let assemblyFormat = "`(` $loop `,` $lanes `)`";
}

def Krnl_RegisterTileStep
    : Krnl_Step<"RegisterTile", "register_tile", "registerTile",
                "getRows(), getColumns(), getLanes(), getTail(), getMasked()"> {
  let summary = "keep a tile of results in registers";
  let description = [{
    `register_tile(m.r, n.r, lanes=16)`: rows `m.r` are written out, columns `n.r`
    are vectors of 16 lanes in all ops of the kernel. The tile stays in registers
    across the reduction loops directly around it, and ops after the contraction
    work on the registers before the only store. `tail=[4, 2]`: where only the run
    knows how many rows are left, they are done by four, by two, then one by one.
    `tail=[4, 2] masked`: these rows have one code for all columns, under masks,
    and not one for full vectors beside it.
  }];
  let parameters = (ins LoopName:$rows, LoopName:$columns, "int64_t":$lanes,
                        ArrayRefParameter<"int64_t", "iterations">:$tail,
                        "bool":$masked);
  let assemblyFormat = [{
    `(` $rows `,` $columns `,` `lanes` `` `=` `` $lanes ``
    custom<RowTail>($tail, $masked) `)`
  }];
}

def Krnl_CacheStep
    : Krnl_Step<"Cache", "cache", "cache",
                "getOperand(), getAt(), getShared(), getByTma()"> {
  let summary = "copy the slice of an operand to scratch memory first";
  let description = [{
    `cache(0, at=m.o)`: at the beginning of each iteration of `m.o` every op that
    reads operand 0 inside copies the elements that it will read there, in the
    order of its loops inside. The slices have known sizes and are at most 64 KB.

    `cache(0, at=k.o, in=shared)`: the threads of a tile copy one slice for all of
    them to memory that they share, and wait for each other before and after. The
    slice has the iterations of all mapped loops, and of loops around `k.o` that
    are written out whole. The sums come first in it, then the loops of each axis.
    No loop may end at a different place in different threads, and the slices of
    a kernel fit the shared memory of the target.

    `cache(0, at=k.o, in=shared, by=tma)`: of a slice that a later `wgmma` reads, and
    `pipeline` of `k.o` lets copies go ahead of, one thread starts copies of whole boxes
    of the tensor, and all threads wait for their bytes. The operand has at most five
    dimensions of known sizes, which one loop each goes over, and its rows begin at
    multiples of 16 bytes. The loops of the slice go over the last dimension and one
    other, in order. What is outside of the tensor is zero. Without these steps, and where
    the target has no such copies, the slice is copied as without `by=tma`.
  }];
  let parameters = (ins "unsigned":$operand, LoopName:$at, "bool":$shared,
                        "bool":$byTma);
  let assemblyFormat = [{
    `(` $operand `,` `at` `` `=` `` $at `` custom<InShared>($shared, $byTma) `)`
  }];
}

def Krnl_PipelineStep
    : Krnl_Step<"Pipeline", "pipeline", "pipeline",
                "getLoop(), getStages(), getInFlight(), getProducer()"> {
  let summary = "copy slices to shared memory some iterations ahead";
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
    are behind the sums of this one. Elsewhere the step is as without `producer`.

    `k.o` is a loop inside of an op, at which some `cache(.., in=shared)` is. It is not
    peeled, and no other ops are computed at it. With products in flight, the ops sum
    up products by `wgmma` along it. With a producer, all slices of the kernel are those of
    one `wgmma` along it, `by=tma`; the loops around it are parallel, mapped or written
    out; and threads do not wait for each other elsewhere.
  }];
  let parameters = (ins LoopName:$loop, "int64_t":$stages, "int64_t":$inFlight,
                        "bool":$producer);
  let assemblyFormat = [{
    `(` $loop `,` $stages `` custom<Overlap>($inFlight, $producer) `)`
  }];
}

def Krnl_ArenaStep : Krnl_Step<"Arena", "arena", "arena", "getOp()"> {
  let summary = "keep an intermediate in the arena of the run";
  let description = [{
    `arena(exp)`: the results of op `exp` are whole tensors in the arena of the
    run. Without the step the part of an intermediate that a tile needs is on the
    stack, if its size is known and at most 64 KB; where it is not, or is handed
    over in registers, the step is refused.
  }];
  let parameters = (ins OpName:$op);
  let assemblyFormat = "`(` $op `)`";
}

def Krnl_SharedStep : Krnl_Step<"Shared", "shared", "shared", "getOp()"> {
  let summary = "keep an intermediate in memory that the threads of a tile share";
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
  let summary = "store an operand with loops as its dimensions";
  let description = [{
    `pack(1, [n.p, k, n.r])`: operand 1 is laid out with these loops as
    dimensions, outermost first; its other loops come before them in nest order.
    A constant is packed when the artefact is written, other operands in each
    run, element by element, or in vectors along the rows of the operand:

    - `pack(1, [n.p, k, n.r], transpose=16)`: squares of 16 by 16 elements, whose
      rows lie along the dimension before the last one, are transposed.
    - `pack(1, [n.p, k.o, n.r, k.q], interleave=16)`: groups of the last dimension
      come from four rows, 16 elements of each.
  }];
  let parameters = (ins "unsigned":$operand, LoopNames:$loops,
                        "::onnxc::krnl::Shuffle":$shuffle, "int64_t":$lanes);
  let assemblyFormat = [{
    `(` $operand `,` `[` $loops `]` `` custom<PackShuffle>($shuffle, $lanes) `)`
  }];
}

def Krnl_PrefetchStep
    : Krnl_Step<"Prefetch", "prefetch", "prefetch",
                "{getOperand(), getDistance(), getLine()}"> {
  let summary = "prefetch the next panels of a packed operand";
  let description = [{
    `prefetch(1, distance=1, line=64)`: a panel of packed operand 1 is the part
    that one iteration of its fused outer loops reads. The register tiles that read one
    panel after the other share the work to prefetch the panel that is `distance`
    panels further on: in each step of its reduction each of them prefetches as
    many lines of `line` bytes as bring all of the panel into the cache.

    `prefetch(2, distance=0, line=32)`: what an op reads of operand 2 behind a sum
    is prefetched before the sum. The op and the sum run once at each point of the
    fused outer loops, and in a thread the op reads along the last dimension of the
    operand, at most 64 lines. Threads that read the same elements share the lines.
  }];
  let parameters = (ins "unsigned":$operand, "int64_t":$distance,
                        "int64_t":$line);
  let assemblyFormat = [{
    `(` $operand `,` `distance` `` `=` `` $distance `,`
    `line` `` `=` `` $line `)`
  }];
}

def Krnl_TransposeStep
    : Krnl_Step<"Transpose", "transpose", "shuffle",
                "getLoop(), Shuffle::Transpose, getMasked()"> {
  let summary = "transpose rows and columns of memory in registers";
  let description = [{
    `transpose(m.r)`: where the vectors of an op run across the rows of an operand
    or result, and `m.r`, which is written out, along them, whole rows are loaded
    or stored and transposed in registers. Without the step each lane is loaded
    or stored by itself. There are at most as many copies as lanes. Copies of a
    number that is no power of two are stored in parts that are, or, by
    `transpose(m.r, masked)`, as a vector under a mask.
  }];
  let parameters = (ins LoopName:$loop, "bool":$masked);
  let assemblyFormat = "`(` $loop `` custom<Masked>($masked) `)`";
}

def Krnl_InterleaveStep
    : Krnl_Step<"Interleave", "interleave", "shuffle",
                "getLoop(), Shuffle::Interleave, false"> {
  let summary = "access vectors whose lanes lie between each other's";
  let description = [{
    `interleave(c)`: where the lanes of a result are as many elements apart as
    `c`, which is written out, has copies, these are interleaved in registers and
    stored as vectors of neighbours. Where `transpose` is possible, too, it is for
    loads.

    Where the lanes of an operand are no more elements apart than `c` has copies, which
    are neighbours, all that they read is loaded once, and each copy takes its
    lanes out of that: a window of 5 columns that moves by two loads 4 vectors, not
    20, for 28 results in lanes of 16. Where only the run knows how many
    lanes are left, `strided` is for them.
  }];
  let parameters = (ins LoopName:$loop);
  let assemblyFormat = "`(` $loop `)`";
}

def Krnl_StridedStep
    : Krnl_Step<"Strided", "strided", "strided",
                "getLoop(), getDistance()"> {
  let summary = "access lanes a few elements apart by vectors of neighbours";
  let description = [{
    `strided(c, 3)`: where the lanes of `c` are 3 elements apart in memory, the
    3 vectors of neighbours that they lie in are loaded, or stored under masks,
    and the lanes shuffled. Without the step each lane is loaded or stored by
    itself.
  }];
  let parameters = (ins LoopName:$loop, "int64_t":$distance);
  let assemblyFormat = "`(` $loop `,` $distance `)`";
}

def Krnl_EarlyExitStep
    : Krnl_Step<"EarlyExit", "early_exit", "earlyExit",
                "getLoop()"> {
  let summary = "end a loop once its iterations change nothing any more";
  let description = [{
    `early_exit(s)`: a data-dependent traversal, such as the way down a tree, has
    a loop `s` over its steps. The loop ends after the first strip of copies that
    leaves all accumulators as they were; so do all later ones.
  }];
  let parameters = (ins LoopName:$loop);
  let assemblyFormat = "`(` $loop `)`";
}

def Krnl_SplitReductionStep
    : Krnl_Step<"SplitReduction", "split_reduction", "splitReduction",
                "getLoop(), getParts(), getOuter(), getInner()"> {
  let summary = "reduce into several partial results";
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

def Krnl_OnlyStep : Krnl_Step<"Only", "only"> {
  let summary = "limit a step to one op of the kernel";
  let description = [{
    Printed in a recipe as a prefix: `exp: vectorize(c, 16)`. The op is given by
    its name or its number among the structured ops of the body.
  }];
  let parameters = (ins LoopName:$op, "::mlir::Attribute":$step);
  let assemblyFormat = "`<` $op `,` $step `>`";
  let genVerifyDecl = 1;
}

#endif // ONNXC_DIALECT_KRNL_IR_RECIPESTEPS_TD
