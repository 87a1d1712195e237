//===- DeviceInstructions.cpp - Instructions without intrinsics -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The simulator gets sums in memory, which it overwrites with the results:
//
//   sim_wgmma_mma_async(sums, a, b, columns, types of a and b, a and b
//                       transposed)
//   sim_wgmma_mma_async_rows(sums, four words of a, b, columns, type of both, b
//                            transposed)
//   sim_wgmma_wait_group(sums, how many)
//
// Types are f16, bf16, tf32, s8 and u8, from 0 on. A wait for some groups has
// an intrinsic, without sums.
//
//===----------------------------------------------------------------------===//

#include "DeviceInstructions.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace onnxc::target {

void expandInstructions(ModuleOp kernels) {
  RewritePatternSet patterns(kernels.getContext());
  populateNVVMToLLVMConversionPatterns(patterns);
  walkAndApplyPatterns(kernels, std::move(patterns));
}

// PTX ISA, wgmma.mma_async: bytes of both kinds in one product came with 8.4.
StringRef versionFor(ModuleOp kernels) {
  bool isMixed = kernels
                     .walk([](NVVM::WgmmaMmaAsyncOp op) {
                       return op.getTypeA() == op.getTypeB()
                                  ? WalkResult::advance()
                                  : WalkResult::interrupt();
                     })
                     .wasInterrupted();
  return isMixed ? "+ptx84" : "";
}

/// Calls a function of the simulator with the record in memory and numbers;
/// returns what is in memory afterwards.
static Value callWithRecord(ModuleOp kernels, Operation *op, StringRef name,
                            Value record, ArrayRef<Value> numbers) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto pointer = LLVM::LLVMPointerType::get(op->getContext());
  Value slot;
  {
    OpBuilder::InsertionGuard guard(b);
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    b.setInsertionPointToStart(&function.getBody().front());
    Value one = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(1));
    slot = LLVM::AllocaOp::create(b, pointer, record.getType(), one);
  }
  SmallVector<Value> arguments{slot};
  llvm::append_range(arguments, numbers);
  if (!kernels.lookupSymbol(name)) {
    auto types =
        llvm::map_to_vector(arguments, [](Value it) { return it.getType(); });
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(op->getContext()), types);
    OpBuilder end = OpBuilder::atBlockEnd(kernels.getBody());
    LLVM::LLVMFuncOp::create(end, op->getLoc(), name, type);
  }
  LLVM::StoreOp::create(b, record, slot);
  LLVM::CallOp::create(b, TypeRange(), name, arguments);
  return LLVM::LoadOp::create(b, record.getType(), slot);
}

static int64_t numberOf(NVVM::WGMMATypes type) {
  constexpr NVVM::WGMMATypes types[] = {
      NVVM::WGMMATypes::f16, NVVM::WGMMATypes::bf16, NVVM::WGMMATypes::tf32,
      NVVM::WGMMATypes::s8, NVVM::WGMMATypes::u8};
  return llvm::find(types, type) - std::begin(types);
}

static void callSimulator(ModuleOp kernels, NVVM::WgmmaMmaAsyncOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto number = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(value)));
  };
  Value results = callWithRecord(
      kernels, op, "sim_wgmma_mma_async", op.getInouts(),
      {op.getDescriptorA(), op.getDescriptorB(), number(op.getShape().getN()),
       number(numberOf(op.getTypeA())), number(numberOf(op.getTypeB())),
       number(op.getLayoutA() == NVVM::MMALayout::col),
       number(op.getLayoutB() == NVVM::MMALayout::row)});
  op.getResults().replaceAllUsesWith(results);
  op.erase();
}

/// Inline PTX on sums, the first operands, which go to the function in a
/// record; the others follow it, and then the numbers.
static void callSimulator(ModuleOp kernels, LLVM::InlineAsmOp op,
                          StringRef name, ArrayRef<int32_t> numbers) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value record = LLVM::PoisonOp::create(b, op.getRes().getType());
  size_t sums = cast<LLVM::LLVMStructType>(record.getType()).getBody().size();
  for (auto [i, element] : llvm::enumerate(op.getOperands().take_front(sums)))
    record = LLVM::InsertValueOp::create(b, record, element, int64_t(i));
  SmallVector<Value> others(op.getOperands().drop_front(sums));
  others.push_back(
      LLVM::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(sums))));
  for (int32_t number : numbers)
    others.push_back(LLVM::ConstantOp::create(b, b.getI32IntegerAttr(number)));
  op.getRes().replaceAllUsesWith(
      callWithRecord(kernels, op, name, record, others));
  op.erase();
}

/// wgmma with rows in registers: the type is part of the name, and whether
/// columns are transposed comes last.
static void multiplyInSimulator(ModuleOp kernels, LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString();
  NVVM::WGMMATypes type = text.contains(".f32.f16.") ? NVVM::WGMMATypes::f16
                                                     : NVVM::WGMMATypes::bf16;
  callSimulator(kernels, op, "sim_wgmma_mma_async_rows",
                {int32_t(numberOf(type)), text.ends_with(" 1; }")});
}

/// As the intrinsic, which all GPUs would have.
static void prefetchInSimulator(LLVM::InlineAsmOp op) {
  OpBuilder b(op);
  LLVM::CallIntrinsicOp::create(b, op.getLoc(),
                                b.getStringAttr("llvm.nvvm.prefetch.global.L1"),
                                op.getOperands());
  op.erase();
}

void callSimulator(ModuleOp kernels) {
  kernels.walk([&](Operation *op) {
    if (auto product = dyn_cast<NVVM::WgmmaMmaAsyncOp>(op))
      callSimulator(kernels, product);
    else if (auto text = dyn_cast<LLVM::InlineAsmOp>(op);
             text && text.getAsmString().starts_with("wgmma.wait_group"))
      callSimulator(kernels, text, "sim_wgmma_wait_group", {});
    else if (text && text.getAsmString().contains("wgmma.mma_async"))
      multiplyInSimulator(kernels, text);
    else if (text && text.getAsmString().starts_with("prefetch.global.L1"))
      prefetchInSimulator(text);
  });
}

} // namespace onnxc::target
