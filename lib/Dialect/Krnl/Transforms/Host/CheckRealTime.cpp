//===- CheckRealTime.cpp - Models that run in planned memory ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/RealTime.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Support/NodeLocations.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLCHECKREALTIMEPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"

namespace {

/// The reason why values of the type have no planned memory where indices have
/// so many bits; empty if they have.
StringRef problemOf(Type type, int64_t indexBits) {
  auto shaped = dyn_cast<ShapedType>(type);
  Type element = shaped ? shaped.getElementType() : type;
  if (isa<StrType>(element))
    return "strings are not for a real-time run";
  if (isa<ObjType>(element))
    return "sequences, maps, optionals and tensors of unknown rank are not for "
           "a real-time run";
  if (shaped && !shaped.hasStaticShape())
    return "a dynamic size is not for a real-time run: fix the "
           "sizes of inputs with --dim or --shape, and leave out operators "
           "whose results have data-dependent sizes, or rows "
           "that a loop collects";
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (ranked && indexBits == 32 &&
      boundedBytes(ranked).value_or(INT64_MAX) > INT32_MAX)
    return "a tensor is too large for a machine of 32 bits";
  return "";
}

/// "1x1xSIZEx257"
std::string shapeText(ShapedType type) {
  return llvm::join(llvm::map_range(type.getShape(),
                                    [](int64_t size) {
                                      return ShapedType::isDynamic(size)
                                                 ? "SIZE"
                                                 : std::to_string(size);
                                    }),
                    "x");
}

/// Reports the value if it has no planned memory. Returns true if so.
bool refuse(Value value, int64_t indexBits) {
  StringRef problem = problemOf(value.getType(), indexBits);
  if (problem.empty())
    return false;
  InFlightDiagnostic error = emitError(value.getLoc(), problem);
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || isa<StrType, ObjType>(type.getElementType()))
    return true; // no size is the reason
  error << " (its type is " << type << ")";
  auto input = dyn_cast<BlockArgument>(value);
  StringRef name = nameOf(value.getLoc());
  if (input && !type.hasStaticShape() && !name.empty() &&
      isa<func::FuncOp>(input.getOwner()->getParentOp()))
    error.attachNote() << "--shape=" << name << ":" << shapeText(type)
                       << " fixes the sizes of this input";
  return true;
}

/// Reports an op that takes memory, or the first value of it without planned
/// memory. Where an operand has none either, that one is reported alone.
bool refuse(Operation *op, int64_t indexBits) {
  if (auto call = dyn_cast<CallOp>(op)) {
    call.emitError("this operator is computed by a function of the runtime "
                   "that may take memory from the heap ('")
        << call.getCallee()
        << "'), which is not for a real-time run: compute it in the program, "
           "and leave it out of the model with --from and --to";
    return true;
  }
  if (llvm::any_of(op->getOperandTypes(), [&](Type type) {
        return !problemOf(type, indexBits).empty();
      }))
    return false;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (refuse(argument, indexBits))
          return true;
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return refuse(result, indexBits); });
}

/// Reports the inputs of functions without planned memory. Returns true if
/// there are any: most values computed from them have none either.
bool refuseInputs(ModuleOp module, int64_t indexBits) {
  bool isRefused = false;
  for (auto function : module.getOps<func::FuncOp>())
    for (BlockArgument input : function.getArguments())
      isRefused |= refuse(input, indexBits);
  return isRefused;
}

struct KrnlCheckRealTime
    : public impl::KrnlCheckRealTimePassBase<KrnlCheckRealTime> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module->setAttr(realTimeAttrName, UnitAttr::get(&getContext()));
    // Loops poll the deadline, which such a run does not have.
    module.walk([](CallOp call) {
      if (call.getCallee() == "onnxc_call_poll")
        call.erase();
    });
    int64_t bits = TargetAttr::processorOf(module).indexBits;
    if (refuseInputs(module, bits))
      return signalPassFailure();
    bool isRefused = false;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      isRefused |= refuse(op, bits);
      return isa<KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    if (isRefused)
      signalPassFailure();
  }
};

} // namespace
} // namespace onnxc::krnl
