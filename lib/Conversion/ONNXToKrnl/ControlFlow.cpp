//===- ControlFlow.cpp - If, Loop and Scan ----------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Branches become scf.if, loops scf.while. A loop carries its counter, its
// condition, the values of the graph, and what it has scanned so far: one
// tensor for each scan output, newest row first, put in order afterwards.
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Conversion/ONNXToKrnl/Rows.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// On the loop while its body is converted: how many of the yielded values
/// are the condition (0 or 1), and how many are carried.
constexpr StringLiteral yieldedAttr = "krnl.yielded";

RankedTensorType rankedType(Value v) {
  return dyn_cast<RankedTensorType>(v.getType());
}

/// The type with the sizes on which both agree; null where they have none.
Type join(Type x, Type y) {
  auto a = dyn_cast_or_null<RankedTensorType>(x);
  auto b = dyn_cast_or_null<RankedTensorType>(y);
  if (!a || !b || a.getRank() != b.getRank())
    return {};
  SmallVector<int64_t> shape(a.getShape());
  for (auto [size, other] : llvm::zip(shape, b.getShape()))
    if (size != other)
      size = ShapedType::kDynamic;
  return RankedTensorType::get(shape, a.getElementType());
}

Value castTo(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type || !isa<TensorType>(type))
    return value;
  return tensor::CastOp::create(b, loc, type, value);
}

/// As castTo, but a value of another rank than the graph says is an error of
/// the run that gets to it.
Value castToRank(OpBuilder &b, Location loc, Value value, Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || rankedType(value).getRank() == ranked.getRank())
    return castTo(b, loc, value, type);
  Value never = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  krnl::CheckOp::create(b, loc, never,
                        "If: a branch gives a value of another rank");
  SmallVector<Value> none(ranked.getNumDynamicDims(), indexConstant(b, loc, 0));
  return tensor::EmptyOp::create(b, loc, ranked, none);
}

/// Reads a bool of one element.
Value isTrue(OpBuilder &b, Location loc, Value tensor) {
  Value stored = onlyElement(b, loc, tensor);
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(stored.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, stored, zero);
}

/// A scalar as a tensor of one element, of an integer type.
Value asTensor(OpBuilder &b, Location loc, Value scalar,
               RankedTensorType type) {
  Type element = type.getElementType();
  if (scalar.getType().isIndex())
    scalar = arith::IndexCastOp::create(b, loc, element, scalar);
  else if (scalar.getType() != element)
    scalar = arith::ExtUIOp::create(b, loc, element, scalar);
  if (!type.hasStaticShape())
    type =
        RankedTensorType::get(SmallVector<int64_t>(type.getRank(), 1), element);
  return tensor::FromElementsOp::create(b, loc, type, scalar);
}

/// The rows, put along `axis`, in their order or the other way round.
Value arrange(OpBuilder &b, Location loc, Value rows, int64_t axis,
              bool reverse) {
  RankedTensorType type = rankedType(rows);
  SmallVector<int64_t> order;
  for (int64_t d = 1; d < type.getRank(); ++d)
    order.push_back(d);
  order.insert(order.begin() + axis, 0);
  KernelBuilder kernel(b, loc, "arrange");
  SmallVector<AffineExpr> loops = kernel.loopsOf(type), outAt;
  SmallVector<Value> sizes = sizesOf(b, loc, rows), outSizes;
  SmallVector<int64_t> shape;
  for (int64_t d : order) {
    outAt.push_back(loops[d]);
    outSizes.push_back(sizes[d]);
    shape.push_back(type.getDimSize(d));
  }
  Value last = subIndex(b, loc, sizes[0], indexConstant(b, loc, 1));
  Value in = kernel.input(rows), lastInside = kernel.input(last);
  auto outType = RankedTensorType::get(shape, type.getElementType());
  Value out = kernel.output(outType, dynamicSizes(outType, outSizes));
  Value result =
      kernel.generic({{in, loops}}, {out, outAt}, {},
                     [&](OpBuilder &nb, Location l, ValueRange v) -> Value {
                       if (!reverse)
                         return v[0];
                       SmallVector<Value> at;
                       for (AffineExpr loop : loops)
                         at.push_back(kernel.index(nb, l, loop));
                       at[0] = arith::SubIOp::create(nb, l, lastInside, at[0]);
                       return tensor::ExtractOp::create(nb, l, in, at);
                     });
  return kernel.finish({result}).front();
}

/// Position `i` of `tensor` along `axis`.
Value slice(OpBuilder &b, Location loc, Value tensor, int64_t axis, Value i) {
  RankedTensorType type = rankedType(tensor);
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  SmallVector<Value> sizes = sizesOf(b, loc, tensor);
  sizes.erase(sizes.begin() + axis);
  auto outType = RankedTensorType::get(shape, type.getElementType());
  KernelBuilder kernel(b, loc, "slice");
  SmallVector<AffineExpr> loops;
  for (auto [d, size] : llvm::enumerate(sizes))
    loops.push_back(kernel.loop("d" + std::to_string(d), size));
  Value in = kernel.input(tensor), at = kernel.input(i);
  Value out = kernel.output(outType, dynamicSizes(outType, sizes));
  Value result = kernel.generic(
      {}, {out, loops}, {}, [&](OpBuilder &nb, Location l, ValueRange) {
        SmallVector<Value> indices;
        for (AffineExpr loop : loops)
          indices.push_back(kernel.index(nb, l, loop));
        indices.insert(indices.begin() + axis, at);
        return tensor::ExtractOp::create(nb, l, in, indices).getResult();
      });
  return kernel.finish({result}).front();
}

//===----------------------------------------------------------------------===//
// The end of a body
//===----------------------------------------------------------------------===//

struct YieldLowering : public OpConversionPattern<onnx::YieldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::YieldOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Operation *parent = op->getParentOp();
    SmallVector<Value> values;
    TypeRange types = parent->getResultTypes();
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      auto counts = loop->getAttrOfType<DenseI64ArrayAttr>(yieldedAttr);
      if (!counts)
        return rewriter.notifyMatchFailure(op, "not in a loop of the graph");
      ValueRange left = adaptor.getOperands();
      ValueRange arguments = loop.getAfterArguments();
      values.push_back(addIndex(rewriter, loc, arguments[0],
                                indexConstant(rewriter, loc, 1)));
      values.push_back(counts[0] ? isTrue(rewriter, loc, left[0])
                                 : arguments[1]);
      left = left.drop_front(counts[0]);
      llvm::append_range(values, left.take_front(counts[1]));
      for (Value row : left.drop_front(counts[1])) {
        unsigned at = values.size();
        values.push_back(prependRow(rewriter, loc, arguments[at], row,
                                    cast<RankedTensorType>(types[at])));
      }
    } else if (isa<scf::IfOp>(parent)) {
      llvm::append_range(values, adaptor.getOperands());
    } else {
      return rewriter.notifyMatchFailure(op, "the body is not converted");
    }
    for (auto [value, type] : llvm::zip(values, types))
      value = castToRank(rewriter, loc, value, type);
    rewriter.replaceOpWithNewOp<scf::YieldOp>(op, values);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

struct IfLowering : public OpConversionPattern<onnx::IfOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::IfOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto yielded = [](Region &branch) {
      return branch.front().getTerminator()->getOperandTypes();
    };
    SmallVector<Type> types;
    for (auto [x, y, result] :
         llvm::zip(yielded(op.getThenBranch()), yielded(op.getElseBranch()),
                   op.getResultTypes())) {
      // Where the branches differ in rank, that of the result is right.
      Type type = join(x, y);
      if (!type && isa<RankedTensorType>(x) && isa<RankedTensorType>(y))
        type = result;
      if (!isa_and_nonnull<RankedTensorType>(type))
        return rewriter.notifyMatchFailure(op, "branches that are not tensors");
      types.push_back(getTypeConverter()->convertType(type));
    }
    Location loc = op.getLoc();
    Value condition = isTrue(rewriter, loc, adaptor.getOperands()[0]);
    auto branch = scf::IfOp::create(rewriter, loc, types, condition,
                                    /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
    rewriter.inlineRegionBefore(op.getThenBranch(), branch.getThenRegion(),
                                branch.getThenRegion().end());
    rewriter.inlineRegionBefore(op.getElseBranch(), branch.getElseRegion(),
                                branch.getElseRegion().end());
    rewriter.setInsertionPointAfter(branch);
    replaceWithCasts(rewriter, *getTypeConverter(), op, branch.getResults());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What Loop and Scan have in common.
struct LoopPlan {
  /// Null: only the condition ends the loop.
  Value trips;
  /// i1.
  Value condition;
  bool yieldsCondition;
  /// Converted values before the first trip.
  ValueRange carried;
};

/// Types that the loop carries: those on which all ends of the cycle agree.
/// Empty types are sequences and what else is not supported.
LogicalResult carriedTypes(const TypeConverter &converter, Block &body,
                           const LoopPlan &plan, TypeRange arguments,
                           SmallVector<Type> &types) {
  TypeRange yielded = TypeRange(body.getTerminator()->getOperandTypes())
                          .drop_front(plan.yieldsCondition);
  unsigned count = plan.carried.size();
  for (auto [init, argument, next] :
       llvm::zip(plan.carried.getTypes(), arguments, yielded)) {
    types.push_back(join(join(init, converter.convertType(argument)),
                         converter.convertType(next)));
    if (!types.back())
      return failure();
  }
  for (Type row : yielded.drop_front(count)) {
    auto type = dyn_cast<RankedTensorType>(row);
    if (!type)
      return failure();
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    llvm::append_range(shape, type.getShape());
    types.push_back(RankedTensorType::get(
        shape, converter.convertType(type.getElementType())));
  }
  return success();
}

/// The loop; `arguments` makes the values that the body takes from the
/// counter, the condition and what is carried.
scf::WhileOp
buildLoop(ConversionPatternRewriter &rewriter, Location loc,
          const LoopPlan &plan, ArrayRef<Type> types, Block &body,
          llvm::function_ref<SmallVector<Value>(ValueRange)> arguments) {
  SmallVector<Value> inits{indexConstant(rewriter, loc, 0), plan.condition};
  for (auto [i, type] : llvm::enumerate(types)) {
    if (i < plan.carried.size()) {
      inits.push_back(castTo(rewriter, loc, plan.carried[i], type));
      continue;
    }
    auto rows = cast<RankedTensorType>(type);
    SmallVector<Value> none(rows.getNumDynamicDims(),
                            indexConstant(rewriter, loc, 0));
    inits.push_back(tensor::EmptyOp::create(rewriter, loc, rows, none));
  }
  SmallVector<Type> all = llvm::to_vector(ValueRange(inits).getTypes());
  auto loop = scf::WhileOp::create(rewriter, loc, all, inits);
  loop->setAttr(yieldedAttr,
                rewriter.getDenseI64ArrayAttr(
                    {plan.yieldsCondition, int64_t(plan.carried.size())}));
  SmallVector<Location> locs(all.size(), loc);
  Block *before = rewriter.createBlock(&loop.getBefore(), {}, all, locs);
  Value goesOn = before->getArgument(1);
  if (plan.trips) {
    Value isLess =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                              before->getArgument(0), plan.trips);
    goesOn = arith::AndIOp::create(rewriter, loc, goesOn, isLess);
  }
  scf::ConditionOp::create(rewriter, loc, goesOn, before->getArguments());
  Block *after = rewriter.createBlock(&loop.getAfter(), {}, all, locs);
  SmallVector<Value> values = arguments(after->getArguments());
  rewriter.inlineBlockBefore(&body, after, after->end(), values);
  rewriter.setInsertionPointAfter(loop);
  return loop;
}

struct LoopLowering : public OpConversionPattern<onnx::LoopOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::LoopOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Block &body = op.getBody().front();
    const TypeConverter &converter = *getTypeConverter();
    ValueRange initial = adaptor.getVInitial();
    LoopPlan plan{{}, {}, true, initial};
    SmallVector<Type> types;
    auto iteration = dyn_cast<RankedTensorType>(body.getArgument(0).getType());
    auto flag = dyn_cast_or_null<RankedTensorType>(
        converter.convertType(body.getArgument(1).getType()));
    if (!iteration || !flag ||
        failed(carriedTypes(converter, body, plan,
                            TypeRange(body.getArgumentTypes()).drop_front(2),
                            types)))
      return rewriter.notifyMatchFailure(
          op, "carries or scans what is not a tensor of one rank");
    if (Value trips = adaptor.getM())
      plan.trips =
          arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                     onlyElement(rewriter, loc, trips));
    plan.condition = adaptor.getCond()
                         ? isTrue(rewriter, loc, adaptor.getCond())
                         : arith::ConstantOp::create(
                               rewriter, loc, rewriter.getBoolAttr(true));
    SmallVector<Type> taken;
    for (Type type : body.getArgumentTypes())
      taken.push_back(converter.convertType(type));
    scf::WhileOp loop =
        buildLoop(rewriter, loc, plan, types, body, [&](ValueRange arguments) {
          SmallVector<Value> values{
              asTensor(rewriter, loc, arguments[0], iteration),
              asTensor(rewriter, loc, arguments[1], flag)};
          llvm::append_range(values, arguments.slice(2, plan.carried.size()));
          for (auto [value, type] : llvm::zip(values, taken))
            value = castTo(rewriter, loc, value, type);
          return values;
        });
    SmallVector<Value> results(loop.getResults().drop_front(2));
    for (Value &rows : MutableArrayRef(results).drop_front(initial.size()))
      rows = arrange(rewriter, loc, rows, 0, /*reverse=*/true);
    replaceWithCasts(rewriter, converter, op, results);
    return success();
  }
};

struct ScanLowering : public OpConversionPattern<onnx::ScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(onnx::ScanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Block &body = op.getBody().front();
    const TypeConverter &converter = *getTypeConverter();
    unsigned count = op.getNumScanInputs();
    ValueRange operands = adaptor.getOperands();
    ValueRange scanned = operands.take_back(count);
    LoopPlan plan{{}, {}, false, operands.drop_back(count)};
    SmallVector<Type> types;
    if (!llvm::all_of(scanned, rankedType) ||
        failed(carriedTypes(converter, body, plan, body.getArgumentTypes(),
                            types)))
      return rewriter.notifyMatchFailure(
          op, "carries or scans what is not a tensor of one rank");
    auto element = [](std::optional<ArrayRef<int64_t>> list, unsigned i) {
      return list && i < list->size() ? (*list)[i] : 0;
    };
    SmallVector<int64_t> axes;
    for (auto [i, value] : llvm::enumerate(scanned)) {
      int64_t axis = element(op.getScanInputAxes(), i);
      axes.push_back(axis < 0 ? axis + rankedType(value).getRank() : axis);
    }
    plan.trips = sizeOf(rewriter, loc, scanned[0], axes[0]);
    for (unsigned i = 1; i < count; ++i)
      krnl::CheckOp::create(
          rewriter, loc,
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                plan.trips,
                                sizeOf(rewriter, loc, scanned[i], axes[i])),
          "Scan: scanned inputs differ in length");
    plan.condition =
        arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    SmallVector<Type> taken;
    for (Type type : body.getArgumentTypes())
      taken.push_back(converter.convertType(type));
    scf::WhileOp loop =
        buildLoop(rewriter, loc, plan, types, body, [&](ValueRange arguments) {
          SmallVector<Value> values(arguments.slice(2, plan.carried.size()));
          Value last = subIndex(rewriter, loc, plan.trips,
                                indexConstant(rewriter, loc, 1));
          for (auto [i, value] : llvm::enumerate(scanned)) {
            Value at = arguments[0];
            if (element(op.getScanInputDirections(), i))
              at = subIndex(rewriter, loc, last, at);
            values.push_back(slice(rewriter, loc, value, axes[i], at));
          }
          for (auto [value, type] : llvm::zip(values, taken))
            value = castTo(rewriter, loc, value, type);
          return values;
        });
    SmallVector<Value> results(loop.getResults().drop_front(2));
    auto rows = MutableArrayRef(results).drop_front(plan.carried.size());
    for (auto [i, value] : llvm::enumerate(rows)) {
      int64_t axis = element(op.getScanOutputAxes(), i);
      if (axis < 0)
        axis += rankedType(value).getRank();
      value = arrange(rewriter, loc, value, axis,
                      !element(op.getScanOutputDirections(), i));
    }
    replaceWithCasts(rewriter, converter, op, results);
    return success();
  }
};

} // namespace

Value prependRow(OpBuilder &b, Location loc, Value rows, Value row,
                 RankedTensorType type) {
  SmallVector<Value> sizes{
      addIndex(b, loc, sizeOf(b, loc, rows, 0), indexConstant(b, loc, 1))};
  llvm::append_range(sizes, sizesOf(b, loc, row));
  KernelBuilder kernel(b, loc, "prepend");
  SmallVector<AffineExpr> at = kernel.loopsOf(rankedType(row));
  AffineExpr p = kernel.loop("rows", ShapedType::kDynamic);
  Value newest = kernel.input(row), older = kernel.input(rows);
  Value out = kernel.output(type, dynamicSizes(type, sizes));
  auto same = [](OpBuilder &, Location, ValueRange v) { return v[0]; };
  auto place = [&](AffineExpr first, ArrayRef<AffineExpr> rest) {
    SmallVector<AffineExpr> result{first};
    llvm::append_range(result, rest);
    return result;
  };
  // Without rows there are no sizes of one either: nobody takes them from it.
  SmallVector<AffineExpr> part = llvm::map_to_vector(
      at, [&](AffineExpr loop) { return kernel.partOf(loop); });
  Value moved = kernel.generic({{older, place(p, part)}},
                               {out, place(p + 1, at)}, {}, same);
  return kernel
      .finish({kernel.generic({{newest, at}}, {moved, place(kernel.zero(), at)},
                              {}, same)})
      .front();
}

void populateONNXToKrnlControlFlowPatterns(TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<IfLowering, LoopLowering, ScanLowering, YieldLowering>(
      converter, patterns.getContext());
}

} // namespace onnxc
