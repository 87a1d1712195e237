//===- BufferOps.td - Memory of the host program -----------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_BUFFEROPS_TD
#define ONNXC_DIALECT_KRNL_IR_BUFFEROPS_TD

// Included by KrnlOps.td, which defines the classes used here.

def Krnl_Pointer
    : Type<CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">,
           "an address">,
      BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext())">;

def Krnl_BufferBytesOp : Krnl_Op<"buffer_bytes", [Pure]> {
  let summary = "the bytes that a buffer takes in the arena";
  let description = [{
    Rounded up to the alignment of buffers. Where a size is negative or there are
    more elements than any memory holds, a number that is larger than every arena.

    ```mlir
    %b = krnl.buffer_bytes(%n) : memref<?x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, TypeAttr:$buffer);
  let results = (outs Index:$bytes);
  let assemblyFormat = "`(` $sizes `)` attr-dict `:` $buffer";
  let hasVerifier = 1;
}

def Krnl_ArenaReserveOp : Krnl_Op<"arena_reserve", [MemoryEffects<[MemAlloc]>]> {
  let summary = "the run's arena, for plans of dynamic size";
  let description = [{
    The arena of a run whose plan depends on sizes that the inputs decide. Ends the
    run with an error if there is no such memory.

    ```mlir
    %arena = krnl.arena_reserve %bytes
    ```
  }];
  let arguments = (ins Index:$bytes);
  let results = (outs Krnl_Pointer:$arena);
  let assemblyFormat = "$bytes attr-dict";
}

def Krnl_ArenaViewOp : Krnl_Op<"arena_view", [Pure, AttrSizedOperandSegments]> {
  let summary = "a buffer at a byte offset of the run's arena";
  let description = [{
    The arena is the one of `krnl.arena_bytes`, or the one that was reserved. With
    `lives` the buffer is needed from the first to the last of these ops, and
    shares no byte with buffers needed at the same time, wherever they are.

    ```mlir
    %v = krnl.arena_view [%offset] (%n) in %arena lives [2, 7] : memref<?x4xf32>
    ```
  }];
  let arguments = (ins Index:$offset, Variadic<Index>:$sizes,
                       Optional<Krnl_Pointer>:$arena,
                       OptionalAttr<DenseI64ArrayAttr>:$lives);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = [{
    `[` $offset `]` `(` $sizes `)` (`in` $arena^)? (`lives` $lives^)? attr-dict
    `:` type($output)
  }];
  let hasVerifier = 1;
}

def Krnl_AppendRowOp : Krnl_Op<"append_row", [
    Pure, AllTypesMatch<["rows", "result"]>]> {
  let summary = "rows with one more after them";
  let description = [{
    `rows` holds `count` rows of the same sizes, and room for more or none. The result holds them and
    `row`; it is the same memory as long as there is room, and else twice as much,
    or as much as the `expected` number of rows takes. Taking n rows one after the
    other copies each a bounded number of times.

    ```mlir
    %more = krnl.append_row %row to %rows[%n] of %expected
        : tensor<4xf32> to tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Krnl_Tensor:$rows, Index:$count, Krnl_Tensor:$row,
                       Index:$expected);
  let results = (outs Krnl_Tensor:$result);
  let assemblyFormat = [{
    $row `to` $rows `[` $count `]` `of` $expected attr-dict `:` type($row) `to`
    type($rows)
  }];
  let hasVerifier = 1;
}

def Krnl_FirstRowsOp : Krnl_Op<"first_rows", [
    Pure, AllTypesMatch<["rows", "result"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                    ["reifyResultShapes"]>]> {
  let summary = "the rows of `rows` that have been filled";
  let description = [{
    The first `count` rows of a tensor that `krnl.append_row` has filled: the first
    dimension of the result is `count`, the others are those of `rows`. No copy.

    ```mlir
    %filled = krnl.first_rows %rows[%n] : tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Krnl_Tensor:$rows, Index:$count);
  let results = (outs Krnl_Tensor:$result);
  let assemblyFormat = "$rows `[` $count `]` attr-dict `:` type($rows)";
  let hasVerifier = 1;
}

def Krnl_RowViewOp : Krnl_Op<"row_view", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "one row of a buffer";
  let description = [{
    The buffer of row `row`, without the first dimension. No copy; `row` is less than
    the number of rows.

    ```mlir
    %row = krnl.row_view %buffer[%n] : memref<?x4xf32> -> memref<4xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$rows, Index:$row);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat =
      "$rows `[` $row `]` attr-dict `:` type($rows) `->` type($output)";
  let hasVerifier = 1;
}

def Krnl_WeightViewOp : Krnl_Op<"weight_view", [Pure]> {
  let summary = "a constant buffer at a byte offset of the weights";
  let description = [{
    A constant in the segment of weights of the artefact, `offset` bytes after its
    beginning. It is never written.

    ```mlir
    %w = krnl.weight_view [128] : memref<16xf32>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = "`[` $offset `]` attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Krnl_DeviceAllocOp : Krnl_Op<"device_alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory of the run on its device";
  let description = [{
    Until it is released or the run ends. Host code does not read it: views of it are
    operands of launches and transfers alone.

    ```mlir
    %arena = krnl.device_alloc %bytes
    ```
  }];
  let arguments = (ins Index:$bytes);
  let results = (outs Krnl_Pointer:$memory);
  let assemblyFormat = "$bytes attr-dict";
}

def Krnl_DeviceReleaseOp : Krnl_Op<"device_release", []> {
  let summary = "give memory of the device back after its last use";
  let description = [{
    Launches and transfers before it may still use the memory.

    ```mlir
    krnl.device_release %memory
    ```
  }];
  let arguments = (ins Arg<Krnl_Pointer, "", [MemFree]>:$memory);
  let assemblyFormat = "$memory attr-dict";
}

def Krnl_DeviceConstantsOp : Krnl_Op<"device_constants", [Pure]> {
  let summary = "the weights on the device of the run";
  let description = [{
    They lie there as in the segment of weights of the artefact, and are copied once for
    all runs of a process.

    ```mlir
    %constants = krnl.device_constants
    ```
  }];
  let results = (outs Krnl_Pointer:$constants);
  let assemblyFormat = "attr-dict";
}

def Krnl_CopyInOp : Krnl_Op<"copy_in", [SameTypeOperands]> {
  let summary = "copy a buffer of the host to the device";
  let description = [{
    ```mlir
    krnl.copy_in %x to %d : memref<4xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$host,
                       Arg<AnyMemRef, "", [MemWrite]>:$device);
  let assemblyFormat = "$host `to` $device attr-dict `:` type($host)";
}

def Krnl_CopyOutOp : Krnl_Op<"copy_out", [SameTypeOperands]> {
  let summary = "copy a buffer of the device to the host";
  let description = [{
    The buffer may be read after the run, or, with `wait`, at once.

    ```mlir
    krnl.copy_out %d to %y wait : memref<4xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$device,
                       Arg<AnyMemRef, "", [MemWrite]>:$host, UnitAttr:$wait);
  let assemblyFormat = "$device `to` $host (`wait` $wait^)? attr-dict `:` type($host)";
}

def Krnl_AllocOp : Krnl_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a buffer from the pool of the call";
  let description = [{
    For a buffer whose size follows from data, so that no arena has room for it. The
    pool reuses released buffers, and the run gives the others back when it ends. Ends
    the run with an error if a size is negative or there is no such memory.

    ```mlir
    %b = krnl.alloc (%n) : memref<?x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = "`(` $sizes `)` attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Krnl_ReleaseOp : Krnl_Op<"release", []> {
  let summary = "give a pool buffer or a reference back after its last use";
  let description = [{
    Gives back a buffer of `krnl.alloc`, or one reference to an object, after its last
    use.

    ```mlir
    krnl.release %object : !krnl.obj
    ```
  }];
  let arguments = (ins Arg<AnyTypeOf<[AnyMemRef, Krnl_ObjType]>, "",
                           [MemFree]>:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Krnl_RetainOp : Krnl_Op<"retain", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "one more reference to an object";
  let description = [{
    One more owner of an object, each of which releases it once. An object with more
    than one reference is never changed.

    ```mlir
    krnl.retain %object : !krnl.obj
    ```
  }];
  let arguments = (ins Krnl_ObjType:$object);
  let assemblyFormat = "$object attr-dict `:` type($object)";
}

def Krnl_OutputOp : Krnl_Op<"output", [MemoryEffects<[MemAlloc]>]> {
  let summary = "the buffer of a graph output";
  let description = [{
    The memory of output `index`: the caller's if it gave some, else new memory that
    becomes the caller's. Asked for once per output, when its sizes are known.

    ```mlir
    %y = krnl.output 0 (%n) : memref<?x4xf32>
    ```
  }];
  let arguments = (ins I64Attr:$index, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = "$index `(` $sizes `)` attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Krnl_FromPointerOp : Krnl_Op<"from_pointer", [Pure]> {
  let summary = "a contiguous buffer from a bare pointer and its dynamic sizes";
  let description = [{
    A buffer without gaps at an address, row-major; `sizes` has the dynamic sizes of its
    type in order. The memory is the caller's.

    ```mlir
    %x = krnl.from_pointer %p(%n) : !llvm.ptr -> memref<?x4xf32>
    ```
  }];
  let arguments = (ins LLVM_AnyPointer:$pointer, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = [{
    $pointer `(` $sizes `)` attr-dict `:` type($pointer) `->` type($output)
  }];
  let hasVerifier = 1;
}

#endif // ONNXC_DIALECT_KRNL_IR_BUFFEROPS_TD
