//===- SimplifyIdentity.td - Nodes that do nothing ------------------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_ONNX_TRANSFORMS_SIMPLIFYIDENTITY_TD
#define ONNXC_LIB_ONNX_TRANSFORMS_SIMPLIFYIDENTITY_TD

include "mlir/IR/PatternBase.td"
include "onnxc/Dialect/ONNX/IR/ONNXOps.td"

// The operand's type must be as precise as the result's: it is not inferred
// again.
def AsSharp : Constraint<
    CPred<"::onnxc::schema::isAtLeastAsSharp($0.getType(), $1.getType())">,
    "the type of the operand is less precise than that of the result">;

def SameElementType : Constraint<
    CPred<"::mlir::getElementTypeOrSelf($0) == "
          "::mlir::getElementTypeOrSelf($1)">,
    "the element type changes">;

// identity(x) -> x
def Identity_Remove : Pat<
    (ONNX_IdentityOp:$result $x), (replaceWithValue $x),
    [(AsSharp $x, $result)]>;

// cast(x : T) to T -> x
def Cast_RemoveNoop : Pat<
    (ONNX_CastOp:$result $x, $round, $saturate, $to), (replaceWithValue $x),
    [(AsSharp $x, $result), (SameElementType $x, $result)]>;

#endif // ONNXC_LIB_ONNX_TRANSFORMS_SIMPLIFYIDENTITY_TD
