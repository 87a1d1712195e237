//===- EmitPacking.cpp - Packing at run time --------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "LaneIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "onnxc/Dialect/Krnl/Emit/EmitKernel.h"

using namespace mlir;

namespace onnxc::krnl {

/// Reads the operand where the packed position lies inside it, else zero.
static Value readOrZero(ImplicitLocOpBuilder &b, Value source,
                        ArrayRef<Value> at) {
  auto type = cast<MemRefType>(source.getType());
  Value inside = arith::ConstantIntOp::create(b, 1, 1);
  SmallVector<Value> clamped;
  for (auto [dim, index] : llvm::enumerate(at)) {
    Value last = arith::ConstantIndexOp::create(b, type.getDimSize(dim) - 1);
    Value ok = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, index, last);
    inside = arith::AndIOp::create(b, inside, ok);
    clamped.push_back(arith::MinUIOp::create(b, index, last));
  }
  Value element = memref::LoadOp::create(b, source, clamped);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element.getType()));
  return arith::SelectOp::create(b, inside, element, zero);
}

func::FuncOp emitPacking(Location loc, RankedTensorType source,
                         const PackedOperand &pack, OpBuilder &at,
                         StringRef name) {
  auto memref = [](RankedTensorType type) {
    return MemRefType::get(type.getShape(), type.getElementType());
  };
  Type index = at.getIndexType();
  auto func = func::FuncOp::create(
      at, loc, name,
      at.getFunctionType({memref(source), memref(pack.type), index, index},
                         {}));
  func.setPrivate();
  func->setAttr("krnl.kernel", at.getUnitAttr());
  ImplicitLocOpBuilder b(loc, at.getContext());
  b.setInsertionPointToStart(func.addEntryBlock());
  SmallVector<Value> lower, upper, steps;
  for (auto [i, size] : llvm::enumerate(pack.type.getShape())) {
    lower.push_back(i == 0 ? Value(func.getArgument(2))
                           : arith::ConstantIndexOp::create(b, 0));
    upper.push_back(i == 0 ? Value(func.getArgument(3))
                           : arith::ConstantIndexOp::create(b, size));
    steps.push_back(arith::ConstantIndexOp::create(b, 1));
  }
  scf::buildLoopNest(
      b, loc, lower, upper, steps,
      [&](OpBuilder &inner, Location, ValueRange position) {
        ImplicitLocOpBuilder ib(loc, inner);
        SmallVector<Value> indices(source.getRank(),
                                   arith::ConstantIndexOp::create(ib, 0));
        for (auto [i, value] : llvm::enumerate(position)) {
          int64_t dim = pack.layout.getDims()[i];
          Value stride =
              arith::ConstantIndexOp::create(ib, pack.layout.getStrides()[i]);
          Value offset = arith::MulIOp::create(ib, value, stride);
          indices[dim] = arith::AddIOp::create(ib, indices[dim], offset);
        }
        Value element = readOrZero(ib, func.getArgument(0), indices);
        memref::StoreOp::create(ib, element, func.getArgument(1), position);
      });
  func::ReturnOp::create(b);
  return func;
}

} // namespace onnxc::krnl
