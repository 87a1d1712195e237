//===- LoopBodies.cpp - Shared parts of Loop and Scan -----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "LoopBodies.h"

#include "Builders/HostValues.h"
#include "Control/Containers.h"
#include "Control/ControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Support/ElementBytes.h"

using namespace mlir;

namespace onnxc {

static Type carriedType(Type init, Type argument, Type yielded) {
  for (Type type : {init, argument, yielded})
    if (isa<onnx::OptType>(type))
      return type;
  auto tensor = dyn_cast<TensorType>(argument);
  if (!tensor)
    return argument;
  Type joined = joinRanked(joinRanked(init, argument), yielded);
  return joined ? joined : UnrankedTensorType::get(tensor.getElementType());
}

LogicalResult carriedTypes(Block &body, const CarriedLoop &plan,
                           TypeRange arguments, CarriedTypes &types) {
  TypeRange yielded = TypeRange(body.getTerminator()->getOperandTypes())
                          .drop_front(plan.yieldsCondition);
  for (auto [init, argument, next] :
       llvm::zip(plan.initialTypes, arguments, yielded)) {
    types.graph.push_back(carriedType(init, argument, next));
    types.converted.push_back(krnlType(types.graph.back()));
  }
  for (Type row : yielded.drop_front(plan.carried.size())) {
    if (!isa<TensorType>(row))
      return failure();
    auto type = dyn_cast<RankedTensorType>(row);
    if (!type) {
      types.converted.push_back(krnl::ObjType::get(row.getContext()));
      continue;
    }
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    llvm::append_range(shape, type.getShape());
    types.converted.push_back(
        RankedTensorType::get(shape, krnlType(type.getElementType())));
  }
  return success();
}

/// The type of rows that the loop collects: static, with room for all, if their
/// number and sizes are known.
static Type rowsType(Type type, const CarriedLoop &plan) {
  auto rows = dyn_cast<RankedTensorType>(type);
  std::optional<int64_t> tripCount;
  if (plan.isExact && plan.tripCount)
    tripCount = getConstantIntValue(plan.tripCount);
  if (!rows || rows.getNumDynamicDims() != 1 || tripCount.value_or(-1) < 0)
    return type;
  SmallVector<int64_t> shape(rows.getShape());
  shape.front() = *tripCount;
  auto known = RankedTensorType::get(shape, rows.getElementType());
  return boundedBytes(known) ? Type(known) : type;
}

scf::WhileOp
buildLoop(ConversionPatternRewriter &rewriter, Location loc,
          const CarriedLoop &plan, const CarriedTypes &types, Block &body,
          llvm::function_ref<SmallVector<Value>(ValueRange)> arguments) {
  SmallVector<Value> inits{indexConstant(rewriter, loc, 0), plan.condition};
  for (auto [i, type] : llvm::enumerate(types.converted)) {
    if (i < plan.carried.size())
      inits.push_back(convertValue(rewriter, loc, plan.carried[i],
                                   plan.initialTypes[i], types.graph[i], type));
    else
      // Scan outputs have no rows before the first iteration.
      inits.push_back(emptyValue(rewriter, loc, rowsType(type, plan)));
  }
  SmallVector<Type> all = llvm::to_vector(ValueRange(inits).getTypes());
  auto loop = scf::WhileOp::create(rewriter, loc, all, inits);
  loop->setAttr(yieldedAttr,
                rewriter.getDenseI64ArrayAttr(
                    {plan.yieldsCondition, int64_t(plan.carried.size())}));
  if (plan.isExact)
    loop->setAttr(exactTripCountAttr, rewriter.getUnitAttr());
  loop->setAttr(graphTypesAttr, rewriter.getTypeArrayAttr(types.graph));
  SmallVector<Location> locs(all.size(), loc);
  Block *before = rewriter.createBlock(&loop.getBefore(), {}, all, locs);
  Value condition = before->getArgument(1);
  if (plan.tripCount) {
    Value isLess =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                              before->getArgument(0), plan.tripCount);
    condition = arith::AndIOp::create(rewriter, loc, condition, isLess);
  }
  scf::ConditionOp::create(rewriter, loc, condition, before->getArguments());
  Block *after = rewriter.createBlock(&loop.getAfter(), {}, all, locs);
  SmallVector<Value> values = arguments(after->getArguments());
  rewriter.inlineBlockBefore(&body, after, after->end(), values);
  rewriter.setInsertionPointAfter(loop);
  return loop;
}

} // namespace onnxc
