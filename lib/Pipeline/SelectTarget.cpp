//===- SelectTarget.cpp - One module per target ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "SelectTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// A level of the x86-64 instruction set by the feature that it stands for.
struct Level {
  StringLiteral feature;
  StringLiteral name;
  int64_t vectorBytes;
};

} // namespace

/// Best first.
static constexpr Level x86Levels[] = {{"+avx512f", "x86_64_v4", 64},
                                      {"+avx2", "x86_64_v3", 32},
                                      {"+sse4.2", "x86_64_v2", 16},
                                      {"", "x86_64", 16}};

static const Level &x86Level(const target::Machine &machine) {
  std::unique_ptr<llvm::TargetMachine> created =
      target::createTargetMachine(machine);
  for (const Level &level : x86Levels)
    if (created->getMCSubtargetInfo()->checkFeatures(level.feature))
      return level;
  return x86Levels[std::size(x86Levels) - 1];
}

static bool isX86(const target::Machine &machine) {
  return llvm::Triple(machine.triple).getArch() == llvm::Triple::x86_64;
}

int64_t onnxc::nativeVectorBytes(const target::Machine &machine) {
  return isX86(machine) ? x86Level(machine).vectorBytes : 16;
}

/// A symbol name for the target: x86_64_v4, aarch64.
static std::string targetName(const target::Machine &machine) {
  if (isX86(machine))
    return x86Level(machine).name.str();
  return llvm::Triple(machine.triple).getArchName().str();
}

/// Signedness and bool are lost at the border to krnl, so the signature keeps
/// the types as the model has them.
static void keepTypes(func::FuncOp function) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    function.setArgAttr(i, "onnx.type", TypeAttr::get(type));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    function.setResultAttr(i, "onnx.type", TypeAttr::get(type));
}

namespace {

class SelectTarget : public PassWrapper<SelectTarget, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SelectTarget)

  explicit SelectTarget(const target::Machine &machine) : machine(machine) {}

  StringRef getArgument() const override { return "select-target"; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto nested =
        ModuleOp::create(builder, module.getLoc(), targetName(machine));
    nested->setAttr(
        "krnl.target",
        builder.getDictionaryAttr(
            {builder.getNamedAttr("cpu", builder.getStringAttr(machine.cpu)),
             builder.getNamedAttr(
                 "features",
                 builder.getStringAttr(target::requiredFeatures(machine))),
             builder.getNamedAttr("triple",
                                  builder.getStringAttr(machine.triple)),
             builder.getNamedAttr(
                 "vector_bytes",
                 builder.getI64IntegerAttr(nativeVectorBytes(machine)))}));
    for (func::FuncOp function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      keepTypes(function);
      function->moveBefore(nested.getBody(), nested.getBody()->end());
    }
  }

private:
  target::Machine machine;
};

} // namespace

std::unique_ptr<Pass>
onnxc::createSelectTargetPass(const target::Machine &machine) {
  return std::make_unique<SelectTarget>(machine);
}
