//===- Contracts.cpp - Contracts of the phases -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/InputSizes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Support/ElementBytes.h"

using namespace mlir;
using namespace onnxc;

/// Diagnoses the first op that `isAllowed` refuses.
static LogicalResult allOps(ModuleOp module, StringRef phase,
                            function_ref<bool(Operation *)> isAllowed) {
  WalkResult result = module.walk([&](Operation *op) {
    if (isAllowed(op))
      return WalkResult::advance();
    op->emitError("'") << op->getName() << "' is not allowed after the phase "
                       << phase;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static bool isText(Attribute attribute) { return isa<StringAttr>(attribute); }

static bool isListOfTexts(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, isText);
}

/// Verifies what the attributes of an argument or result of a host program say
/// to those who call it.
static LogicalResult verifyDescription(func::FuncOp host,
                                       DictionaryAttr attributes) {
  std::tuple<StringRef, bool (*)(Attribute), StringRef> kinds[] = {
      {"onnx.name", isText, "a string"},
      {"onnx.dims", isListOfTexts, "a list of strings"},
      {onnx::declaredDimsAttrName, isListOfTexts, "a list of strings"},
      {"onnx.type", [](Attribute type) { return isa<TypeAttr>(type); },
       "a type"}};
  if (!attributes)
    return success();
  for (const auto &[name, isOfKind, kind] : kinds)
    if (Attribute value = attributes.get(name); value && !isOfKind(value))
      return host.emitOpError("expects ")
             << name << " to be " << kind << ", but it is " << value;
  return success();
}

static LogicalResult verifyDescriptions(ModuleOp module) {
  WalkResult result = module.walk([&](func::FuncOp host) {
    for (unsigned i = 0; i < host.getNumArguments(); ++i)
      if (failed(verifyDescription(host, host.getArgAttrDict(i))))
        return WalkResult::interrupt();
    for (unsigned i = 0; i < host.getNumResults(); ++i)
      if (failed(verifyDescription(host, host.getResultAttrDict(i))))
        return WalkResult::interrupt();
    return WalkResult::skip();
  });
  return failure(result.wasInterrupted());
}

LogicalResult onnxc::isOnnxOnly(ModuleOp module) {
  if (failed(verifyDescriptions(module)))
    return failure();
  return allOps(module, "onnx", [](Operation *op) {
    return isa_and_nonnull<onnx::ONNXDialect, func::FuncDialect,
                           BuiltinDialect>(op->getDialect());
  });
}

/// A value that is used has a type, unless it stands for an operand that is not
/// given.
static bool isTyped(Value value) {
  return !isa<NoneType>(value.getType()) || value.use_empty();
}

/// Where inference finds no type at all, an attribute named none that there is.
static LogicalResult verifyTyped(Operation *op) {
  if (!llvm::all_of(op->getResults(), [](Value v) { return isTyped(v); }))
    return op->emitOpError("has a result whose type cannot be inferred");
  for (Region &region : op->getRegions())
    if (!llvm::all_of(region.getArguments(),
                      [](Value v) { return isTyped(v); }))
      return op->emitOpError("has an argument without a type");
  return success();
}

/// Returns true if the sizes of a result are more than any memory holds.
/// Lowerings multiply sizes.
static bool isTooLarge(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || boundedBytes(tensor))
      continue;
    op->emitError(onnx::tooLargeText(tensor));
    return true;
  }
  return false;
}

LogicalResult onnxc::isOnnxTyped(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    if (isTooLarge(op))
      return WalkResult::interrupt();
    return failed(verifyTyped(op)) ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  return failure(result.wasInterrupted() || failed(isOnnxOnly(module)));
}

/// Host programs have one block, and work on tensors of known ranks, scalars
/// and objects.
static bool isHostProgram(func::FuncOp host) {
  auto isOfHost = [](Type type) {
    return !isa<UnrankedTensorType, BaseMemRefType, VectorType, NoneType>(type);
  };
  return !host.isExternal() && host.getBody().hasOneBlock() &&
         llvm::all_of(host.getArgumentTypes(), isOfHost) &&
         llvm::all_of(host.getResultTypes(), isOfHost);
}

/// Each module of a target has a host program.
static LogicalResult verifyHosts(ModuleOp module) {
  for (ModuleOp level : targetModules(module))
    if (level.getOps<func::FuncOp>().empty())
      return level.emitOpError("has no function: expected the host program");
  return success();
}

LogicalResult onnxc::isKrnlOnly(ModuleOp module) {
  if (failed(verifyHosts(module)) || failed(verifyDescriptions(module)))
    return failure();
  return allOps(module, "krnl", [](Operation *op) {
    if (auto host = dyn_cast<func::FuncOp>(op); host && !isHostProgram(host))
      return false;
    return !isa_and_nonnull<onnx::ONNXDialect>(op->getDialect());
  });
}

static bool hasTensor(TypeRange types) {
  return llvm::any_of(types, [](Type type) { return isa<TensorType>(type); });
}

/// Returns true if the bytes of the arena are computed from sizes that
/// krnl.buffer_bytes has checked. Allocations from the pool are checked by the
/// pool.
static bool isChecked(Value bytes) {
  DenseSet<Value> seen;
  SmallVector<Value> worklist{bytes};
  while (!worklist.empty()) {
    Value part = worklist.pop_back_val();
    Operation *op = part.getDefiningOp();
    if (!seen.insert(part).second || isa_and_nonnull<krnl::BufferBytesOp>(op) ||
        getConstantIntValue(part))
      continue;
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
      worklist.append({select.getTrueValue(), select.getFalseValue()});
    else if (isa_and_nonnull<arith::AddIOp, arith::MaxSIOp, arith::MinSIOp>(op))
      llvm::append_range(worklist, op->getOperands());
    else
      return false;
  }
  return true;
}

/// Returns true if there is room for a buffer for all of its sizes.
static bool hasRoom(Operation *op) {
  if (auto reserve = dyn_cast<krnl::ArenaReserveOp>(op))
    return isChecked(reserve.getBytes());
  return !isa<memref::AllocOp>(op) &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           auto buffer = dyn_cast<MemRefType>(type);
           return !buffer || boundedBytes(buffer);
         });
}

LogicalResult onnxc::isLoopsOnly(ModuleOp module) {
  return allOps(module, "loops", [](Operation *op) {
    if (isa<krnl::KernelOp>(op) || hasTensor(op->getOperandTypes()) ||
        hasTensor(op->getResultTypes()))
      return false;
    auto function = op->getParentOfType<func::FuncOp>();
    bool isInKernel =
        function && function->hasAttr(krnl::KrnlDialect::kernelAttrName);
    return isInKernel ? !isa<memref::AllocOp, krnl::AllocOp>(op) : hasRoom(op);
  });
}

LogicalResult onnxc::isLLVMOnly(ModuleOp module) {
  return allOps(module, "llvm", [](Operation *op) {
    return isa<ModuleOp>(op) ||
           isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(
               op->getDialect());
  });
}
