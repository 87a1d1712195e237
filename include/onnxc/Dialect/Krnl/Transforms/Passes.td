//===- Passes.td - Passes on kernels and their recipes -*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_TRANSFORMS_PASSES_TD
#define ONNXC_DIALECT_KRNL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def KrnlCheckSizesPass : Pass<"krnl-check-sizes"> {
  let summary = "check in the run that kernels read nothing beyond their operands";
  let description = [{
    A loop runs as far as one dimension is long. Every other dimension that it
    reads or writes gets a check that it is as long, and one read by more than a
    loop alone that the last position lies inside, unless that follows from how the
    sizes are computed or from checks before: no sizes that a caller gives make a
    kernel read beyond an operand. A tensor that is made with several dynamic
    sizes that no single tensor has gets a check of its bytes, so that products
    of its sizes do not overflow. Runs before kernels are fused, while each is
    of one node, which the error names.

    ```mlir
    %y = krnl.kernel "add" loops [i = %n] ins(%a, %b : tensor<?xf32>, tensor<?xf32>) ...
    // becomes
    %same = arith.cmpi eq, %size_of_b, %size_of_a : index
    krnl.check %same, "the size of dimension 0 of 'b' does not fit" sizes(%size_of_b, %size_of_a)
    %y = krnl.kernel "add" loops [i = %n] ins(%a, %b : tensor<?xf32>, tensor<?xf32>) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def KrnlRefuseFailuresPass : Pass<"krnl-refuse-failures"> {
  let summary = "refuse a model whose every run would fail";
  let description = [{
    A check outside branches and loops whose condition is known to be false ends
    each run: its message becomes an error of the compilation, of the same node.

    ```mlir
    %false = arith.constant false
    krnl.check %false, "the shape of the updates does not fit" sizes(%c2, %c3)
    // error: the shape of the updates does not fit: 2 and 3
    ```

    A tensor of a type too large for any memory is an error, too, wherever it
    is: its bytes, each size counted as at least 1, are above `maxTensorBytes`.
    Products of the sizes of a tensor do not overflow in later passes.
  }];
}

def KrnlFusePass : Pass<"krnl-fuse"> {
  let summary = "form larger kernels before recipes are written";
  let description = [{
    Merges a kernel into the one that uses its result where the two belong
    together for all recipes: elementwise kernels over the same loops,
    elementwise epilogues of contractions and reductions, elementwise producers
    of reductions, and row-wise chains (softmax, layer normalisation). On
    request an attention becomes one kernel, too: a contraction, a row-wise
    kernel on its result, and a contraction over the rows. Elementwise ops with
    one user are then folded into that user, and results are computed in the
    destination where that is possible. Nothing expensive is computed twice.
    An elementwise kernel that reads a collapsed view of another kernel's result,
    as that of a grouped convolution, gets the loops of the result itself, and is
    fused with its maker. Copies that other copies read (slices of slices, and
    concatenations of them) go: those read what was copied. Last, loops of one
    iteration go, and neighbouring loops
    that access memory contiguously become one. Each pair that was considered and not fused is a
    missed remark with the reason.

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
  let summary = "let kernels write into the parts of larger tensors";
  let description = [{
    A kernel that only copies whole tensors into parts of a larger one (padding,
    concatenation) goes where the makers of these tensors can write there
    themselves; of padding the filling of the borders is left. Other readers of
    such a tensor read the part. The part begins at static positions, for all
    sizes. Of a copy that stays, too, only the border is filled, unless its rows
    are short.

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
  let summary = "choose the order of dimensions of tensors between kernels";
  let description = [{
    A tensor that only kernels access gets that dimension last which the products
    with weights and the windows that work on it prefer along memory:
    convolutions and pools their channels. Operands and results of the function
    and all that the host program reads keep their order. The loops of the
    kernels follow, and so do views that split or join dimensions, as the channels
    of grouped convolutions.

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
  let summary = "merge kernels whose recipes share the same outer loops";
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
  let summary = "put intermediates that the stack has no room for into the arena";
  let description = [{
    Recipes get the step `arena` for each op of whose results a tile would have
    more bytes on the stack than the target allows. Kernels that are merged have
    other intermediates, so this comes after `krnl-merge`.

    ```mlir
    recipe [block(m, 64) -> (m.o, m.i), fuse_outer(m.o)]
    // on a target with 1 KB of stack for 2 KB of results of op 0:
    recipe [block(m, 64) -> (m.o, m.i), fuse_outer(m.o), arena(0)]
    ```
  }];
}

def KrnlPrintNestPass : Pass<"krnl-print-nest"> {
  let summary = "show the loops that each recipe leads to";
  let description = [{
    Prints, for each kernel, the live loops with their extents (shared and parallel
    ones marked) and the loops of each op. For writing recipes by hand.
  }];
}

def KrnlBufferizeHostPass : Pass<"krnl-bufferize-host", "::mlir::ModuleOp"> {
  let summary = "tensors of the host program become buffers";
  let description = [{
    Launches write into buffers: fresh ones, the old value's where it has no
    later use, or those of graph outputs. Values that loops carry and branches
    yield get one owner each. Constants get their offsets among
    the weights, which the module attribute `krnl.weights` lists; the function
    keeps the names and types of inputs and outputs as `krnl.inputs`,
    `krnl.outputs`.

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
  let summary = "the modules of several levels have one list of weights";
  let description = [{
    Each nested module gets the constants of all of them as `krnl.weights`, and
    its views the offsets there: equal constants of equal layout are stored once.
    Does nothing for a model with one nested module.

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
  let summary = "let launches run on the device, and copy what they need";
  let description = [{
    Every buffer that a launch has gets memory of the same size on the device: those
    of the arena at the same offset, inputs and outputs after it, constants among the
    weights. A buffer is copied where the other side has written it last, before it is
    needed, and outputs at the end. Launches and kernels get their number in the table
    of kernels.

    After a branch a side has a buffer if it has it after both; each iteration of a
    loop begins with a buffer on the same sides. Buffers of dynamic size get memory of
    the run. Those that loops and branches forward, and those of the pool, stay on the
    host, and each launch that has one copies it.

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
  let summary = "give every buffer of the host program its memory";
  let description = [{
    Buffers whose size follows from the sizes of the inputs get an offset in one
    arena, so that those alive at the same time do not overlap: largest first
    (more than 4,096 of them earliest first), into the tightest gap. If all sizes are constants, so are the offsets; else
    they are computed when a run begins, from a plan made with estimates: a
    buffer above another one begins where that one ends. A loop-carried value of
    one size uses two buffers that swap in each iteration.

    Launches on a device run at the same time unless their buffers share bytes:
    there buffers share them where their launches wait for each other anyway, or
    where the chain of launches that takes longest grows least by that, in an arena
    that is at most half as large again, or has 2 MB.

    Everything else comes from the pool of the call and is released after its last
    use on every path. The attributes `krnl.arena_bytes` or `krnl.arena_formula`
    have the size of the arena. With `record-plan`, `krnl.arena_plan` lists the slots
    and the launches by when they are needed, and `krnl.critical_path`, on a
    device, the launches of that chain: for reports, which take both away.

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
  let summary = "retain and release the objects of the host program";
  let description = [{
    Each value that is an object owns one reference. Its last use takes the
    reference over if it may: a value that a block yields, an initial value of a
    loop, an output, an operand that a call takes. Such uses get a reference of
    their own where they are not the last, and a value whose last use borrows it
    is released after that. After this pass no value may become another.

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
  let summary = "refuse a model whose run needs more than planned memory";
  let description = [{
    A real-time run makes no heap call, takes no lock and calls no system: all its
    memory is planned, and it has one thread. Dynamic sizes,
    strings, objects and calls of functions of the runtime are errors of their
    nodes. The module gets the attribute `krnl.real_time`: launches form no
    parallel regions, and the artefact has the hooks of the runtime itself.

    ```mlir
    %1 = krnl.call @sequence_at(%0, %i) : ...
    // error: this operator is computed by a function of the runtime that may
    //        take memory from the heap ('sequence_at') ...
    ```
  }];
}
def KrnlFormParallelRegionsPass : Pass<"krnl-form-parallel-regions", "::mlir::ModuleOp"> {
  let summary = "launches that follow each other run as one region";
  let description = [{
    Scalar work between launches moves before them; other ops end the region.
    Inside, a barrier separates launches only where one touches bytes that
    another one since the last barrier has written, or writes bytes that one has
    read. The team is as large as the work pays for. In a module with the attribute
    `krnl.real_time` launches stay where they are. After each region, or launch, the
    host looks whether one has met an error.

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
  let summary = "sizes of results become sizes of the operands";
  let description = [{
    Replaces the size of a result by one of the sizes of the operation's operands,
    back to sizes that nothing is known of, like those of inputs. Takes time in
    proportion to the number of operations, however long chains are.

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
  let summary = "eliminate common subexpressions, kernels among them";
  let description = [{
    Replaces operations without effects by equal ones that are computed before,
    and reads by equal ones of the same block if nothing between them writes.
    Equals MLIR's `cse` for regions of one block, in time that is proportional
    to their length: it compares kernels by their bodies.

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
  let summary = "canonicalize the host program, but not the kernels in it";
  let description = [{
    Folds sizes, casts and branches around kernels. The bodies of kernels stay as
    they were made: the general canonicalizer erases structured ops that only
    copy, and puts casts between the others.

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
