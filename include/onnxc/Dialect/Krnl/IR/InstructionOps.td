//===- InstructionOps.td - Instructions of targets -----*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_INSTRUCTIONOPS_TD
#define ONNXC_DIALECT_KRNL_IR_INSTRUCTIONOPS_TD

// Included by KrnlOps.td, which defines the classes used here.

def Krnl_DotOp : Krnl_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>,
                                AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "products of groups of bytes or pairs, added to their sums";
  let description = [{
    Lane i of the result is lane i of `acc` plus the sum of the products of the
    bytes 4 * i to 4 * i + 3 of `lhs` and `rhs`, modulo 2^32. A single sum may
    have 16 bytes. The bytes of an operand are unsigned unless the attribute is
    set. Of numbers of 16 bits, which are signed, a sum has 2 * i and 2 * i + 1.

    ```mlir
    %sum = krnl.dot %acc, %x, %w {rhsSigned} : vector<16xi32>, vector<64xi8>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [I32]>:$acc,
                   VectorOfRankAndType<[1], [I8, I16]>:$lhs,
                   VectorOfRankAndType<[1], [I8, I16]>:$rhs,
                   UnitAttr:$lhsSigned, UnitAttr:$rhsSigned);
  let results = (outs VectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs attr-dict `:` type($acc) `,` type($lhs)
  }];
  let hasVerifier = 1;
}

def Krnl_PairSumsOp : Krnl_Op<"pair_sums", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "sums of the products of two bytes each that fit 16 bits";
  let description = [{
    Lane i of the result is the sum of the products of the bytes 2 * i and 2 * i + 1 of
    `lhs`, which are unsigned, and of `rhs`, which are signed. Any number may be the
    result where the sum is not a number of 16 bits.

    ```mlir
    %sums = krnl.pair_sums %x, %w : vector<32xi8> -> vector<16xi16>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [I8]>:$lhs,
                   VectorOfRankAndType<[1], [I8]>:$rhs);
  let results = (outs VectorOfRankAndType<[1], [I16]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Krnl_LookupOp : Krnl_Op<"lookup", [Pure, SameOperandsAndResultType]> {
  let summary = "bytes of a constant table at the positions that bytes are";
  let description = [{
    Each byte of `byte`, unsigned, is the position of its result in `table`, which
    has 256 bytes. Vectors take the instructions that the target has for that; a
    target without any has no such op (`lookupFormOf()`).

    ```mlir
    %y = krnl.lookup %x in [0, 2, 4, ...] : vector<64xi8>
    ```
  }];
  let arguments = (ins AnyTypeOf<[I8, VectorOfRankAndType<[1], [I8]>]>:$byte,
                   DenseI8ArrayAttr:$table);
  let results = (outs AnyTypeOf<[I8, VectorOfRankAndType<[1], [I8]>]>:$result);
  let assemblyFormat = "$byte `in` $table attr-dict `:` type($byte)";
  let hasVerifier = 1;
}

def Krnl_LoadMatrixOp : Krnl_Op<"load_matrix"> {
  let summary = "rows of matrices in shared memory, distributed over a warp";
  let description = [{
    Loads matrices of 8 rows of 16 bytes by all threads of a warp, two or four of
    them. Thread i has the position of row i % 8 of matrix i / 8, where 16 bytes lie
    next to each other at a multiple of 16. Each thread gets four bytes of each
    matrix, after one another: bytes 4 * (i % 4) to 4 * (i % 4) + 3 of row i / 4;
    `transposed`, for elements of two bytes: of the rows of the transposed matrix.

    ```mlir
    %a = krnl.load_matrix %tile[%row] transposed : memref<576xf16> -> vector<8xf16>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memory,
                   Variadic<Index>:$at, UnitAttr:$transposed);
  let results = (outs VectorOfRankAndType<[1], [AnyType]>:$result);
  let assemblyFormat = [{
    $memory `[` $at `]` (`transposed` $transposed^)? attr-dict `:`
    type($memory) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Krnl_MmaOp : Krnl_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "a product of small matrices by a warp, added to its sums";
  let description = [{
    Thread i = 4 * g + t of a warp has columns 2 * t and 2 * t + 1 of rows g and g + 8
    of 16 by 8 sums in `acc`. Of `lhs`, 16 rows of 32 bytes, it has the bytes 4 * t to
    4 * t + 3 of rows g and g + 8, then the bytes 16 further; of `rhs`, 8 columns of 32
    bytes, those of column g. Bytes are unsigned unless the attribute is set, and f32 is
    rounded to 10 bits of mantissa.

    ```mlir
    %sum = krnl.mma %acc, %x, %w : vector<4xf32>, vector<8xf16>, vector<4xf16>
    ```
  }];
  let arguments = (ins VectorOfLengthAndType<[4], [F32, I32]>:$acc,
                   VectorOfRankAndType<[1], [F16, BF16, F32, I8]>:$lhs,
                   VectorOfRankAndType<[1], [F16, BF16, F32, I8]>:$rhs,
                   UnitAttr:$lhsSigned, UnitAttr:$rhsSigned);
  let results = (outs VectorOfLengthAndType<[4], [F32, I32]>:$result);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs attr-dict `:` type($acc) `,` type($lhs) `,`
    type($rhs)
  }];
  let hasVerifier = 1;
}

def Krnl_CopyTensorOp : Krnl_Op<"copy_tensor", [AttrSizedOperandSegments]> {
  let summary = "starts a copy of a box of a tensor to shared memory";
  let description = [{
    Copies the box that begins at these indices to the memory from `at` on, without
    anything that goes through the thread. The last dimension of the box is a line of
    `swizzle` bytes: 32, 64 or 128; lines follow each other, and chunks of 16 bytes of a
    line are exchanged as those of krnl.matrix_descriptor are. Elements outside of the
    tensor are zero. When the bytes are there, element `stage` of the barriers counts
    them: krnl.barrier_wait. In a device's kernel the tensor is a parameter, `map`, that the
    launch makes. With `blocks`, all blocks of a cluster of so many get the box at the same
    place, and the same barrier of each counts it.

    ```mlir
    krnl.copy_tensor %x[%i, %k] to %tile[%at], %barriers[%stage], box=[128, 64],
      swizzle=128 : memref<512x512xf16> to memref<8192xf16>, memref<4xi64>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$from,
                   AnyMemRef:$memory, Index:$at,
                   MemRefRankOf<[I64], [1]>:$barriers, Index:$stage,
                   Optional<AnyType>:$map, DenseI64ArrayAttr:$box,
                   I64Attr:$swizzle, DefaultValuedAttr<I64Attr, "1">:$blocks);
  let assemblyFormat = [{
    $source `[` $from `]` `to` $memory `[` $at `]` `,` $barriers `[` $stage `]`
    `,` `box` `` `=` `` $box `,` `swizzle` `` `=` `` $swizzle
    (`map` `` `=` `` $map^ `:` type($map))? attr-dict `:`
    type($source) `to` type($memory) `,` type($barriers)
  }];
  let extraClassDeclaration = [{
    int64_t getElementBytes();
  }];
  let hasVerifier = 1;
}

def Krnl_BarrierInitOp : Krnl_Op<"barrier_init"> {
  let summary = "makes barriers in shared memory that threads arrive at";
  let description = [{
    One thread does so before all threads wait for each other; then each element is a
    barrier of copies that have not been expected yet, or of so many threads that have not
    arrived.

    ```mlir
    krnl.barrier_init %barriers : memref<4xi64>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I64], [1]>:$barriers,
                   DefaultValuedAttr<I64Attr, "1">:$arrivals);
  let assemblyFormat = "$barriers attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Krnl_BarrierExpectOp : Krnl_Op<"barrier_expect"> {
  let summary = "arrives at a barrier that expects a number of bytes of copies";
  let description = [{
    ```mlir
    krnl.barrier_expect %barriers[%stage], 16384 : memref<4xi64>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I64], [1]>:$barriers, Index:$stage,
                   I64Attr:$bytes);
  let assemblyFormat = [{
    $barriers `[` $stage `]` `,` $bytes attr-dict `:` type($barriers)
  }];
}

def Krnl_BarrierArriveOp : Krnl_Op<"barrier_arrive"> {
  let summary = "arrives at the same barrier of all blocks of a cluster";
  let description = [{
    There are so many `blocks`, the own one among them; one without a cluster. It releases nothing that threads
    have written, only that they have read what is copied to later.

    ```mlir
    krnl.barrier_arrive %barriers[%stage], blocks=4 : memref<4xi64>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I64], [1]>:$barriers, Index:$stage,
                   I64Attr:$blocks);
  let assemblyFormat = [{
    $barriers `[` $stage `]` `,` `blocks` `` `=` `` $blocks attr-dict `:`
    type($barriers)
  }];
  let hasVerifier = 1;
}

def Krnl_BarrierWaitOp : Krnl_Op<"barrier_wait"> {
  let summary = "waits for all threads and bytes that a barrier expects";
  let description = [{
    For those of its first, third, ... use where `parity` is 0, and of the second, fourth,
    ... where it is 1. Before the first use has ended, `parity` 1 waits for nothing.

    ```mlir
    krnl.barrier_wait %barriers[%stage], %parity : memref<4xi64>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I64], [1]>:$barriers, Index:$stage,
                   Index:$parity);
  let assemblyFormat = [{
    $barriers `[` $stage `]` `,` $parity attr-dict `:` type($barriers)
  }];
}

def Krnl_BarrierEndOp : Krnl_Op<"barrier_end"> {
  let summary = "ends the use of barriers, so that they can be made again";
  let description = [{
    One thread does so, when no other one waits at them any more.

    ```mlir
    krnl.barrier_end %barriers : memref<4xi64>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I64], [1]>:$barriers);
  let assemblyFormat = "$barriers attr-dict `:` type($barriers)";
}

def Krnl_MatrixDescriptorOp : Krnl_Op<"matrix_descriptor", [Pure]> {
  let summary = "where a matrix is in shared memory, for wgmma";
  let description = [{
    A matrix of f16, bf16, f32 or bytes begins at a position of the memory, in lines of
    `swizzle` bytes: 32, 64 or 128. Groups of eight lines are `stride` bytes apart, and
    blocks of lines, where the matrix has several, `leading` bytes. Byte 16 * i of line j has
    been exchanged with byte 16 * (i xor j * swizzle / 128) of it, modulo `swizzle`. The
    memory begins at a multiple of 1024 bytes of shared memory.

    ```mlir
    %a = krnl.matrix_descriptor %tile[%at], swizzle=128, leading=16, stride=1024 : memref<4096xf16>
    ```
  }];
  let arguments = (ins AnyMemRef:$memory, Index:$at, I64Attr:$swizzle,
                   I64Attr:$leading, I64Attr:$stride);
  let results = (outs I64:$result);
  let assemblyFormat = [{
    $memory `[` $at `]` `,` `swizzle` `` `=` `` $swizzle `,`
    `leading` `` `=` `` $leading `,` `stride` `` `=` `` $stride attr-dict `:`
    type($memory)
  }];
  let hasVerifier = 1;
}

def Krnl_WgmmaOp : Krnl_Op<"wgmma", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "a product of matrices in shared memory by a warpgroup";
  let description = [{
    Adds to the sums of 64 rows by N columns, of which each thread of four warps has N / 2
    in `acc`, the products of 64 rows and N columns of 32 bytes. In warp w, thread
    4 * g + t has element 4 * f + 2 * h + c at row 16 * w + 8 * h + g and column
    8 * f + 2 * t + c. The lines of a matrix are along its 32 bytes, or across them if it
    is transposed, which those of f16 and bf16 can be. Bytes are unsigned unless the attribute
    is set, and of f32 the last 13 bits are ignored. `nvvm.wgmma.fence.aligned` is before the first product; the result
    is there when krnl.wgmma_wait has it, and nothing but another product uses it before.

    ```mlir
    %sum = krnl.wgmma %acc, %a, %w of f16 {rhsTransposed} : vector<64xf32>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32, I32]>:$acc, I64:$lhs,
                   I64:$rhs, TypeAttr:$element, UnitAttr:$lhsTransposed,
                   UnitAttr:$rhsTransposed, UnitAttr:$lhsSigned,
                   UnitAttr:$rhsSigned);
  let results = (outs VectorOfRankAndType<[1], [F32, I32]>:$result);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs `of` $element attr-dict `:` type($acc)
  }];
  let hasVerifier = 1;
}

def Krnl_WgmmaWaitOp : Krnl_Op<"wgmma_wait", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "the sums of all products of matrices that were started";
  let description = [{
    Waits for all groups of krnl.wgmma of the warpgroup, and yields their results. Where
    some of the last groups stay in flight, so do all sums: what the others read may
    be written again.

    ```mlir
    %sums:2 = krnl.wgmma_wait %x, %y : vector<64xf32>, vector<64xf32>
    krnl.wgmma_wait in_flight=1
    ```
  }];
  let arguments = (ins Variadic<VectorOfRankAndType<[1], [F32, I32]>>:$sums,
                   DefaultValuedAttr<I64Attr, "0">:$inFlight);
  let results = (outs Variadic<VectorOfRankAndType<[1], [F32, I32]>>:$results);
  let assemblyFormat = [{
    (`in_flight` `` `=` `` $inFlight^) : ($sums `:` type($sums))? attr-dict
  }];
  let hasVerifier = 1;
}

def Krnl_CopyAsyncOp : Krnl_Op<"copy_async", [AttrSizedOperandSegments]> {
  let summary = "a copy to shared memory that the thread does not wait for";
  let description = [{
    Starts to copy so many elements, 4, 8 or 16 bytes that lie next to each other in
    both memories and at multiples of their number in the second one. They are there
    once the thread has waited for the copy; until then nothing reads or writes them.
    Where `inside` is false zeros come instead, though the address is valid. With `first`
    only so many of the elements are read, zero to all of them, and zeros come instead of
    the others.

    ```mlir
    krnl.copy_async %x[%i, %k] to %tile[%at], 8 if %inside : memref<64x128xf16> to memref<4608xf16>
    krnl.copy_async %x[%i, %k] to %tile[%at], 8 first %count : memref<64x128xf16> to memref<4608xf16>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                   Variadic<Index>:$from,
                   Arg<AnyMemRef, "", [MemWrite]>:$memory,
                   Variadic<Index>:$at,
                   ConfinedAttr<I64Attr, [IntPositive]>:$elements,
                   Optional<I1>:$inside, Optional<Index>:$count);
  let assemblyFormat = [{
    $source `[` $from `]` `to` $memory `[` $at `]` `,` $elements
    (`if` $inside^)? (`first` $count^)? attr-dict `:` type($source) `to` type($memory)
  }];
  let extraClassDeclaration = [{
    int64_t getBytes();
  }];
  let hasVerifier = 1;
}

#endif // ONNXC_DIALECT_KRNL_IR_INSTRUCTIONOPS_TD
