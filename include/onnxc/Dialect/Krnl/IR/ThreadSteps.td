//===- ThreadSteps.td - Steps that spread loops over workers and threads *- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_THREADSTEPS_TD
#define ONNXC_DIALECT_KRNL_IR_THREADSTEPS_TD

include "onnxc/Dialect/Krnl/IR/RecipeStepBase.td"

def Krnl_ParallelStep
    : Krnl_Step<"Parallel", "parallel", "parallel",
                "namesOf(getLoops())"> {
  let summary = "Distribute the iterations of fused outer loops among workers";
  let description = [{
    `parallel(r.o, c.o)`: the loops must be the outermost fused outer ones, in this order.
    Their iterations, flattened, are the tiles of the kernel.
  }];
  let parameters = (ins LoopNames:$loops);
  let assemblyFormat = "`(` $loops `)`";
}

def Krnl_GridStep : Krnl_Step<"Grid", "grid", "grid", "getBlocks()"> {
  let summary = "Limit the number of blocks of a launch on a device";
  let description = [{
    `grid(132)`: a launch has at most so many blocks, and each of them goes on with the
    tile that is so many later, in the order of the parallel loops, of which the last one
    runs fastest. Without the step each tile has a block of its own. Blocks of clusters
    are whole clusters. Elsewhere the step means nothing.
  }];
  let parameters = (ins "int64_t":$blocks);
  let assemblyFormat = "`(` $blocks `)`";
}

def Krnl_MapStep
    : Krnl_Step<"Map", "map", "map", "getLoop(), getCluster(), getAs()"> {
  let summary = "Map the iterations of a loop to threads, or to blocks of a cluster";
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
    iteration, a part of the sums of the same tile. After it the blocks exchange these, and
    add them up in the order of the iterations.

    `map(m.f, cluster, as=k.c)`: each of them gets the sums of one iteration of this loop,
    and has these alone in the other ops, which all have the loop. In the op with the sum,
    which reads inputs of the kernel, it is unrolled. Where the target has no clusters,
    both are loops of a thread like others.
  }];
  let parameters = (ins LoopName:$loop, "bool":$cluster, OptionalLoopName:$as);
  let assemblyFormat = [{
    `(` $loop `,` custom<MappedTo>($cluster) (`,` `as` `` `=` `` $as^)? `)`
  }];
}

#endif // ONNXC_DIALECT_KRNL_IR_THREADSTEPS_TD
