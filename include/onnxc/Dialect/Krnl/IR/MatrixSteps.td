//===- MatrixSteps.td - Steps for instructions that multiply and sum *- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_MATRIXSTEPS_TD
#define ONNXC_DIALECT_KRNL_IR_MATRIXSTEPS_TD

include "onnxc/Dialect/Krnl/IR/RecipeStepBase.td"

def Krnl_DotStep
    : Krnl_Step<"Dot", "dot", "dot", "getLoop(), getShortSums()"> {
  let summary = "Multiply and sum groups of bytes at once";
  let description = [{
    `dot(k.q)`: the four iterations of a loop that sums up products of bytes are
    one step. Where the loops inside are vectors it is one instruction, if the
    processor has it, for each vector. Two iterations are pairs of bytes that are
    extended to 16 bits. Sixteen iterations are for one sum: the op
    has the columns of a `register_tile` one by one, other ops as vectors. A packed
    operand has the loop as its last dimension.

    `dot(k.q, sums=i16)`: products of unsigned by packed signed bytes are added up in 16
    bits first, those of all groups that the copies of one loop around read. A table beside the
    packed operand says which of its groups have sums that might not fit; in those the
    products have 32 bits. Of an operand that is not known when it is packed, these are all.
    No table is needed where the payload leaves few bits of the unsigned bytes, so that the
    sums always fit: of numbers of 4 bits, those of 8 groups. The groups are those of the
    copies of all loops around then.
  }];
  let parameters = (ins LoopName:$loop, "bool":$shortSums);
  let assemblyFormat = "`(` $loop `` custom<ShortSums>($shortSums) `)`";
}

def Krnl_MmaStep : Krnl_Step<"Mma", "mma", "mma", "namesOf(getLoops())"> {
  let summary = "Multiply small matrices by a warp";
  let description = [{
    `mma(m.h, m.g, n.t, n.c, k.i)`: an op that sums up products of two inputs of the
    kernel computes 16 rows by 8 columns at a time. The rows are those of `m.h`, two that
    are unrolled, and of `m.g`, eight threads; the columns those of `n.t`, four threads,
    and of `n.c`, two that are unrolled or lanes. `m.g` and `n.t` are the last mapped
    loops. `k.i` has the products of one instruction: 16 of f16 and bf16, 8 of f32, which
    are rounded to tf32, 32 of bytes.

    A target that has the instruction for these elements, which `krnl.target` lists, reads
    them with it, those of a slice in shared memory by matrices; its slices of rows or
    columns that lie along the sums keep that order, and rows of a slice are padded to
    lie in different banks. Elsewhere `k.i` is unrolled in each thread.
  }];
  let parameters = (ins LoopNames:$loops);
  let assemblyFormat = "`(` $loops `)`";
}

def Krnl_WgmmaStep : Krnl_Step<"Wgmma", "wgmma", "wgmma", "namesOf(getLoops())"> {
  let summary = "Multiply small matrices by a warpgroup";
  let description = [{
    `wgmma(m.w, m.h, m.g, n.f, n.t, n.c, k.i)`: an op that sums up products of two inputs of
    the kernel, of f16, bf16, f32 or bytes, computes 64 rows by up to 256 columns at a time. The rows are
    those of `m.w`, the four warps, of `m.h`, two that are unrolled, and of `m.g`, eight
    threads; the columns those of `n.f`, up to 32 that are unrolled, of `n.t`, four
    threads, and of `n.c`, two that are unrolled or lanes. `m.w`, `m.g` and `n.t` are the
    last mapped loops. `k.i` has the products of one instruction: 16 of f16 and bf16, 8 of f32,
    of which the last 13 bits are ignored, 32 of bytes. Above 32 columns, those of bytes are a
    multiple of 16.

    Both inputs have slices in shared memory, so the step comes after their `cache`. Where
    the target has the instruction, which `krnl.target` lists, it reads the slices itself:
    lines of 128, 64 or 32 bytes whose chunks of 16 bytes are exchanged by the number of the
    line. Lines of f32 and of bytes are along the sums, however the input lies. All products of loops inside that are unrolled are one group, whose
    end the threads wait for. Elsewhere a warp computes them as those of `mma`.
  }];
  let parameters = (ins LoopNames:$loops);
  let assemblyFormat = "`(` $loops `)`";
}

#endif // ONNXC_DIALECT_KRNL_IR_MATRIXSTEPS_TD
