//===- ComputeOp.td - The structured op of a kernel ----*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_COMPUTEOP_TD
#define ONNXC_DIALECT_KRNL_IR_COMPUTEOP_TD

// Included by KrnlOps.td, which defines the classes used here.
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"

def Krnl_ComputeOp : Krnl_Op<"compute", [
    AttrSizedOperandSegments, HasParent<"KernelOp">, LinalgStructuredInterface,
    RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "a computation over named loops";
  let description = [{
    For each iteration of the loops that it names, those before the bar in
    parallel and those after it reduced, the payload computes an element of each
    output from elements of the inputs. An element is accessed at affine
    expressions of the loops; the first operand list binds the elements of the
    inputs to names, the second the elements of the outputs as they are before
    the iteration. Scalars and tensors of rank 0 have no indices. Where a loop by
    itself is an index, it covers the whole dimension, but for one that is written
    with dots (`%x[i ...]`): the dimension may go on after it. `parts` has the
    numbers of these indices, counted over all operands.

    An index of an input of the kernel can leave a range of its dimension, where
    the element is zero: `%x[h + r - 1 in 0 to 56, ..]` is that of an image of 56
    rows with a row of zeros around it. A result of the kernel that only the kernel
    returns is not stored outside of such a range. The end of a dynamic dimension
    is written as `?`. `ranges` has the number of the index, the
    first index that is read, and that after the last one, of each of these.
    `%x[h + r - 1 in 0 to 56 else 0xFF800000 : f32]` has another element there
    than zero; all ranges of an operand have the same. `outsides` has it for each
    range, or unit for zero, and is absent where all are zero.

    ```mlir
    %y = krnl.compute "mm" [m, n | k] (%a = %x[m, k], %b = %w[k, n])
        -> (%s = %acc[m, n])
        : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32> {
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    }
    ```

    The kernel gives the extents of the loops: no operand has to have a dimension
    of that size. `krnl.index` is the iteration of a loop. A step of the recipe
    can be limited to the op by its name.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, StrArrayAttr:$parallel,
                       StrArrayAttr:$reduced,
                       AffineMapArrayAttr:$indexing_maps,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$parts,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$ranges,
                       OptionalAttr<ArrayAttr>:$outsides,
                       Variadic<AnyTypeOf<[Krnl_Tensor, Krnl_Scalar]>>:$inputs,
                       Variadic<Krnl_Tensor>:$outputs);
  let results = (outs Variadic<Krnl_Tensor>:$results);
  let regions = (region SizedRegion<1>:$payload);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [
    /// `axes` are the names of the loops: the first `parallel` of them are
    /// parallel, the others reduced. Without `payload` the region is left empty.
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outputs,
                   "::llvm::ArrayRef<::onnxc::krnl::Subscripts>":$accesses,
                   "::llvm::ArrayRef<::llvm::StringRef>":$axes,
                   "unsigned":$parallel,
                   CArg<"::mlir::StringAttr", "{}">:$name,
                   CArg<"::llvm::function_ref<void(::mlir::OpBuilder &, "
                        "::mlir::Location, ::mlir::ValueRange)>",
                        "nullptr">:$payload)>
  ];
  let extraClassDeclaration = [{
    /// The names of the loops, in the order of the dimensions of the maps.
    ::llvm::SmallVector<::llvm::StringRef> getAxes();
    /// The accesses of all operands, or of one.
    ::llvm::SmallVector<::onnxc::krnl::Subscripts> getSubscripts();
    ::onnxc::krnl::Subscripts getSubscripts(::mlir::OpOperand &operand);
    /// The loop that covers each dimension of the operand, or "".
    ::llvm::SmallVector<::llvm::StringRef>
    getLoopsAlong(::mlir::OpOperand &operand);
    /// Accesses the operands in this way, over the same loops.
    void setSubscripts(::llvm::ArrayRef<::onnxc::krnl::Subscripts> accesses);
    /// Renames the loops, for `krnl.index` as well; each stays parallel or
    /// reduced.
    void setAxes(::llvm::ArrayRef<::llvm::StringRef> names);

    // The structured-op interface. Loops have the extents that the kernel says:
    // shapes of operands imply none.
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    ::llvm::SmallVector<::mlir::utils::IteratorType> getIteratorTypesArray();
    ::mlir::AffineMap getShapesToLoopsMap();
    ::llvm::SmallVector<int64_t> getStaticLoopRanges();
    ::llvm::SmallVector<int64_t> getStaticOperandShape(::mlir::OpOperand *);
    bool hasIndexSemantics();
    bool hasDynamicIndexingMaps() { return true; }
    ::std::string getLibraryCallName() { return "krnl_compute"; }
    static ::std::function<void(::mlir::ImplicitLocOpBuilder &, ::mlir::Block &,
                                ::llvm::ArrayRef<::mlir::NamedAttribute>,
                                ::llvm::function_ref<
                                    ::mlir::InFlightDiagnostic()>)>
    getRegionBuilder() {
      return nullptr;
    }
  }];
}

#endif // ONNXC_DIALECT_KRNL_IR_COMPUTEOP_TD
