//===- PhasesTest.cpp - When the IR of a phase is verified -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipeline/Phases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace onnxc;

namespace {

/// Gives the function a result that it does not return, or takes it away.
struct SetResults final : PassWrapper<SetResults, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetResults)

  explicit SetResults(bool isWrong) : isWrong(isWrong) {}

  void runOnOperation() override {
    SmallVector<Type> results;
    if (isWrong)
      results.push_back(IndexType::get(&getContext()));
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.setType(FunctionType::get(&getContext(), {}, results));
  }

  bool isWrong;
};

void buildWrongThenRight(OpPassManager &passes, const CompileOptions &) {
  passes.addPass(std::make_unique<SetResults>(/*isWrong=*/true));
  passes.addPass(std::make_unique<SetResults>(/*isWrong=*/false));
}

LogicalResult holds(ModuleOp) { return success(); }

bool runs(bool phaseVerifies, bool verifyEach) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>("func.func @f() { return }", &context);
  CompileOptions options;
  options.verifyEach = verifyEach;
  Phase phase{"wrong", "nothing",     buildWrongThenRight,
              holds,   phaseVerifies, phaseVerifies};
  return succeeded(runPasses(phase, *module, options));
}

TEST(Phases, CodeIsVerifiedWhenItIsComplete) {
  EXPECT_TRUE(runs(/*phaseVerifies=*/false, /*verifyEach=*/false));
}

TEST(Phases, CodeIsVerifiedAfterEachPassOnDemand) {
  EXPECT_FALSE(runs(/*phaseVerifies=*/false, /*verifyEach=*/true));
}

TEST(Phases, ModelsAreVerifiedAfterEachPass) {
  EXPECT_FALSE(runs(/*phaseVerifies=*/true, /*verifyEach=*/false));
}

} // namespace
