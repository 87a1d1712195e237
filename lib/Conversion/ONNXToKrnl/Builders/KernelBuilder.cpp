//===- KernelBuilder.cpp - Builds one krnl.kernel ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "Builders/HostValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Matchers.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

using namespace mlir;

namespace onnxc::krnl {

KernelBuilder::KernelBuilder(OpBuilder &host, Location loc, StringRef name)
    : host(host), loc(loc), name(name.str()), block(new Block),
      body(host.getContext()) {
  body.setInsertionPointToEnd(block);
}

KernelBuilder::~KernelBuilder() { delete block; }

AffineExpr KernelBuilder::loop(StringRef loopName, int64_t extent,
                               int64_t limit) {
  bool isDynamic = ShapedType::isDynamic(extent);
  loops.push_back({loopName.str(), extent, isDynamic ? limit : 0});
  if (isDynamic)
    loops.back().inside = block->addArgument(host.getIndexType(), loc);
  return host.getAffineDimExpr(loops.size() - 1);
}

AffineExpr KernelBuilder::loop(StringRef loopName, Value extent) {
  if (auto constant = getConstantIntValue(extent))
    return loop(loopName, *constant);
  AffineExpr expr = loop(loopName, ShapedType::kDynamic);
  loops.back().dynamic = extent;
  return expr;
}

SmallVector<AffineExpr> KernelBuilder::loopsOf(RankedTensorType type) {
  SmallVector<AffineExpr> exprs;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    exprs.push_back(loop("d" + std::to_string(i), size));
  return exprs;
}

int64_t KernelBuilder::extentOf(AffineExpr loopExpr) const {
  return loops[cast<AffineDimExpr>(loopExpr).getPosition()].extent;
}

AffineExpr KernelBuilder::constant(int64_t value) {
  return host.getAffineConstantExpr(value);
}

AffineExpr KernelBuilder::partOf(AffineExpr loopExpr) {
  unsigned position = cast<AffineDimExpr>(loopExpr).getPosition();
  return host.getAffineSymbolExpr(position);
}

/// A symbol stands for the loop of its number along a part of a dimension.
static Subscript subscriptAt(AffineExpr at) {
  if (auto part = dyn_cast<AffineSymbolExpr>(at))
    return {getAffineDimExpr(part.getPosition(), at.getContext()),
            /*isPart=*/true};
  return {at};
}

Value KernelBuilder::input(Value hostValue) {
  for (auto [outer, inner] : llvm::zip(ins, insInside))
    if (outer == hostValue)
      return inner;
  ins.push_back(hostValue);
  insInside.push_back(
      block->insertArgument(ins.size() - 1, hostValue.getType(), loc));
  return insInside.back();
}

Value KernelBuilder::scalar(Value hostScalar) {
  TypedAttr known;
  if (matchPattern(hostScalar, m_Constant(&known)))
    return constant(known);
  return input(hostScalar);
}

Value KernelBuilder::output(RankedTensorType type, ValueRange sizes) {
  SmallVector<Value> unknown = int64_t(sizes.size()) == type.getRank()
                                   ? dynamicSizes(type, sizes)
                                   : SmallVector<Value>(sizes);
  return output(tensor::EmptyOp::create(host, loc, type, unknown));
}

Value KernelBuilder::output(Value initial) {
  outs.push_back(initial);
  outsInside.push_back(block->insertArgument(ins.size() + outs.size() - 1,
                                             initial.getType(), loc));
  return outsInside.back();
}

Value KernelBuilder::temporary(RankedTensorType type) {
  return TemporaryOp::create(body, loc, type);
}

Value KernelBuilder::temporaryLike(Value argument, Type element) {
  int64_t rank = cast<RankedTensorType>(argument.getType()).getRank();
  return temporaryLike(argument, element,
                       llvm::to_vector(llvm::seq<int64_t>(rank)));
}

Value KernelBuilder::temporaryLike(Value argument, Type element,
                                   ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(argument.getType());
  SmallVector<int64_t> shape = llvm::map_to_vector(
      dims, [&](int64_t dim) { return type.getDimSize(dim); });
  return temporary(RankedTensorType::get(shape, element));
}

Value KernelBuilder::constant(TypedAttr value) {
  return arith::ConstantOp::create(body, loc, value);
}

Value KernelBuilder::generic(ArrayRef<Access> ins, const Access &out,
                             ArrayRef<AffineExpr> reduced, Body fn) {
  return generic(ins, ArrayRef<Access>(out), reduced,
                 [&](OpBuilder &b, Location l, ValueRange args) {
                   return SmallVector<Value>{fn(b, l, args)};
                 })
      .front();
}

/// The loops that occur in the accesses of an op, as a set over all loops.
static llvm::SmallBitVector usedLoops(size_t loopCount,
                                      ArrayRef<KernelBuilder::Access> ins,
                                      ArrayRef<KernelBuilder::Access> outs,
                                      ArrayRef<AffineExpr> reduced) {
  llvm::SmallBitVector used(loopCount);
  auto mark = [&](AffineExpr expr) {
    subscriptAt(expr).index.walk([&](AffineExpr e) {
      if (auto dim = dyn_cast<AffineDimExpr>(e))
        used.set(dim.getPosition());
    });
  };
  for (const auto &access : ins)
    llvm::for_each(access.at, mark);
  for (const auto &access : outs)
    llvm::for_each(access.at, mark);
  llvm::for_each(reduced, mark);
  return used;
}

/// Loops whose extent is not known yet have that of the dimension of an operand
/// of the kernel that they access alone.
void KernelBuilder::findExtents(const Access &access) {
  auto argument = dyn_cast<BlockArgument>(access.tensor);
  if (!argument)
    return;
  unsigned number = argument.getArgNumber();
  if (number >= ins.size() + outs.size())
    return;
  Value operand = number < ins.size() ? ins[number] : outs[number - ins.size()];
  for (auto [dim, at] : llvm::enumerate(access.at)) {
    auto plain = dyn_cast<AffineDimExpr>(at);
    LoopDecl *decl = plain ? &loops[plain.getPosition()] : nullptr;
    if (!decl || !ShapedType::isDynamic(decl->extent) || decl->dynamic)
      continue;
    auto empty = operand.getDefiningOp<tensor::EmptyOp>();
    decl->dynamic = empty && empty.getType().isDynamicDim(dim)
                        ? empty.getDynamicSize(dim)
                        : sizeOf(host, loc, operand, dim);
  }
}

/// The size, minimal or exact, that a dimension of `size` elements needs for an
/// access at `at`: a loop by itself covers the whole dimension.
int64_t KernelBuilder::neededSize(AffineExpr at, int64_t size) const {
  Subscript subscript = subscriptAt(at);
  if (subscript.getLoop())
    return ShapedType::isDynamic(extentOf(at)) ? size : extentOf(at);
  if (ShapedType::isDynamic(size))
    return size;
  SmallVector<AffineExpr> last;
  for (const LoopDecl &l : loops) {
    bool isKnown = l.extent > 0 && !ShapedType::isDynamic(l.extent);
    last.push_back(isKnown ? host.getAffineConstantExpr(l.extent - 1)
                           : host.getAffineSymbolExpr(0));
  }
  auto farthest = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(subscript.index.replaceDims(last), 0, 1));
  return farthest ? std::max(size, farthest.getValue() + 1) : size;
}

/// An operand that is not `given` but `wanted` ends the run.
static Value ofOtherSizes(OpBuilder &b, Location loc, RankedTensorType given,
                          RankedTensorType wanted) {
  for (auto [size, other] :
       llvm::zip_equal(given.getShape(), wanted.getShape()))
    if (size != other && !ShapedType::isDynamic(size))
      checkEqualSizes(b, loc, indexConstant(b, loc, size),
                      indexConstant(b, loc, other), sizesDisagreeText);
  return neverMade(b, loc, wanted);
}

/// A loop of known extent determines the size of the dimensions that it runs
/// over: it is set in the types of the operands, or canonicalisation would cast
/// them inside the kernel. An operand of another size ends the run: the
/// operators' own checks, which come first, have better messages than this one.
void KernelBuilder::refineInputs(MutableArrayRef<Access> opIns) {
  for (Access &access : opIns) {
    auto it = llvm::find(insInside, access.tensor);
    if (it == insInside.end())
      continue;
    auto type = cast<RankedTensorType>(access.tensor.getType());
    SmallVector<int64_t> shape = llvm::map_to_vector(
        llvm::zip_equal(access.at, type.getShape()), [&](auto pair) {
          return neededSize(std::get<0>(pair), std::get<1>(pair));
        });
    auto refined = RankedTensorType::get(shape, type.getElementType());
    if (refined == type)
      continue;
    if (failed(verifyCompatibleShape(type, refined))) {
      access.tensor = input(ofOtherSizes(host, loc, type, refined));
      continue;
    }
    Value &outer = ins[it - insInside.begin()];
    outer = tensor::CastOp::create(host, loc, refined, outer);
    it->setType(refined);
  }
}

/// The access over the iterators of the op being built, which are numbered in
/// the order that their loops were declared in.
Subscripts KernelBuilder::subscriptsOf(const Access &access) const {
  MLIRContext *ctx = host.getContext();
  SmallVector<AffineExpr> toOp(loops.size(), getAffineConstantExpr(0, ctx));
  for (auto [i, l] : llvm::enumerate(currentAxes))
    toOp[l] = getAffineDimExpr(i, ctx);
  return llvm::map_to_vector(access.at, [&](AffineExpr e) {
    Subscript at = subscriptAt(e);
    at.index = at.index.replaceDims(toOp);
    return at;
  });
}

/// Sorts the loops so that the reduced ones come last; returns the number of
/// the others.
static unsigned sortReducedLast(SmallVectorImpl<unsigned> &axes,
                                ArrayRef<AffineExpr> reduced) {
  auto isReduced = [&](unsigned l) {
    return llvm::any_of(reduced, [&](AffineExpr loop) {
      return cast<AffineDimExpr>(loop).getPosition() == l;
    });
  };
  SmallVector<unsigned> last = llvm::filter_to_vector(axes, isReduced);
  llvm::erase_if(axes, isReduced);
  unsigned parallel = axes.size();
  llvm::append_range(axes, last);
  return parallel;
}

SmallVector<Value> KernelBuilder::generic(ArrayRef<Access> givenIns,
                                          ArrayRef<Access> opOuts,
                                          ArrayRef<AffineExpr> reduced,
                                          MultiBody fn) {
  SmallVector<Access> opIns(givenIns);
  refineInputs(opIns);
  llvm::SmallBitVector used = usedLoops(loops.size(), opIns, opOuts, reduced);
  for (const Access &access : llvm::concat<const Access>(opIns, opOuts))
    findExtents(access);
  // A loop of no iterations has no last index to check accesses with: the
  // elements written before stay. Each result of the kernel needs an op that
  // writes it, though.
  bool isIdle = llvm::any_of(used.set_bits(),
                             [&](unsigned l) { return loops[l].extent == 0; });
  auto isWritten = [&](const Access &access) {
    return !llvm::is_contained(outsInside, access.tensor);
  };
  auto tensorsOf = [](ArrayRef<Access> accesses) {
    return llvm::map_to_vector(accesses,
                               [](const Access &a) { return a.tensor; });
  };
  if (isIdle && llvm::all_of(opOuts, isWritten))
    return tensorsOf(opOuts);
  currentAxes = llvm::to_vector(used.set_bits());
  unsigned parallel = sortReducedLast(currentAxes, reduced);
  SmallVector<StringRef> axes = llvm::map_to_vector(
      currentAxes, [&](unsigned l) { return StringRef(loops[l].name); });
  SmallVector<Subscripts> accesses;
  for (const Access &access : llvm::concat<const Access>(opIns, opOuts))
    accesses.push_back(subscriptsOf(access));
  // Builders of ops with regions move; `body` stays before the op, where `fn`
  // may add operands of its scalar code.
  OpBuilder builder(body);
  auto op = ComputeOp::create(builder, loc, tensorsOf(opIns), tensorsOf(opOuts),
                              accesses, axes, parallel, StringAttr(),
                              [&](OpBuilder &b, Location l, ValueRange args) {
                                linalg::YieldOp::create(b, l, fn(b, l, args));
                              });
  return llvm::to_vector(ValueRange(op.getResults()));
}

Value KernelBuilder::fill(Value value, const Access &out) {
  return generic({}, out, {},
                 [&](OpBuilder &, Location, ValueRange) { return value; });
}

Value KernelBuilder::index(OpBuilder &b, Location l, AffineExpr loopExpr) {
  unsigned position = cast<AffineDimExpr>(loopExpr).getPosition();
  assert(llvm::is_contained(currentAxes, position) &&
         "loop is not an axis of this op");
  return IndexOp::create(b, l, loops[position].name);
}

SmallVector<Value> KernelBuilder::finish(ValueRange values) {
  krnl::YieldOp::create(body, loc, values);
  SmallVector<Attribute> loopAttrs;
  SmallVector<Value> extents;
  for (const LoopDecl &l : loops) {
    loopAttrs.push_back(LoopAttr::get(host.getContext(), l.name, l.extent,
                                      l.limit, /*atLeast=*/0));
    if (!ShapedType::isDynamic(l.extent))
      continue;
    assert(l.dynamic && "no operand dimension is accessed by just this loop");
    extents.push_back(l.dynamic);
  }
  SmallVector<Type> resultTypes(ValueRange(outs).getTypes());
  auto kernel = KernelOp::create(
      host, loc, resultTypes, host.getStringAttr(name),
      host.getArrayAttr(loopAttrs), host.getArrayAttr({}), ins, outs, extents);
  kernel.getBody().push_back(block);
  block = nullptr;
  return llvm::to_vector(ValueRange(kernel.getResults()));
}

} // namespace onnxc::krnl
