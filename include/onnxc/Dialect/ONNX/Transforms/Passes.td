//===- Passes.td - Passes on the onnx dialect ----------------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_TRANSFORMS_PASSES_TD
#define ONNXC_DIALECT_ONNX_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldConstants : Pass<"onnx-fold-constants", "::mlir::ModuleOp"> {
  let summary = "Evaluate operations on constants";
  let description = [{
    Constant subgraphs are compiled by the phases of this compiler and run in
    its process, for the baseline processor of this machine's kind and with empty
    recipes: they come out the same for every target. One round compiles all of
    them together.

    ```mlir
    // before
    %w = onnx.Constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
    %0 = onnx.Exp(%w) : (tensor<1x2xf32>) -> tensor<1x2xf32>
    // after
    %0 = onnx.Constant dense<[[2.71828175, 7.3890562]]> : tensor<1x2xf32>
    ```

    Left as they are, with the reason in the attribute `onnx.not_folded` and in
    a remark where it takes an attempt to find it:
    * results larger than the constants they come from by more than 64 KiB;
    * DequantizeLinear, which makes weights larger, random operators, loops;
    * computations of more than 2^30 steps or 1 GiB;
    * operations that fail: the error belongs to the run.

    Small integers that describe shapes do not come this far, `onnx-simplify`
    folds them by itself.
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect",
                           "::mlir::func::FuncDialect"];
}

def FuseQuantization : Pass<"onnx-fuse-quantization", "::mlir::ModuleOp"> {
  let summary = "Compute products of quantised tensors in integers";
  let description = [{
    Between DequantizeLinear and QuantizeLinear stand real numbers that are
    integers times a scale. Products of them become sums of products of bytes:

    * Conv, MatMul and Gemm of two dequantised operands, QLinearConv,
      QLinearMatMul, ConvInteger and MatMulInteger all become ConvInteger or
      MatMulInteger of unsigned by signed bytes without zero points. Zero points
      add a constant sum over the weights, and one over the data if the weights
      have one, too.
    * Scales, bias and the way back to bytes follow as operations on elements,
      which share the product's kernel. The scale of the result goes into that of
      the product: instead of dividing every element.
    * Movements of elements and MaxPool swap with DequantizeLinear, so
      that bytes are moved; bytes that would be quantised as before are used as
      they are.

    ```mlir
    // before
    %a = onnx.DequantizeLinear(%x, %xs, %xz)
    %b = onnx.DequantizeLinear(%w, %ws)
    %c = onnx.MatMul(%a, %b)
    %y = onnx.QuantizeLinear(%c, %ys, %yz)
    // after
    %0 = onnx.MatMulInteger(%x, %w)
    %1 = onnx.Add(%0, %minus_xz_times_sums_of_w)
    %2 = onnx.Cast(%1) {to = f32}
    %3 = onnx.Mul(%2, %xs_ws_by_ys)
    %y = onnx.QuantizeLinear(%3, %one, %yz)
    ```

    Results differ from those in floats where these are rounded: by one quantum
    where a value lies between two.
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

def InferShapes : Pass<"onnx-infer-shapes", "::mlir::ModuleOp"> {
  let summary = "Give every value the sharpest type that can be found";
  let description = [{
    Types come from the functions of the operators' schemas and from the
    dimension rules of `DimAnalysis`, and are merged with the ones already
    there: a type only ever gets sharper. Arguments of bodies, their
    terminators and the function's results follow.

    With `annotate`, operations whose results have dynamic dimensions get an
    attribute `onnx.dims`: a list for each result, which has these as functions of
    the inputs, or `unit` for a result of unknown rank.

    ```mlir
    func.func @main_graph(%x: tensor<?x4xf32> {onnx.dims = ["batch", ""]})
    // before
    %y = onnx.Concat(%x, %x) {axis = 0 : i64}
        : (tensor<?x4xf32>, tensor<?x4xf32>) -> none
    // after
    %y = onnx.Concat(%x, %x) {axis = 0 : i64, onnx.dims = [["batch * 2", "4"]]}
        : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ```

    An operation that its schema rejects is an error.
  }];
  let options = [Option<"annotateOps", "annotate", "bool", /*default=*/"true",
                        "write the attribute onnx.dims">];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

def ShareInputSizes : Pass<"onnx-share-input-sizes", "::mlir::ModuleOp"> {
  let summary = "Take a named size of inputs from the first that has it";
  let description = [{
    Dimensions of inputs with one name are equal: a call is refused otherwise.
    After the conversion to krnl, every use of such a size becomes a use of the
    first one, so that equal sizes are the same value.

    ```mlir
    // before
    %0 = tensor.dim %ids, %c0   // ids  {onnx.dims = ["batch"]}
    %1 = tensor.dim %mask, %c0  // mask {onnx.dims = ["batch"]}
    // after
    %0 = tensor.dim %ids, %c0   // for both
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SplitDimNames : Pass<"onnx-split-dim-names", "::mlir::ModuleOp"> {
  let summary = "Let sizes of one name differ where nothing needs them equal";
  let description = [{
    Exporters name dimensions of several inputs alike that differ in a run: the
    heights of two images, for example. Occurrences of a name keep it together
    only if their sizes meet in an operation that takes them for equal; the
    others lose it or have another one, with a warning. A run checks that the
    sizes of one name are equal.

    ```mlir
    // before
    func.func @main_graph(%a: tensor<?x4xf32> {onnx.dims = ["n", ""]},
                          %b: tensor<?x4xf32> {onnx.dims = ["n", ""]})
      %y = onnx.Concat(%a, %b) {axis = 0 : i64}
    // after
    func.func @main_graph(%a: tensor<?x4xf32> {onnx.dims = ["n", ""]},
                          %b: tensor<?x4xf32> {onnx.dims = ["", ""]})
    ```
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

def Simplify : Pass<"onnx-simplify", "::mlir::ModuleOp"> {
  let summary = "Simplify the graph until nothing changes";
  let description = [{
    Rounds of type inference, folding of shape arithmetic, the rewrites below,
    common subexpressions and dead code, until a round changes nothing.

    * Attributes are made explicit: `kernel_shape`, `strides`, `dilations`,
      `pads` (from `auto_pad` where sizes allow), `perm`; axes count from the
      front; a constant has its elements in `value`.
    * Nodes that do nothing are removed: Identity, Dropout, Cast, Transpose,
      Reshape and their like; chains of them become one.
    * Integers that are sizes of a tensor are written as its Shape, and operands
      expanded beside one of the result's shape are used as they were.
    * MatMul and Add of matrices become Gemm.
    * BatchNormalization, Mul and Add by channel constants go into the weights
      of the convolution before.
    * If with a constant condition is replaced by the branch it takes.
    * In a compilation, operations on constants that remain are evaluated as by
      `onnx-fold-constants`.
    * With `for-compilation`, rewrites that serve only a compilation are
      applied, too: global pools become reductions, which other runtimes sum up
      in another order and do not match between quantised tensors.
    * A branch of `onnx-specialize-ranks` that an operator in it rejects goes
      away.
    * With `for-compilation`, a branch or loop whose sizes an operator in it
      rejects is a warning; runs that enter it end in `onnx.Fail`.

    ```mlir
    // before
    %0 = onnx.MatMul(%x, %w)
        : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
    %1 = onnx.Add(%0, %b)
        : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    // after
    %1 = onnx.Gemm(%x, %w) C(%b)
        : (tensor<?x8xf32>, tensor<8x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let options = [
    Option<"annotateOps", "annotate", "bool", /*default=*/"true",
           "write the attribute onnx.dims at the end">,
    Option<"maxRounds", "max-rounds", "unsigned", /*default=*/"50",
           "stop after so many rounds">,
    Option<"forCompilation", "for-compilation", "bool", /*default=*/"false",
           "apply rewrites that serve only a compilation">
  ];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

def SplitConvTranspose : Pass<"onnx-split-conv-transpose", "::mlir::ModuleOp"> {
  let summary = "Write transposed convolutions of constant filters as convolutions";
  let description = [{
    With steps of s the results of a transposed convolution have s phases along each
    dimension, each a convolution of every s-th element of the filter. All phases are
    one convolution of s times the channels, filled up with zeros where s does not
    divide the filter, or each is a convolution of its own where that takes the target
    less time. Their results are put in their places by Transpose.

    ```mlir
    // before
    %y = onnx.ConvTranspose(%x, %w) {strides = array<i64: 2>}
        : (tensor<1x8x5xf32>, tensor<8x4x2xf32>) -> tensor<1x4x10xf32>
    // after
    %0 = onnx.Conv(%x, %v) : (tensor<1x8x5xf32>, tensor<8x8x1xf32>) -> tensor<1x8x5xf32>
    %1 = onnx.Reshape(%0, ..) : tensor<1x4x2x5xf32>
    %2 = onnx.Transpose(%1) {perm = array<i64: 0, 1, 3, 2>}
    %y = onnx.Reshape(%2, ..) : tensor<1x4x10xf32>
    ```

    Dilated ones, those with `output_shape`, and filters of the run stay as they are.
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

#endif // ONNXC_DIALECT_ONNX_TRANSFORMS_PASSES_TD
