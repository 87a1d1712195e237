//===- ClusterOps.td - Instructions of clusters --------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_CLUSTEROPS_TD
#define ONNXC_DIALECT_KRNL_IR_CLUSTEROPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "onnxc/Dialect/Krnl/IR/KrnlDialect.td"

def Krnl_LoadClusterOp : Op<Krnl_Dialect, "load_cluster"> {
  let summary = "loads from shared memory of a block of the cluster";
  let description = [{
    The element at the same place of the memory that block `block` of the cluster has, or
    a vector of those from there on along the last dimension, which is a multiple of its
    bytes. All threads of the cluster have waited for each other after the stores to it,
    and do so before the block ends or writes there again.

    ```mlir
    %part = krnl.load_cluster %memory[%row, %column], block=2
      : memref<8x256xf32>, vector<4xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$memory,
                       Variadic<Index>:$at, I64Attr:$block);
  let results = (outs AnyType:$value);
  let assemblyFormat = [{
    $memory `[` $at `]` `,` `block` `` `=` `` $block attr-dict `:` type($memory) `,`
    type($value)
  }];
  let hasVerifier = 1;
}

#endif // ONNXC_DIALECT_KRNL_IR_CLUSTEROPS_TD
