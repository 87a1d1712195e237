//===- Passes.td - Passes on kernels and their recipes -*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_PASSES_TD
#define ONNXC_DIALECT_KRNL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def KrnlCheckSizesPass : Pass<"krnl-check-sizes"> {
  let summary = "Check at run time that kernels do not access memory out of bounds";
  let description = [{
    The extent of a loop is the size of one dimension. For every other dimension
    that is indexed by the loop alone, the pass inserts a check that its size is
    equal, and for a dimension with another index expression, that the last index
    is in bounds. Checks that follow from the computation of the sizes, or from
    earlier checks, are omitted. So no sizes passed by a caller make a kernel
    access memory out of bounds. For a tensor created with several dynamic sizes
    that no single tensor has, the pass checks the size in bytes, so that products
    of its sizes do not overflow. It runs before kernels are fused, while each
    kernel comes from one node, which the error names.

    ```mlir
    %y = krnl.kernel "add" loops [i = %n] ins(%a, %b : tensor<?xf32>, tensor<?xf32>) ...
    // becomes
    %same = arith.cmpi eq, %size_of_b, %size_of_a : index
    krnl.check %same, "the size of dimension 0 of 'b' does not fit" sizes(%size_of_b, %size_of_a)
    %y = krnl.kernel "add" loops [i = %n] ins(%a, %b : tensor<?xf32>, tensor<?xf32>) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::onnxc::krnl::KrnlDialect"];
}

def KrnlRefuseFailuresPass : Pass<"krnl-refuse-failures"> {
  let summary = "Reject a model of which every run would fail";
  let description = [{
    A check outside of branches and loops with a constant false condition fails
    in every run. Its message becomes an error of the compilation at the same node.

    ```mlir
    %false = arith.constant false
    krnl.check %false, "the shape of the updates does not fit" sizes(%c2, %c3)
    // error: the shape of the updates does not fit: 2 and 3
    ```

    A tensor type of more than `maxTensorBytes` bytes, where sizes of 0 count as
    1, is an error as well. So products of the sizes of a tensor do not overflow
    in later passes.
  }];
}

def KrnlFusePass : Pass<"krnl-fuse"> {
  let summary = "Fuse kernels before recipes are written";
  let description = [{
    Fuses a kernel with the consumer of its result where that is beneficial for
    all recipes: elementwise kernels over the same loops, elementwise epilogues of
    contractions and reductions, elementwise producers of reductions, and row-wise
    chains (softmax, layer normalisation). With `attention`, a contraction, a
    row-wise kernel on its result and a contraction over the rows become one
    kernel, too. Elementwise ops with one user are then folded into that user, and
    results are computed in the destination where possible. Expensive payloads are
    never duplicated.

    An elementwise kernel that reads a collapsed view of another kernel's result,
    such as that of a grouped convolution, gets the loops of the result, and is
    fused with the producer. Copies of copies (slices of slices, and
    concatenations of them) read the original tensor. Finally, loops of one
    iteration are removed, and adjacent loops that access memory contiguously are
    collapsed. Each pair that is considered and not fused is reported by a missed
    remark with the reason.

    ```mlir
    %0 = krnl.kernel "add" loops [i = 64] ins(%a, %b) outs(%e) {...}
    %1 = krnl.kernel "relu" loops [d = 64] ins(%0) outs(%f) {...}
    // becomes
    %1 = krnl.kernel "add+relu" loops [i = 64] ins(%a, %b) outs(%f) {...}
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "unsigned", "16",
           "Structured ops that a kernel has at most">,
    Option<"maxOperands", "max-operands", "unsigned", "12",
           "Operands that a kernel has at most">,
    Option<"maxRow", "max-row", "int64_t", "16384",
           "Elements of a row that a row-wise kernel may keep between its ops">,
    Option<"collapse", "collapse", "bool", "true",
           "Collapse loops that access memory contiguously">,
    Option<"attention", "attention", "bool", "false",
           "Make one kernel of two contractions with the rows between them">
  ];
}

def KrnlFoldCopiesPass : Pass<"krnl-fold-copies"> {
  let summary = "Write results directly into the larger tensors that they are copied to";
  let description = [{
    A kernel that only copies whole tensors into parts of a larger one (padding,
    concatenation) is removed where the producers of these tensors can write into
    the parts; of a padding, the fill of the borders remains. Other readers of
    such a tensor read the part. The offsets of a part have to be static. If the
    copy of a padding remains, only the border is filled, unless its rows are
    short.

    ```mlir
    %1 = krnl.kernel "conv" ... outs(%e : tensor<8x14x14xf32>) {...}
    %2 = krnl.kernel "pad" ins(%1, ...) outs(%f : tensor<8x16x16xf32>) {fill; copy}
    // becomes
    %1 = krnl.kernel "conv" ... outs(%f : tensor<8x16x16xf32>) {...}
    %2 = krnl.kernel "pad" ins(...) outs(%1 : tensor<8x16x16xf32>) {fill borders}
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def KrnlChooseLayoutsPass : Pass<"krnl-choose-layouts"> {
  let summary = "Choose the layouts of tensors between kernels";
  let description = [{
    The last dimension of a tensor that only kernels access becomes the one that
    its products with weights and its windows prefer to be contiguous, such as the
    channels of convolutions and pools. Arguments and results of the function, and
    tensors that the host program reads, keep their layout. The loops of kernels
    are permuted accordingly, and so are views that split or join dimensions, such
    as the channels of grouped convolutions.

    ```mlir
    %1 = krnl.kernel "conv" ... -> tensor<1x64x56x56xf32>
    // becomes
    %1 = krnl.kernel "conv" ... -> tensor<1x56x56x64xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def KrnlMergePass : Pass<"krnl-merge"> {
  let summary = "Merge kernels whose recipes share the same outer loops";
  let description = [{
    Runs after recipes are written. The consumer's loops are renamed through the
    dimensions of the shared tensor; if both recipes then lead to the same shared
    loops, the two become one kernel and the tensor between them is kept per tile.
    Two kernels blocked 2x2 and 5x5 are left alone with the remark "loop 'i.o'
    makes 50 blocks in 'a' but 20 in 'b'", and merge once one recipe is edited.
  }];
  let options = [
    Option<"maxOps", "max-ops", "unsigned", "16",
           "Structured ops that a kernel has at most">,
    Option<"maxOperands", "max-operands", "unsigned", "12",
           "Operands that a kernel has at most">
  ];
}

def KrnlLimitStackPass : Pass<"krnl-limit-stack"> {
  let summary = "Place intermediates that exceed the stack in the arena";
  let description = [{
    Adds the step `arena` to the recipe for ops whose results for one tile do not
    fit the bytes that the target allows a kernel on the stack, beside those of
    the other ops and slices of `cache` steps. Those stay on the stack of which the
    arena would have the largest multiple. Runs after `krnl-merge`, because merged
    kernels have other intermediates.

    ```mlir
    recipe [block(m, 64) -> (m.o, m.i), fuse_outer(m.o)]
    // on a target with 1 KiB of stack for 2 KiB of results of op 0:
    recipe [block(m, 64) -> (m.o, m.i), fuse_outer(m.o), arena(0)]
    ```
  }];
}

def KrnlPrintNestPass : Pass<"krnl-print-nest"> {
  let summary = "Print the loop nest that results from each recipe";
  let description = [{
    Prints, for each kernel, the live loops with their extents, of which shared
    and parallel ones are marked, and the loops of each op. Serves to write recipes
    by hand.
  }];
}

def KrnlBufferizeHostPass : Pass<"krnl-bufferize-host", "::mlir::ModuleOp"> {
  let summary = "Bufferize the host program";
  let description = [{
    The destination of a launch becomes a new buffer, the buffer of the old value
    if that has no later use, or the buffer of a graph output. Each value that a
    loop carries or a branch yields has one owner. Constants get an offset among
    the weights, which the module attribute `krnl.weights` lists. The attributes
    `krnl.inputs` and `krnl.outputs` of the function keep the names and types of
    inputs and outputs, and the names of their dimensions: `dims` those of sizes
    that are equal, `declared_dims` those of the model where they differ.

    ```mlir
    %e = tensor.empty() : tensor<64xf32>
    %y = krnl.launch @k ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) tiles(%t)
    return %y
    // becomes
    %y = krnl.output 0() : memref<64xf32>
    krnl.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>) tiles(%t)
    return
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::onnxc::krnl::KrnlDialect"];
}

def KrnlShareWeightsPass : Pass<"krnl-share-weights", "::mlir::ModuleOp"> {
  let summary = "Share one list of weights among the modules of all levels";
  let description = [{
    The attribute `krnl.weights` of each nested module becomes the list of the
    constants of all of them, and views get the offsets in it. Equal constants of
    equal layout are stored once. Does nothing for a model with one nested module.

    ```mlir
    module @x86_64_v2 attributes {krnl.weights = [a, b], ..} {.. [64] ..}
    module @x86_64_v3 attributes {krnl.weights = [b], ..} {.. [0] ..}
    // becomes
    module @x86_64_v2 attributes {krnl.weights = [a, b], ..} {.. [64] ..}
    module @x86_64_v3 attributes {krnl.weights = [a, b], ..} {.. [64] ..}
    ```
  }];
}

def KrnlPlaceLaunchesPass : Pass<"krnl-place-launches", "::mlir::ModuleOp"> {
  let summary = "Place launches on the device and insert copies";
  let description = [{
    Every buffer that a launch accesses gets memory of the same size on the device:
    buffers of the arena at the same offset, inputs and outputs after it, constants
    among the weights. A buffer that the other side wrote last is copied before it is
    accessed, outputs at the end. Launches and kernels get their number in the table
    of kernels.

    After a branch, a buffer is valid on a side if it is after both regions. Each
    iteration of a loop begins with the same buffers valid on the same sides. Buffers
    of dynamic size are allocated by the run. Buffers that loops and branches forward,
    and those of the pool, stay on the host; each launch that accesses one copies it.

    ```mlir
    krnl.launch @k ins(%x) outs(%y) tiles(%c4) : ...
    // becomes
    %arena = krnl.device_alloc %c512
    %dx = krnl.arena_view[%c0] () in %arena : memref<64xf32>
    %dy = krnl.arena_view[%c256] () in %arena : memref<64xf32>
    krnl.copy_in %x to %dx : memref<64xf32>
    krnl.launch @k ins(%dx) outs(%dy) tiles(%c4) {krnl.device_kernel = 0 : i32} : ...
    krnl.copy_out %dy to %y : memref<64xf32>
    ```
  }];
}

def KrnlPlanMemoryPass : Pass<"krnl-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Plan the memory of the buffers of the host program";
  let description = [{
    Buffers whose size is a function of the sizes of the inputs get an offset in one
    arena, so that buffers with overlapping lifetimes do not overlap in memory. The
    largest buffer is placed first (beyond 4,096 buffers the earliest), in the
    smallest gap that fits. If all sizes are constant, so are the offsets. Otherwise
    they are computed at the beginning of a run, from a plan made with estimates: a
    buffer above another one begins where that one ends. A loop-carried value of
    constant size uses two buffers that are swapped in each iteration.

    Launches on a device run concurrently unless their buffers share bytes. There,
    buffers share bytes if their launches depend on each other anyway, or where that
    extends the critical path least, in an arena of at most 1.5 times the minimum
    size, or of 2 MiB.

    Everything else comes from the pool of the call and is released after its last
    use on every path. The attributes `krnl.arena_bytes` or `krnl.arena_formula`
    have the size of the arena. With `record-plan`, `krnl.arena_plan` lists the slots
    and the launches in which they are live, and `krnl.critical_path`, on a device,
    the launches of the critical path. Reports read and remove both.

    ```mlir
    %0 = memref.alloc(%batch) : memref<?xf32>
    %1 = memref.alloc(%n) : memref<?xf32>      // n is an element of an input
    // becomes
    %b = krnl.buffer_bytes(%batch) : memref<?xf32>
    %arena = krnl.arena_reserve %b
    %0 = krnl.arena_view[%c0] (%batch) in %arena lives [3, 9] : memref<?xf32>
    %1 = krnl.alloc(%n) : memref<?xf32>
    ...
    krnl.release %1 : memref<?xf32>
    ```
  }];
  let options = [
    Option<"recordPlan", "record-plan", "bool", "false",
           "Write the plan of the arena, and the longest chain of launches on a "
           "device, to attributes of the function">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::onnxc::krnl::KrnlDialect"];
}

def KrnlCountObjectsPass : Pass<"krnl-count-objects", "::mlir::ModuleOp"> {
  let summary = "Insert retains and releases of objects in the host program";
  let description = [{
    Each value of object type owns one reference. Its last use consumes the
    reference if the use is of a consuming kind: a yielded value, an initial value of
    a loop, an output, or an operand that a call takes. Consuming uses that are not
    the last get a reference of their own, and a value whose last use borrows it
    is released after that use. Later passes must not replace values by others.

    ```mlir
    %1 = krnl.call @insert(%0, %x) takes [0] : (!krnl.obj, index) -> !krnl.obj
    %2 = krnl.call @length(%0) : (!krnl.obj) -> index
    // becomes
    krnl.retain %0 : !krnl.obj
    %1 = krnl.call @insert(%0, %x) takes [0] : (!krnl.obj, index) -> !krnl.obj
    %2 = krnl.call @length(%0) : (!krnl.obj) -> index
    krnl.release %0 : !krnl.obj
    ```
  }];
  let dependentDialects = ["::onnxc::krnl::KrnlDialect"];
}

def KrnlCheckRealTimePass : Pass<"krnl-check-real-time", "::mlir::ModuleOp"> {
  let summary = "Reject models whose runs need more than planned memory";
  let description = [{
    A real-time run makes no heap call and no system call, and takes no lock: all
    its memory is planned, and it has one thread. Dynamic sizes, strings, objects
    and calls of runtime functions are errors at their nodes. The module gets the
    attribute `krnl.real_time`: launches form no parallel regions, and the artefact
    contains the hooks that the runtime defines otherwise.

    ```mlir
    %1 = krnl.call @sequence_at(%0, %i) : ...
    // error: this operator is computed by a function of the runtime that may
    //        take memory from the heap ('sequence_at') ...
    ```
  }];
}
def KrnlFormParallelRegionsPass : Pass<"krnl-form-parallel-regions", "::mlir::ModuleOp"> {
  let summary = "Group consecutive launches into parallel regions";
  let description = [{
    Scalar operations between launches are hoisted above them; other operations end
    the region. A barrier is inserted only between launches that conflict: one
    accesses bytes that another one since the last barrier has written, or writes
    bytes that it has read. The size of the team depends on the predicted cost. In a
    module with the attribute `krnl.real_time` launches are left alone. After each
    region, or launch outside of one, the host program checks for errors of kernels.

    ```mlir
    krnl.launch @a ins(%x : ..) outs(%y : ..) tiles(%t)
    krnl.launch @b ins(%y : ..) outs(%z : ..) tiles(%t)
    // becomes
    krnl.parallel_region tiles(%t) {
      krnl.launch @a ..
      krnl.barrier
      krnl.launch @b ..
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::onnxc::krnl::KrnlDialect"];
}

def KrnlResolveSizesPass : Pass<"krnl-resolve-sizes"> {
  let summary = "Replace sizes of results by sizes of operands";
  let description = [{
    Replaces the size of a result by a size of the operands of its operation, and
    so on up to sizes that are not derived, such as those of inputs. The time is
    linear in the number of operations.

    ```mlir
    %y = krnl.kernel "neg" ... outs(%x : tensor<?xf32>) ... -> tensor<?xf32>
    %size = tensor.dim %y, %c0 : tensor<?xf32>
    // becomes
    %size = tensor.dim %x, %c0 : tensor<?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def KrnlCSEPass : Pass<"krnl-cse"> {
  let summary = "Eliminate common subexpressions, including kernels";
  let description = [{
    Replaces operations without effects by equal ones that dominate them, and reads
    by equal ones of the same block if no operation between them writes. Is
    equivalent to MLIR's `cse` on regions of one block, but also compares kernels,
    by their bodies, in time that is linear in their length.

    ```mlir
    %a = krnl.kernel "exp" ins(%x : tensor<4xf32>) ...
    %b = krnl.kernel "exp" ins(%x : tensor<4xf32>) ...
    %y = krnl.kernel "add" ins(%a, %b : tensor<4xf32>, tensor<4xf32>) ...
    // becomes
    %a = krnl.kernel "exp" ins(%x : tensor<4xf32>) ...
    %y = krnl.kernel "add" ins(%a, %a : tensor<4xf32>, tensor<4xf32>) ...
    ```
  }];
}

def KrnlSimplifyHostPass : Pass<"krnl-simplify-host"> {
  let summary = "Canonicalize the host program outside of kernels";
  let description = [{
    Folds sizes, casts and branches around kernels. The bodies of kernels are left
    alone, because the general canonicalizer erases structured ops that only copy,
    and inserts casts between the others.

    ```mlir
    %c1 = arith.constant 1 : index
    %n = arith.addi %c1, %c1 : index
    %0 = tensor.empty(%n) : tensor<?xf32>
    // becomes
    %0 = tensor.empty() : tensor<2xf32>
    %1 = tensor.cast %0 : tensor<2xf32> to tensor<?xf32>
    ```
  }];
}

#endif // ONNXC_DIALECT_KRNL_TRANSFORMS_PASSES_TD
