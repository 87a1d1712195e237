//===- Passes.td - Writing recipes ---------------------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_RECIPE_PASSES_TD
#define ONNXC_RECIPE_PASSES_TD

include "mlir/Pass/PassBase.td"

def KrnlVersionKernelsPass : Pass<"krnl-version-kernels"> {
  let summary = "Add versions for few rows to kernels with a dynamic number of rows";
  let description = [{
    Packing an operand in each run is beneficial only for a minimum number of rows of
    the other operand, which the target defines. Where that number is dynamic, the
    kernel gets a second version for fewer rows. One of the two versions has all rows
    as iterations; the other one has none and leaves its destinations unchanged.
    Nothing is done where the best recipe for few rows packs the operand as well.
    An operand that is a copy of another tensor with rows in another order, made for
    this kernel alone, is copied for many rows only; few rows read the other tensor.
    A copy that transposes, with lanes along a dynamic number of columns of its
    operand, has such a version for few columns, whose lanes lie along its result.

    ```mlir
    %y = krnl.kernel "scores" loops [m = %m, n = 64, k = 8] ins(%x, %w : ..) outs(%o : ..) ..
    // becomes
    %isFew = arith.cmpi ult, %m, %c16 : index
    %few = arith.select %isFew, %m, %c0 : index
    %many = arith.select %isFew, %c0, %m : index
    %z = krnl.kernel "scores few" loops [m = %few, n = 64, k = 8] ins(%x, %w : ..) outs(%o : ..) ..
    %y = krnl.kernel "scores" loops [m = %many, n = 64, k = 8] ins(%x, %w : ..) outs(%z : ..) ..
    ```
  }];
  let options = [
    Option<"keepOrder", "keep-order", "bool", "false",
           "Consider only recipes that keep the order of every reduction">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def KrnlTabulateBytesPass : Pass<"krnl-tabulate-bytes", "::mlir::ModuleOp"> {
  let summary = "Replace functions of one byte by table lookups";
  let description = [{
    Operations of a payload that compute a byte from one other byte and constants,
    such as those between quantised tensors, become a `krnl.lookup` in a table, which
    the compiler evaluates by compiled code, so that results are identical. This is
    done outside of reductions, on targets with instructions for table lookups, if the
    operations cost more than the lookup of a vector. Integer divisions are not
    evaluated, because they could trap in the compiler.

    ```mlir
    %r = arith.uitofp %x : i8 to f32
    %s = math.sqrt %r : f32
    %y = arith.fptoui %s : f32 to i8
    // becomes
    %y = krnl.lookup %x in [0, 1, 1, 1, 2, ..] : i8
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::onnxc::krnl::KrnlDialect"
  ];
}

def KrnlSplitFactorsPass : Pass<"krnl-split-factors"> {
  let summary = "Compute a factor of products once, in a kernel or an op of its own";
  let description = [{
    A kernel that sums up products, one factor of which its payload computes from
    several inputs, becomes two where the cost model says that these take less
    time: one has the factor as a tensor, and one multiplies. Where the factor is
    extended from fewer bits, the tensor has these. Nothing is done where
    sizes of the tensor are dynamic, where the tensor is many times larger than what
    the kernel reads and writes, or where each element is a factor of one product. A
    third form is one kernel of both ops, whose threads compute the slices of the
    factor that they multiply. On a processor only this form is considered, for sums
    of floats and extents that are known but for the number of rows: all rows read
    panels of the factor that are computed once. Of a dynamic number of rows few have
    the kernel as it was, of which the other one continues the results.

    ```mlir
    %y = krnl.kernel "mm" loops [m = 256, n = 512, block = 8, i = 32]
        ins(%x, %w, %s : .., tensor<512x8x32xi8>, tensor<512x8xf16>) outs(%o : ..) ..
    // becomes
    %f = krnl.kernel "mm factor" loops [n = 512, block = 8, i = 32]
        ins(%w, %s : ..) outs(%scratch : tensor<512x8x32xf16>) ..
    %y = krnl.kernel "mm" loops [m = 256, n = 512, blocki = 256] ins(%f, %x : ..) outs(%o : ..) ..
    ```
  }];
  let options = [
    Option<"keepOrder", "keep-order", "bool", "false",
           "Consider only recipes that keep the order of every reduction">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def KrnlOrderConstantsPass : Pass<"krnl-order-constants"> {
  let summary = "Store constants in the order in which the kernels of a device sum over them";
  let description = [{
    Those dimensions of a constant that an op sums up are stored in the order of the
    loops of the sum, for each kernel as it needs them: a constant that kernels want
    in different orders is stored once for each. Where instructions for matrices read
    its elements only along the sums, as bytes and f32 rounded to tf32 are, these
    dimensions come last; so they do where rows of a factor do not begin at multiples of
    an access and the cost model says that this takes less time. Kernels with a recipe stay as they are.

    ```mlir
    %w = krnl.constant #blob : tensor<64x32x3x3xf16>
    %y = krnl.kernel "conv" .. {
      krnl.compute [h, w, oc | i, j, ic] (.., %b = %w[oc, ic, i, j]) ..
    // becomes
    %w = krnl.constant #blob : tensor<64x32x3x3xf16>
        layout <dims = [0, 2, 3, 1], sizes = [64, 3, 3, 32], strides = [1, 1, 1, 1]>
    %y = krnl.kernel "conv" .. {
      krnl.compute [h, w, oc | i, j, ic] (.., %b = %w[oc, i, j, ic]) ..
    ```
  }];
}

def KrnlSplitReductionsPass : Pass<"krnl-split-reductions"> {
  let summary = "Split reductions among thread blocks where a device has too few";
  let description = [{
    A kernel that has few results for the multiprocessors of the device, and
    sums up products of two inputs, becomes two where the cost model says that
    these take less time: one has the sums of parts of the terms, in a tensor of
    its own, and one adds them up, always in the same order. So do other
    reductions along several loops, of which those that are not divided may
    have dynamic extents; all other sizes are static.

    ```mlir
    %y = krnl.kernel "ffn" loops [m = 16, n = 512, k = 4096] ins(%x, %w : ..) outs(%o : ..) ..
    // becomes
    %p = krnl.kernel "ffn parts" loops [k.part = 8, m = 16, n = 512, k = 512]
        ins(%x, %w : ..) outs(%scratch : tensor<8x16x512xf32>) ..
    %y = krnl.kernel "ffn" loops [m = 16, n = 512, k.part = 8] ins(%p : ..) outs(%o : ..) ..
    ```
  }];
  let options = [
    Option<"keepOrder", "keep-order", "bool", "false",
           "Do not split sums whose order has to be kept">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def KrnlSplitRowsPass : Pass<"krnl-split-rows"> {
  let summary = "Split long rows among thread blocks where a device has too few";
  let description = [{
    A kernel whose sums all run along one loop has a row for each block of threads at
    most. Where the cost model says that it takes less time, it becomes two: one has
    the sums of parts of the rows, and one combines those of a row, always in the same
    order. Where results have an element for each of the row, each block has a part of
    them there, and combines all parts of its row; a third kernel has them where there
    are results of rows, too. Sums that depend
    on another result of the row have that of the part instead, which the second
    kernel corrects: the sum of exponentials of a softmax, squares of distances from
    a mean, and the index of a maximum. The last part of a row may be shorter.

    Where the length of rows is dynamic, the kernel keeps short ones, and
    others have long ones in parts of a known size. An extent that is 0 leaves those out
    that are not wanted: `loops [r = %short < 3, d = %n]`. There are as many parts as a
    block has threads at most. Rows that are longer have kernels whose parts take turns:
    `loops [d.part = %p < 1025, d.turn = %t, d = 1024]`. Results of one row have no such
    extent, and are always in parts.

    ```mlir
    %y = krnl.kernel "Softmax" loops [d = 131072] ins(%x : ..) outs(%o : ..) ..
    // becomes
    %p:2 = krnl.kernel "Softmax parts" loops [d.part = 128, d = 1024]
        ins(%x : ..) outs(%m, %s : tensor<1x128xf32>, tensor<1x128xf32>) ..
    %y = krnl.kernel "Softmax" loops [d.part = 128, parts = 128, d = 1024]
        ins(%p#0, %p#1, %x : ..) outs(%o : ..) ..
    ```
  }];
  let options = [
    Option<"keepOrder", "keep-order", "bool", "false",
           "Do not split sums whose order has to be kept">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def KrnlFoldMasksPass : Pass<"krnl-fold-masks"> {
  let summary = "Compute masks that are functions of indices where they are read";
  let description = [{
    A tensor with one value up to a diagonal and another one after it, such as the
    causal mask of an attention, is replaced by a comparison of indices: a constant
    of at least two dimensions, or the result of kernels that compare numbers which
    grow evenly along a dimension, as those of Range do. The mask is then not stored, and
    recipes can skip masked elements (`skip_masked`). For a device, a kernel that has such
    a comparison and reads fewer elements than it writes, as a mask of keys has them, is
    computed by its readers, too. Adding a mask of -infinity and 0
    to the scores of a softmax is a selection: what it hides is -infinity even if it was NaN.

    ```mlir
    %mask = krnl.constant dense<[[0.0, 0xFF800000], [0.0, 0.0]]> : tensor<2x2xf32>
    krnl.compute [m, n] (%a = %mask[m, n]) -> (%s = %scores[m, n]) ..
    // becomes
    krnl.compute [m, n] () -> (%s = %scores[m, n]) .. {
      %i = krnl.index n
      %j = krnl.index m
      %isHidden = arith.cmpi sgt, %i, %j : index
      %a = arith.select %isHidden, %minus_infinity, %zero : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def KrnlFoldPaddingPass : Pass<"krnl-fold-padding"> {
  let summary = "Fold padding and transpositions into the accesses of their readers";
  let description = [{
    For a device: a kernel that adds a border of one constant to a tensor, or that fills
    the border of the result of another kernel, is removed if by the cost model its
    readers take less time when they read the tensor in a range of its indices. Sizes
    along the border are known, and all readers are ops of kernels. A kernel that
    transposes a tensor, or copies a part of it, has no border: its readers have the
    indices of the tensor.

    ```mlir
    %p = krnl.kernel "pad" ins(%x : tensor<1x56x56x64xf16>) outs(%e : tensor<1x58x58x64xf16>) ..
    krnl.compute [oh, ow, oc | r, s, ic] (%a = %p[0, oh + r, ow + s, ic], ..
    // becomes
    krnl.compute [oh, ow, oc | r, s, ic]
        (%a = %x[0, oh + r - 1 in 0 to 56, ow + s - 1 in 0 to 56, ic], ..
    // and where the border has another constant than 0
    %x[0, oh + r - 1 in 0 to 56 else 0xFF800000 : f32, ow + s - 1 in 0 to 56 else 0xFF800000 : f32, ic]

    %t = krnl.kernel "transpose" ins(%x : tensor<128x12x64xf16>) outs(%e : tensor<12x128x64xf16>) ..
    krnl.compute [h, q, n | k] (%a = %t[h, q, k], ..
    // becomes
    krnl.compute [h, q, n | k] (%a = %x[q, h, k], ..
    ```
  }];
}

def KrnlJoinAttentionPass : Pass<"krnl-join-attention"> {
  let summary = "Join the three kernels of an attention";
  let description = [{
    For a device: a contraction, a kernel along each row of its result, and a
    contraction that sums up these rows become one kernel where the cost model says
    that this takes less time than the three. If the rows are a softmax, the keys may be
    in parts, each with the maximum of its scores, the sum of its exponentials and the
    sums of values. One kernel has the parts one after the other, and an op that
    merges each with those before by a running maximum; or a first kernel has all
    parts at the same time, and a second one combines them in their order.
    So 16 rows of scores of a part have to fit the memory that the threads of a block
    share, and few rows of queries have blocks for all multiprocessors. Where
    the number of keys is dynamic, the parts have a known number of them, the last
    one fewer, and the cost model assumes 1024. Where the number of queries is
    dynamic, many of them may have a version of their own, with parts one after the
    other: one of both versions has all queries, the other one none.

    ```mlir
    %o, %m, %l = krnl.kernel "MatMul+Softmax+MatMul parts" loops [b = 8, m = 4, n0 = 8, n1 = 64, ..] ..
    %y = krnl.kernel "MatMul+Softmax+MatMul" loops [b = 8, m = 4, e = 128, n0 = 8] ins(%o, %m, %l : ..) ..
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def KrnlJoinPartsPass : Pass<"krnl-join-parts"> {
  let summary = "Join the ops that write the parts of a tensor";
  let description = [{
    For a device: ops that write parts of one tensor, the first of which writes all
    of it or which leave none of it out, become one over the whole tensor where the cost
    model says that this takes less time. The element of each part is computed
    at the nearest of its indices, and that which is there selected. Where
    the size of a part is dynamic, it becomes an input; the first op writes all
    then, and it is known where the part begins.

    ```mlir
    %f = krnl.compute [p] () -> (%e = %o[p]) .. { linalg.yield %zero : f32 }
    %y = krnl.compute [d] (%e = %x[d]) -> (%r = %f[d + 1]) .. { linalg.yield %e : f32 }
    // becomes
    %y = krnl.compute [p] () -> (%e = %o[p]) .. {
      %d = arith.subi %p, %c1 : index
      %inside = arith.cmpi ult, %d, %c62 : index
      ..
      %e = tensor.extract %x[%clamped] : tensor<62xf32>
      %s = arith.select %inside, %e, %zero : f32
      linalg.yield %s : f32
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def KrnlJoinSiblingsPass : Pass<"krnl-join-siblings"> {
  let summary = "Join kernels that read the same tensors over the same loops";
  let description = [{
    For a device: kernels of one block that read tensors of the same kernels, or the
    same tensors, over loops of the same extents, and do not need each other, become
    one where the cost model says that it takes less time. They could run at the same
    time, so it takes little more than the longer one. Two products of the same factor
    become one kernel, too, where an op after the second one reads the results of the first
    one: they could not run at the same time. One op then has the sums of both, where that
    takes less time.

    ```mlir
    %a = krnl.kernel "ReduceMin" loops [d = 4096] ins(%x : ..) outs(%m : ..) ..
    %b = krnl.kernel "ReduceMax" loops [d = 4096] ins(%x : ..) outs(%n : ..) ..
    // becomes
    %r:2 = krnl.kernel "ReduceMin+ReduceMax" loops [d = 4096] ins(%x : ..) outs(%m, %n : ..) ..
    ```
  }];
  let options = [
    Option<"keepOrder", "keep-order", "bool", "false",
           "Each sum keeps the order of its terms">
  ];
}

def KrnlWriteRecipesPass : Pass<"krnl-write-recipes"> {
  let summary = "Write a recipe for the target on each kernel";
  let description = [{
    The recipe comes from a file if that has one for the kernel, otherwise from the
    cost model. Kernels with a recipe keep it. Kernels are not transformed. Where
    kernels read the same constant, a later one prefers the forms in which earlier ones
    store it, if that takes little longer. If a
    program has modules for several targets, each of them has files of its own, with
    the name of its processor before the extension: `m.sm_80.recipes` for `m.recipes`.

    ```mlir
    krnl.kernel "relu" loops [i = 64] ...
    // becomes, with vectors of 64 bytes
    krnl.kernel "relu" loops [i = 64] ... recipe [vectorize(i, 16), unroll(i, 4)]
    ```
  }];
  let options = [
    Option<"choose", "choose", "bool", "true",
           "Choose recipes by the cost model for kernels that are not in the file">,
    Option<"keepOrder", "keep-order", "bool", "false",
           "Choose only recipes that keep the order of every reduction">,
    Option<"recipes", "recipes", "std::string", "", "File of recipes to use">,
    Option<"emitRecipes", "emit-recipes", "std::string", "",
           "File to write all recipes to, \"-\" for standard output">
  ];
}

def KrnlAnnotateCostsPass : Pass<"krnl-annotate-costs"> {
  let summary = "Annotate kernels with the predicted costs of their launches";
  let description = [{
    The cost model's estimate of a kernel with its recipe, its operations and its bytes
    become attributes of the kernel, in terms of the operands that its launch will
    have. `krnl-lower-kernels` copies them to the launches.

    ```mlir
    krnl.kernel "relu" loops [i = 64] ... recipe [vectorize(i, 16)]
    // becomes
    krnl.kernel "relu" loops [i = 64] ... recipe [vectorize(i, 16)] attributes {
        krnl.cycles = [[1.600000e+01]], krnl.tile_cycles = 16 : i64,
        krnl.work = {bytes = 512 : i64, operations = {f32 = 64 : i64}}}
    ```
  }];
}

#endif // ONNXC_RECIPE_PASSES_TD
