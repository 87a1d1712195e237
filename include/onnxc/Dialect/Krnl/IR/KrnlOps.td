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
include "mlir/Interfaces/ViewLikeInterface.td"
include "onnxc/Dialect/Krnl/IR/KrnlAttributes.td"

class Krnl_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Krnl_Dialect, opMnemonic, traits>;

def Krnl_Scalar
    : AnyTypeOf<[Index, AnySignlessInteger, AnyFloat, AnyComplex,
                 Krnl_StrType]>;
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
    The body computes with `krnl.compute` over the named loops, in destination
    style. Block arguments are the `ins`, the `outs`, then the extents of the loops
    of dynamic extent (`loops [i = %n, j = 64]`), in their order; each yielded
    value is written into the matching `outs` tensor. A kernel with `keepUnitLoops`
    has loops of one iteration that its recipe needs, such as those over the rows of
    products, so that no pass drops them.

    ```mlir
    %y = krnl.kernel "relu" loops [i = 64] ins(%x : tensor<64xf32>)
        outs(%o : tensor<64xf32>)
        recipe [block(i, 16) -> (i.o, i.v), vectorize(i.v, 16)] {
    ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
      %zero = arith.constant 0.0 : f32
      %r = krnl.compute [i] (%e = %a[i]) -> (%f = %b[i])
          : (tensor<64xf32>) -> tensor<64xf32> {
        %m = arith.maximumf %e, %zero : f32
        linalg.yield %m : f32
      }
      krnl.yield %r : tensor<64xf32>
    } -> tensor<64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Krnl_LoopArrayAttr:$loops,
                       DefaultValuedAttr<Krnl_RecipeAttr, "{}">:$recipe,
                       Variadic<AnyTypeOf<[Krnl_Tensor, Krnl_Scalar]>>:$ins,
                       Variadic<Krnl_Tensor>:$outs, Variadic<Index>:$extents,
                       UnitAttr:$keepUnitLoops);
  let results = (outs Variadic<Krnl_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `loops` custom<Loops>($loops, $extents)
    (`ins` `(` $ins^ `:` type($ins) `)`)? `outs` `(` $outs `:` type($outs) `)`
    (`recipe` custom<Recipe>($recipe)^)? attr-dict-with-keyword
    $body `->` type($results)
  }];
  let builders = [
    /// A kernel with an empty recipe and a body block that has the arguments but
    /// no ops yet. `extents` has one value for each dynamic loop.
    OpBuilder<(ins "::llvm::StringRef":$name,
                   "::llvm::ArrayRef<::onnxc::krnl::LoopAttr>":$loops,
                   "::mlir::ValueRange":$extents, "::mlir::ValueRange":$ins,
                   "::mlir::ValueRange":$outs)>
  ];
  let extraClassDeclaration = [{
    /// Position of a loop name in `loops`.
    ::std::optional<unsigned> findLoop(::llvm::StringRef loopName);
    ::onnxc::krnl::LoopAttr getLoop(unsigned number) {
      return ::llvm::cast<::onnxc::krnl::LoopAttr>(getLoops()[number]);
    }
    /// The extent of a loop: an index attribute, or the operand that gives it.
    ::mlir::OpFoldResult getExtent(unsigned loop);
    /// The extent of a loop inside the body: an index attribute or a block
    /// argument.
    ::mlir::OpFoldResult getExtentInside(unsigned loop);
    /// The operand that gives the extent of a dynamic loop.
    ::mlir::OpOperand &getExtentMutable(unsigned loop);
    /// Returns true if all ops that write the results have the loop, so that a
    /// kernel without iterations of it has empty results.
    bool isOfResults(unsigned loop);
    /// Appends an input and gives the argument of the body. Here and below steps
    /// of the recipe keep naming the operands that they named.
    ::mlir::BlockArgument addInput(::mlir::Value value);
    /// Erases an input that the body does not use, and steps that name it.
    void eraseInput(unsigned number);
    /// Replaces the list of loops. Dynamic loops that the kernel has already keep
    /// their extents; `added` has those of the others, in order. The extents of
    /// loops that are dropped must have no use in the body.
    void replaceLoops(::llvm::ArrayRef<::onnxc::krnl::LoopAttr> loops,
                      ::mlir::ValueRange added = {});
    /// The source of the size of dynamic dimension `dim` of a tensor of the
    /// body: a loop, or else the same dimension of an argument.
    ::onnxc::krnl::SizeSource findSize(::mlir::Value tensor, int64_t dim);
    ::onnxc::krnl::YieldOp getYield();
    ::mlir::BlockArgument getInArgument(unsigned i) {
      return getBody().getArgument(i);
    }
    ::mlir::BlockArgument getOutArgument(unsigned i) {
      return getBody().getArgument(getIns().size() + i);
    }
  }];
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

include "onnxc/Dialect/Krnl/IR/ComputeOp.td"

def Krnl_TemporaryOp : Krnl_Op<"temporary", [HasParent<"KernelOp">]> {
  let summary = "memory inside a kernel";
  let description = [{
    A tensor without values in the body of a kernel, for one structured op to
    write into. A dynamic dimension has the extent of the loop that the op
    covers it by. A tensor without elements may be read without such an op.

    ```mlir
    %t = krnl.temporary : tensor<?x8xf32>
    %s = krnl.compute [m, n] (%a = %x[m, n]) -> (%b = %t[m, n])
        : (tensor<?x8xf32>) -> tensor<?x8xf32> {
      linalg.yield %a : f32
    }
    ```
  }];
  let results = (outs Res<Krnl_Tensor, "", [MemAlloc]>:$tensor);
  let assemblyFormat = "attr-dict `:` type($tensor)";
}

def Krnl_IndexOp : Krnl_Op<"index", [Pure, HasParent<"ComputeOp">]> {
  let summary = "the iteration of a loop";
  let description = [{
    In the payload of a structured op: the iteration of one of the loops that the
    op names, counted from 0.

    ```mlir
    %column = krnl.index n
    ```
  }];
  let arguments = (ins StrAttr:$loop);
  let results = (outs Index:$iteration);
  let assemblyFormat = "custom<LoopName>($loop) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The position of the loop among those of the structured op.
    unsigned getDim();
  }];
}

def Krnl_YieldOp : Krnl_Op<"yield", [Pure, Terminator,
                                     HasParent<"KernelOp">]> {
  let summary = "the tensors that a kernel returns";
  let description = [{
    Ends the body of a `krnl.kernel`: value i becomes result i, which is written
    into `outs` operand i.

    ```mlir
    krnl.yield %r : tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<Krnl_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Krnl_ScatterStoreOp : Krnl_Op<"scatter_store", [
    Pure, HasParent<"ComputeOp">, AllTypesMatch<["value", "result"]>]> {
  let summary = "store a result element at computed indices";
  let description = [{
    In the payload of a structured op: the element that it yields is written
    `at` steps away, in each dimension, from the element of the op's map. The
    map has 0 where the position decides: iterations along loops that are in the
    map write different elements whatever their positions are, all others are
    reduced and follow one another in order. Only the terminator may use the result.

    ```mlir
    // out[indices[i], j] = updates[i, j], the last one of equal indices stays
    %row = arith.index_cast %index : i64 to index
    %zero = arith.constant 0 : index
    %y = krnl.scatter_store %update at [%row, %zero] : f32
    linalg.yield %y : f32
    ```
  }];
  let arguments = (ins AnyType:$value, Variadic<Index>:$at);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `at` `[` $at `]` attr-dict `:` type($value)";
}

def Krnl_ScatterLoadOp : Krnl_Op<"scatter_load", [Pure, HasParent<"ComputeOp">]> {
  let summary = "load the current element at computed indices";
  let description = [{
    In the payload of a structured op whose result `number` is stored at
    computed indices: the element there, as earlier iterations have written it.

    ```mlir
    // out[indices[i], j] += updates[i, j]
    %row = arith.index_cast %index : i64 to index
    %zero = arith.constant 0 : index
    %old = krnl.scatter_load 0 at [%row, %zero] : f32
    %new = arith.addf %old, %update : f32
    %y = krnl.scatter_store %new at [%row, %zero] : f32
    linalg.yield %y : f32
    ```
  }];
  let arguments = (ins I64Attr:$number, Variadic<Index>:$at);
  let results = (outs AnyType:$element);
  let assemblyFormat = "$number `at` `[` $at `]` attr-dict `:` type($element)";
}

include "onnxc/Dialect/Krnl/IR/InstructionOps.td"

def Krnl_WrapIndexOp : Krnl_Op<"wrap_index", [Pure, HasParent<"ComputeOp">]> {
  let summary = "an index from data, brought into range";
  let description = [{
    In the payload of a structured op: `index`, counted from the end where it is
    negative. One that is outside of [0, size) is brought inside, so that kernels
    never fail; the index and the size go to the error words of the launch, and
    the host ends the run with `message`, these and the number of the
    `dimension`, where it has one, when the region is over. `size` is the same
    for all elements.

    A `count` is a number of elements, so in [0, size], and not counted from the
    end.

    ```mlir
    %row = krnl.wrap_index %i, %size, "an index is out of range" dimension 1
    // node 'pick': an index is out of range: 7 for dimension 1 of size 5
    ```
  }];
  let arguments = (ins Index:$index, Index:$size, StrAttr:$message,
                       OptionalAttr<I64Attr>:$dimension, UnitAttr:$count);
  let results = (outs Index:$inside);
  let assemblyFormat = [{
    $index `,` $size `,` $message (`dimension` $dimension^)? (`count` $count^)?
    attr-dict
  }];
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

    ```mlir
    %w = krnl.constant dense<2.0> : tensor<4x6xf32>
        layout <dims = [1, 0, 1], sizes = [2, 4, 4], strides = [4, 1, 1]>
    ```
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
    For computations that are not loops. The callee decides dynamic result
    shapes. On tensors a call has no side effect unless it is `stateful` (random
    numbers). `params` are passed after the operands as 64-bit integers.

    Objects are borrowed by the callee, but for the operands at the positions in
    `takes`, of which it takes over a reference: it may change an object that
    has no other reference. Results of a `shared` call may have other
    references: they are never written.

    ```mlir
    %values, %indices = krnl.call @onnxc_rt_sort(%x) params [1]
        : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>)
    ```
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
  let description = [{
    Two sizes that the condition compares are appended to the message, or an
    index and the size of its dimension:

    ```mlir
    krnl.check %same, "the inner sizes differ" sizes(%k, %l)
    // node 'fc': the inner sizes differ: 3 and 4
    krnl.check %inside, "an index is out of range" sizes(%i, %n) dimension 1
    // node 'pick': an index is out of range: 7 for dimension 1 of size 5
    ```

    Other sizes have a `format`, a text that follows the message, with a `{}` for
    each of them:

    ```mlir
    krnl.check %same, "too few rows" sizes(%n, %m) format "{} for groups of {}"
    // node 'view': too few rows: 3 for groups of 4
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message,
      Variadic<Index>:$sizes, OptionalAttr<I64Attr>:$dimension,
      OptionalAttr<StrAttr>:$format);
  let assemblyFormat = [{
    $condition `,` $message (`sizes` `(` $sizes^ `)`)?
    (`dimension` $dimension^)? (`format` $format^)? attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$condition, "::llvm::StringRef":$message,
        CArg<"::mlir::ValueRange", "{}">:$sizes), [{
      build($_builder, $_state, condition, $_builder.getStringAttr(message),
            sizes, ::mlir::IntegerAttr(), ::mlir::StringAttr());
    }]>,
    OpBuilder<(ins "::mlir::Value":$condition, "::mlir::StringAttr":$message,
        CArg<"::mlir::ValueRange", "{}">:$sizes), [{
      build($_builder, $_state, condition, message, sizes,
            ::mlir::IntegerAttr(), ::mlir::StringAttr());
    }]>];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
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

    ```mlir
    %r = krnl.launch @kernel_relu ins(%x : tensor<64xf32>)
        outs(%o : tensor<64xf32>) tiles(%n) scratch 256 -> tensor<64xf32>
    ```
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

def Krnl_ErrorWordOp : Krnl_Op<"error_word", [MemoryEffects<[MemAlloc]>]> {
  let summary = "the errors of a kernel";
  let description = [{
    Two words for each message, an index and the size of its dimension, which
    are -1 at first. A kernel that gets them as its last input stores the size,
    and the index by an atomic minimum of unsigned numbers, so that the words do
    not depend on the order of its threads; the host checks them after the region
    of the launch. Elements computed until then are undefined, but no access is
    out of bounds. `locations` are the locations of the messages, `dimensions`
    their dimensions; -1: none.

    ```mlir
    %w = krnl.error_word ["an index is out of range"] at [loc("Gather_0")]
        dimensions [1] : memref<1x2xi64>
    ```
  }];
  let arguments = (ins StrArrayAttr:$messages, ArrayAttr:$locations,
                       DenseI64ArrayAttr:$dimensions);
  let results = (outs MemRefRankOf<[I64], [2]>:$word);
  let assemblyFormat = [{
    $messages `at` $locations `dimensions` $dimensions attr-dict
    `:` type($word)
  }];
  let hasVerifier = 1;
}

def Krnl_ParallelRegionOp : Krnl_Op<"parallel_region", [NoTerminator, SingleBlock,
                                       RecursiveMemoryEffects]> {
  let summary = "launches that all workers of a team execute";
  let description = [{
    Every worker runs the body on its own slice of each launch's tiles;
    `krnl.barrier` separates launches where one reads elements that another
    worker wrote. `tiles` is the largest tile count inside.

    ```mlir
    krnl.parallel_region tiles(%n) {
      krnl.launch @kernel_a ins(%x : memref<64xf32>) outs(%h : memref<64xf32>) tiles(%n)
      krnl.barrier
      krnl.launch @kernel_b ins(%h : memref<64xf32>) outs(%o : memref<64xf32>) tiles(%n)
    }
    ```
  }];
  let arguments = (ins Index:$tiles);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`tiles` `(` $tiles `)` attr-dict-with-keyword $body";
}

def Krnl_BarrierOp : Krnl_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>,
                                         HasParent<"ParallelRegionOp">]> {
  let summary = "wait until all workers are here";
  let description = [{
    Only between launches of a `krnl.parallel_region`, where a later launch reads or
    overwrites bytes that tiles of another worker access before.

    ```mlir
    krnl.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

include "onnxc/Dialect/Krnl/IR/BufferOps.td"

#endif // ONNXC_DIALECT_KRNL_IR_KRNLOPS_TD
