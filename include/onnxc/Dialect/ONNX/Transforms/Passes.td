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

    Not folded are the following; where only an attempt shows this, the attribute
    `onnx.not_folded` and a remark give the reason:
    * results larger than the constants they come from by more than 64 KiB;
    * DequantizeLinear, which makes weights larger, random operators, loops;
    * computations of more than 2^30 steps or 1 GiB;
    * operations that fail: the run reports the error.

    Small integers that describe shapes are folded by `onnx-simplify` itself.
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect",
                           "::mlir::func::FuncDialect"];
}

def FuseQuantization : Pass<"onnx-fuse-quantization", "::mlir::ModuleOp"> {
  let summary = "Compute products of quantised tensors in integers";
  let description = [{
    Values between DequantizeLinear and QuantizeLinear are integers times a scale.
    Their products become sums of products of bytes:

    * Conv, MatMul and Gemm of two dequantised operands, QLinearConv,
      QLinearMatMul, ConvInteger and MatMulInteger all become ConvInteger or
      MatMulInteger of unsigned by signed bytes without zero points. Zero points
      add a constant sum over the weights, and one over the data if the weights
      have one, too.
    * Scales, bias and the conversion back to bytes become elementwise operations,
      which are fused with the product. The scale of the result is folded into that
      of the product, instead of dividing every element.
    * Operators that only move elements, and MaxPool, are swapped with
      DequantizeLinear, so that they move bytes. A QuantizeLinear that restores
      the dequantised bytes is removed.

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

    Results can differ from those in floats by one quantum, because values are
    rounded at other places.
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

def InferShapes : Pass<"onnx-infer-shapes", "::mlir::ModuleOp"> {
  let summary = "Infer the most precise type of every value";
  let description = [{
    Types come from the functions of the operators' schemas and from the
    dimension rules of `DimAnalysis`, and are merged with the ones already
    there: types only become more precise. Arguments of bodies, their terminators
    and the results of the function are updated.

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
  let summary = "Use one value for the size of all input dimensions of one name";
  let description = [{
    Dimensions of inputs with one name are equal, which each run checks.
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
  let summary = "Allow dimensions of one name to differ where no operation needs them equal";
  let description = [{
    Some exporters give the same name to dimensions that differ in a run, such as
    the heights of two images. Dimensions keep a common name only if an operation
    requires them to be equal; the others lose it or get another one, and
    `onnx.declared_dims` keeps the names of the model, which users see. A run
    checks that the sizes of one name in `onnx.dims` are equal.

    ```mlir
    // before
    func.func @main_graph(%a: tensor<?x4xf32> {onnx.dims = ["n", ""]},
                          %b: tensor<?x4xf32> {onnx.dims = ["n", ""]})
      %y = onnx.Concat(%a, %b) {axis = 0 : i64}
    // after
    func.func @main_graph(%a: tensor<?x4xf32> {onnx.dims = ["n", ""]},
                          %b: tensor<?x4xf32> {onnx.declared_dims = ["n", ""],
                                               onnx.dims = ["", ""]})
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
    * Nodes without an effect are removed, such as Identity, Dropout, Cast, Pad,
      Transpose and Reshape; chains of them become one.
    * A tensor of one number is a ConstantOfShape, also where it is cast or was
      an Expand.
    * Integers that are sizes of a tensor are written as its Shape, and operands
      expanded beside one of the result's shape are used as they were.
    * A Reshape that only splits dimensions goes before a Transpose of another
      view, and before a Gather of one index, so that views become one and
      copies stand side by side.
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

def FuseMasks : Pass<"onnx-fuse-masks", "::mlir::ModuleOp"> {
  let summary = "Let a softmax find the rows that its mask hides";
  let description = [{
    The function of Attention finds rows that see no key by the maxima of the bias
    that it adds to scores, and makes their weights 0 instead of NaN. The softmax has
    the maxima of the scores anyway: these are -infinity where the bias is, even if they
    are NaN, and the attribute says that rows of nothing else are 0. Conditions of which
    the bias is made, such as a mask of bools, hide scores directly, also beneath views
    and paddings.

    ```mlir
    // before
    %b = onnx.Where(%mask, %zero, %minus_infinity)
    %x = onnx.Add(%s, %b)
    %p = onnx.Softmax(%x)
    %m = onnx.ReduceMax(%b) axes(%last)
    %h = onnx.Equal(%m, %minus_infinity)
    %y = onnx.Where(%h, %zero, %p)
    // after
    %x = onnx.Where(%mask, %s, %minus_infinity)
    %y = onnx.Softmax(%x) {onnx.hidden_rows_are_zero}
    ```

    Another bias is added by an Add with the attribute `onnx.hides`, which is -infinity
    where the bias is. Rows of which all scores are -infinity, though the bias is not, are
    0 as well, and not NaN.
  }];
  let dependentDialects = ["::onnxc::onnx::ONNXDialect"];
}

def SplitConvTranspose : Pass<"onnx-split-conv-transpose", "::mlir::ModuleOp"> {
  let summary = "Rewrite transposed convolutions with constant filters as convolutions";
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
