//===- KrnlDialect.cpp - Registration of the krnl dialect ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/ClusterOps.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/WarpgroupOps.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::krnl;

#include "onnxc/Dialect/Krnl/IR/KrnlDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "onnxc/Dialect/Krnl/IR/KrnlTypes.cpp.inc"

#define GET_OP_CLASSES
#include "onnxc/Dialect/Krnl/IR/KrnlOps.cpp.inc"

void KrnlDialect::initialize() {
  registerAttributes();
  addAttribute(TargetAttr::getTypeID(), TargetAttr::registerWith(*this));
  registerTypes();
  registerOperations();
}

void KrnlDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "onnxc/Dialect/Krnl/IR/KrnlTypes.cpp.inc"
      >();
}

void KrnlDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/Krnl/IR/KrnlOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/Krnl/IR/ClusterOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "onnxc/Dialect/Krnl/IR/WarpgroupOps.cpp.inc"
      >();
}

Operation *KrnlDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  if (typed && typed.getType() == type && isa<RankedTensorType>(type))
    return ConstantOp::create(builder, loc, typed, PackedLayoutAttr());
  if (auto packed = dyn_cast<ArrayAttr>(value); packed && packed.size() == 2)
    return ConstantOp::create(builder, loc, cast<TypedAttr>(packed[0]),
                              cast<PackedLayoutAttr>(packed[1]));
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
