//===- VectorSteps.td - Steps that put loops in vectors and registers *- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_VECTORSTEPS_TD
#define ONNXC_DIALECT_KRNL_IR_VECTORSTEPS_TD

include "onnxc/Dialect/Krnl/IR/RecipeStepBase.td"

def Krnl_VectorizeStep
    : Krnl_Step<"Vectorize", "vectorize", "vectorize",
                "getLoop(), getLanes()"> {
  let summary = "Vectorize an innermost loop";
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
  let summary = "Keep a tile of results in registers";
  let description = [{
    `register_tile(m.r, n.r, lanes=16)`: rows `m.r` are unrolled, columns `n.r`
    are vectors of 16 lanes in all ops of the kernel. The tile stays in registers
    across the reduction loops directly around it, and ops after the contraction
    work on the registers before the only store. `tail=[4, 2]`: where a
    dynamic number of rows is left, they are done by four, by two, then one by one.
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

def Krnl_TransposeStep
    : Krnl_Step<"Transpose", "transpose", "shuffle",
                "getLoop(), Shuffle::Transpose, getMasked()"> {
  let summary = "Transpose loaded or stored vectors in registers";
  let description = [{
    `transpose(m.r)`: where the vectors of an op run across the rows of an operand
    or result, and `m.r`, which is unrolled, along them, whole rows are loaded
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
  let summary = "Interleave vectors before a store, or deinterleave them after a load";
  let description = [{
    `interleave(c)`: where the lanes of a result are as many elements apart as
    `c`, which is unrolled, has copies, these are interleaved in registers and
    stored as vectors of adjacent elements. Where `transpose` is possible, too, it is for
    loads.

    Where the lanes of an operand are no more elements apart than `c` has copies, which
    are adjacent, all that they read is loaded once, and each copy takes its
    lanes out of that: a window of 5 columns that moves by two loads 4 vectors, not
    20, for 28 results in lanes of 16. Where
    the number of lanes that are left is dynamic, `strided` is for them.
  }];
  let parameters = (ins LoopName:$loop);
  let assemblyFormat = "`(` $loop `)`";
}

def Krnl_StridedStep
    : Krnl_Step<"Strided", "strided", "strided",
                "getLoop(), getDistance()"> {
  let summary = "Access strided lanes by contiguous vectors";
  let description = [{
    `strided(c, 3)`: where the lanes of `c` are 3 elements apart in memory, the
    3 vectors of adjacent elements that they lie in are loaded, or stored under masks,
    and the lanes shuffled. Without the step each lane is loaded or stored by
    itself.
  }];
  let parameters = (ins LoopName:$loop, "int64_t":$distance);
  let assemblyFormat = "`(` $loop `,` $distance `)`";
}

#endif // ONNXC_DIALECT_KRNL_IR_VECTORSTEPS_TD
