//===- KrnlOps.td - Kernels and the host program -------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_KRNLOPS_TD
#define ONNXC_DIALECT_KRNL_IR_KRNLOPS_TD

include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "onnxc/Dialect/Krnl/IR/KrnlAttributes.td"

class Krnl_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Krnl_Dialect, opMnemonic, traits>;

def Krnl_Scalar : AnyTypeOf<[Index, AnySignlessInteger, AnyFloat]>;
def Krnl_Tensor : RankedTensorOf<[AnyType]>;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Krnl_KernelOp : Krnl_Op<"kernel", [
    AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "one fused unit of work and the recipe of its loops";
  let description = [{
    The body computes with structured (linalg) ops in destination style; each says
    with `krnl.axes` which named loop stands behind each of its iterator
    dimensions. Block arguments are the `ins`, then the `outs`; each yielded value
    is written into the matching `outs` tensor.

    ```mlir
    %y = krnl.kernel "relu" loops [i = 64] ins(%x : tensor<64xf32>)
        outs(%o : tensor<64xf32>)
        recipe [block(i, 16) -> (i.o, i.v), vectorize(i.v, 16)] {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
      %zero = arith.constant 0.0 : f32
      %r = linalg.generic {...} ins(%a : tensor<64xf32>)
          outs(%b : tensor<64xf32>) attrs = {krnl.axes = ["i"]} {...}
      krnl.yield %r : tensor<64xf32>
    } -> tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Krnl_LoopArrayAttr:$loops,
                       DefaultValuedAttr<Krnl_RecipeAttr, "{}">:$recipe,
                       Variadic<AnyTypeOf<[Krnl_Tensor, Krnl_Scalar]>>:$ins,
                       Variadic<Krnl_Tensor>:$outs);
  let results = (outs Variadic<Krnl_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `loops` custom<Loops>($loops)
    (`ins` `(` $ins^ `:` type($ins) `)`)? `outs` `(` $outs `:` type($outs) `)`
    (`recipe` custom<Recipe>($recipe)^)? attr-dict-with-keyword
    $body `->` type($results)
  }];
  let builders = [
    /// A kernel with an empty recipe and a body block that has the arguments but
    /// no ops yet.
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::llvm::ArrayRef<::onnxc::krnl::LoopAttr>":$loops,
                   "::mlir::ValueRange":$ins, "::mlir::ValueRange":$outs)>
  ];
  let extraClassDeclaration = [{
    /// The structured ops of the body, in order; a step's `op:` number and
    /// LoopNest::op() count these.
    ::llvm::SmallVector<::mlir::linalg::LinalgOp> getStructuredOps();
    /// Position of a loop name in `loops`.
    ::std::optional<unsigned> findLoop(::llvm::StringRef loopName);
    ::onnxc::krnl::LoopAttr getLoop(unsigned number) {
      return ::llvm::cast<::onnxc::krnl::LoopAttr>(getLoops()[number]);
    }
    /// The operand, dimension whose run-time size is the extent of that loop: a
    /// dimension of `ins` or `outs` that some body op indexes by exactly this
    /// loop. Operands count ins first, then outs.
    ::std::optional<::std::pair<unsigned, unsigned>>
    findExtentOperand(unsigned loop);
    ::onnxc::krnl::YieldOp getYield();
    ::mlir::BlockArgument getInArgument(unsigned i) {
      return getBody().getArgument(i);
    }
    ::mlir::BlockArgument getOutArgument(unsigned i) {
      return getBody().getArgument(getIns().size() + i);
    }
    /// The names in krnl.axes of a body op.
    static ::llvm::SmallVector<::llvm::StringRef> getAxes(::mlir::Operation *op);
    static void setAxes(::mlir::Operation *op,
                        ::llvm::ArrayRef<::llvm::StringRef> names);
  }];
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def Krnl_YieldOp : Krnl_Op<"yield", [Pure, Terminator,
                                     HasParent<"KernelOp">]> {
  let summary = "the tensors that a kernel returns";
  let arguments = (ins Variadic<Krnl_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

//===----------------------------------------------------------------------===//
// Host program
//===----------------------------------------------------------------------===//

def Krnl_ConstantOp : Krnl_Op<"constant", [
    Pure, ConstantLike, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "weights and other constant tensors";
  let description = [{
    `value` is dense or a blob of the model. With a `layout` the result is the
    stored array, packed when the artefact is written.
  }];
  let arguments = (ins TypedAttrInterface:$value,
                       OptionalAttr<Krnl_PackedLayoutAttr>:$layout);
  let results = (outs Krnl_Tensor:$output);
  let assemblyFormat = "$value (`layout` $layout^)? attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Krnl_CallOp : Krnl_Op<"call", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "call a function of the runtime";
  let description = [{
    For what is irregular by nature. The callee decides dynamic result shapes. On
    tensors a call has no side effect unless it is `stateful` (random numbers).
    `params` are passed after the operands as 64-bit integers.

    Objects are borrowed by the callee, but for the operands at the positions in
    `takes`, of which it takes over a reference: it may change what nobody else
    refers to. Results of a `shared` call may be seen by others: they are never
    written.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$params,
                       UnitAttr:$stateful,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$takes,
                       UnitAttr:$shared);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` (`stateful` $stateful^)? (`shared` $shared^)?
    (`takes` $takes^)? (`params` $params^)?
    attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Krnl_CheckOp : Krnl_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "end the run with an error unless the condition holds";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Krnl_LaunchOp : Krnl_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run all tiles of an outlined kernel";
  let description = [{
    Calls the kernel function on tiles [0, tiles), spread over the workers. On
    tensors the results are the `outs` as written; on memrefs there are none.
    `scratch` is the size in bytes of the scratch argument that each worker gets;
    0 means that the kernel has none.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
      Variadic<AnyTypeOf<[Krnl_Tensor, AnyMemRef, Krnl_Scalar]>>:$ins,
      Variadic<AnyTypeOf<[Krnl_Tensor, AnyMemRef]>>:$outs, Index:$tiles,
      DefaultValuedAttr<I64Attr, "0">:$scratch);
  let results = (outs Variadic<Krnl_Tensor>:$results);
  let assemblyFormat = [{
    $kernel (`ins` `(` $ins^ `:` type($ins) `)`)?
    `outs` `(` $outs `:` type($outs) `)` `tiles` `(` $tiles `)`
    (`scratch` $scratch^)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

def Krnl_RegionOp : Krnl_Op<"region", [NoTerminator, SingleBlock,
                                       RecursiveMemoryEffects]> {
  let summary = "launches that the team runs together";
  let description = [{
    Every worker runs the body on its own slice of each launch's tiles;
    `krnl.barrier` separates launches where one reads what another worker wrote.
    `tiles` is the largest tile count inside.
  }];
  let arguments = (ins Index:$tiles);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`tiles` `(` $tiles `)` attr-dict-with-keyword $body";
}

def Krnl_BarrierOp : Krnl_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>,
                                         HasParent<"RegionOp">]> {
  let summary = "wait until all workers are here";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Krnl_ArenaViewOp : Krnl_Op<"arena_view", [Pure]> {
  let summary = "a buffer at a byte offset of the run's arena";
  let arguments = (ins Index:$offset, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = "`[` $offset `]` `(` $sizes `)` attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Krnl_WeightViewOp : Krnl_Op<"weight_view", [Pure]> {
  let summary = "a constant buffer at a byte offset of the weights";
  let arguments = (ins I64Attr:$offset);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = "`[` $offset `]` attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Krnl_AllocOp : Krnl_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a buffer from the pool of the call";
  let arguments = (ins Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = "`(` $sizes `)` attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Krnl_ReleaseOp : Krnl_Op<"release", []> {
  let summary = "give a pool buffer or a reference back after its last use";
  let arguments = (ins Arg<AnyTypeOf<[AnyMemRef, Krnl_ObjType]>, "",
                           [MemFree]>:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Krnl_RetainOp : Krnl_Op<"retain", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "one more reference to an object";
  let arguments = (ins Krnl_ObjType:$object);
  let assemblyFormat = "$object attr-dict `:` type($object)";
}

def Krnl_OutputOp : Krnl_Op<"output", [MemoryEffects<[MemAlloc]>]> {
  let summary = "the buffer of a graph output";
  let description = "Asked for once per output, when its sizes are known.";
  let arguments = (ins I64Attr:$index, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = "$index `(` $sizes `)` attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def Krnl_FromPointerOp : Krnl_Op<"from_pointer", [Pure]> {
  let summary = "a contiguous buffer from a bare pointer and its dynamic sizes";
  let arguments = (ins LLVM_AnyPointer:$pointer, Variadic<Index>:$sizes);
  let results = (outs AnyMemRef:$output);
  let assemblyFormat = [{
    $pointer `(` $sizes `)` attr-dict `:` type($pointer) `->` type($output)
  }];
  let hasVerifier = 1;
}

#endif // ONNXC_DIALECT_KRNL_IR_KRNLOPS_TD
