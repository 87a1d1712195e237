//===- WarpgroupOps.td - Instructions of warpgroups ----*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_WARPGROUPOPS_TD
#define ONNXC_DIALECT_KRNL_IR_WARPGROUPOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "onnxc/Dialect/Krnl/IR/KrnlDialect.td"

def Krnl_WgmmaRowsOp : Op<Krnl_Dialect, "wgmma_rows", [
    AllTypesMatch<["acc", "result"]>]> {
  let summary = "a product of rows in registers by a warpgroup";
  let description = [{
    As krnl.wgmma, for f16 and bf16, but each warp has its 16 rows in `lhs`, as krnl.mma
    has them. Nothing writes to these registers before krnl.wgmma_wait has the sums.

    ```mlir
    %sum = krnl.wgmma_rows %acc, %rows, %w {rhsTransposed}
      : vector<64xf32>, vector<8xf16>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32]>:$acc,
                       VectorOfLengthAndType<[8], [F16, BF16]>:$lhs, I64:$rhs,
                       UnitAttr:$rhsTransposed);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$result);
  let assemblyFormat = [{
    $acc `,` $lhs `,` $rhs attr-dict `:` type($acc) `,` type($lhs)
  }];
  let hasVerifier = 1;
}

#endif // ONNXC_DIALECT_KRNL_IR_WARPGROUPOPS_TD
