//===- LoopEnds.cpp - Loops that end before their extent --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// early_exit: the loop ends where the data of an integer traversal say so.
//
// skip_masked: with blocks of 16 rows m and 64 columns n, of which those with
// n > m are hidden, a tile has the columns up to m.o * 16 + 15, and the loop
// over their blocks ends after (m.o * 16 + 16) / 64, rounded up.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/LoopEnds.h"
#include "Reasons.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PaddedLoops.h"
#include "onnxc/Dialect/Krnl/IR/MaskedElements.h"
#include "onnxc/Dialect/Krnl/IR/Traversal.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace onnxc::krnl {

/// Lets the ops that the step concerns end the loop, those that may. `ends` and
/// `verb` are for errors: how the loop ends, and what an op does that may end
/// it.
LogicalResult
NestBuilder::endUses(StringRef name, bool LoopUse::*end,
                     function_ref<bool(unsigned, const LoopUse &)> mayEnd,
                     StringRef ends, StringRef verb, EmitErrorFn emitError) {
  FailureOr<unsigned> number = resolve(name, emitError);
  if (failed(number))
    return failure();
  bool isUsed = false;
  for (auto [i, op] : llvm::enumerate(bodyOps)) {
    LoopUse *use = concerns(i) ? op.find(*number) : nullptr;
    if (!use || !mayEnd(i, *use))
      continue;
    if (use->*end)
      return emitError() << "loop '" << name << "' already " << ends;
    isUsed = use->*end = true;
  }
  if (!isUsed)
    return emitError() << "no op " << verb << " loop '" << name << "'";
  return success();
}

/// The mask of the kernel of these ops; null if there is none.
static std::shared_ptr<const MaskedElements> findMask(ArrayRef<BodyOp> ops) {
  for (const BodyOp &body : ops)
    if (auto compute = dyn_cast_if_present<ComputeOp>(body.op))
      if (auto found =
              MaskedElements::find(compute->getParentOfType<KernelOp>()))
        return std::make_shared<MaskedElements>(std::move(*found));
  return nullptr;
}

LogicalResult NestBuilder::skipMasked(StringRef name, EmitErrorFn emitError) {
  if (!masked)
    masked = findMask(bodyOps);
  return endUses(
      name, &LoopUse::skipsMasked,
      [](unsigned, const LoopUse &) { return true; },
      "ends where elements are masked", "has", emitError);
}

/// Returns true if the expression never falls where one of the loops grows.
static bool growsWith(AffineExpr expr, ArrayRef<unsigned> loops) {
  if (llvm::none_of(loops,
                    [&](unsigned loop) { return expr.isFunctionOfDim(loop); }))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true;
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return growsWith(binary.getLHS(), loops) &&
           growsWith(binary.getRHS(), loops);
  case AffineExprKind::Mul:
  case AffineExprKind::FloorDiv:
    return factor && factor.getValue() > 0 && growsWith(binary.getLHS(), loops);
  default:
    return false;
  }
}

/// The first or the last value of an axis in a tile, over the loops that are
/// around the op for all threads; null if it is not known.
static AffineExpr edgeOfTile(const LoopNest &nest, unsigned op, unsigned axis,
                             bool last) {
  AffineExpr value = nest.valueExpr(op, axis);
  SmallVector<unsigned> inside;
  SmallVector<AffineExpr> dims;
  for (unsigned number : llvm::seq<unsigned>(nest.loops().size())) {
    const Loop &loop = nest.loop(number);
    bool isInside = value.isFunctionOfDim(number) &&
                    (!nest.isAround(number, op) || loop.mapped);
    if (isInside)
      inside.push_back(number);
    dims.push_back(!isInside ? getAffineDimExpr(number, nest.getContext())
                   : last    ? nest.extentExpr(number) - 1
                             : getAffineConstantExpr(0, nest.getContext()));
  }
  return growsWith(value, inside) ? value.replaceDims(dims) : AffineExpr();
}

std::optional<VisibleIterations> visibleIterations(const LoopNest &nest,
                                                   unsigned op, unsigned loop) {
  // Ops inside a loop run as often as the last of them.
  if (nest.loop(loop).computeAt && nest.isAround(loop, op))
    op = nest.computeAtOps().back();
  const BodyOp &body = nest.op(op);
  const LoopUse *use = body.find(loop);
  const MaskedElements *masked = nest.maskedElements();
  if (!use || !use->skipsMasked || !masked)
    return std::nullopt;
  VisibleIterations visible;
  visible.minElements = masked->needsOne();
  visible.elements =
      getAffineConstantExpr(-masked->form().constant, nest.getContext());
  for (const auto &[name, factor] : masked->form().factors) {
    const unsigned *axis = llvm::find_if(
        body.axes, [&](unsigned axis) { return nest.loop(axis).name == name; });
    // Elements of a row are hidden from the first one on that is.
    if (axis != body.axes.end() && factor > 0 && nest.stemsFrom(loop, *axis)) {
      std::optional<int64_t> distance = distanceIn(nest, *axis, loop);
      if (!distance)
        return std::nullopt;
      visible.each = *distance * factor;
      continue;
    }
    if (name == masked->column())
      continue;
    if (axis == body.axes.end())
      return std::nullopt;
    AffineExpr edge = edgeOfTile(nest, op, *axis, /*last=*/factor < 0);
    if (!edge)
      return std::nullopt;
    visible.elements = visible.elements - edge * factor;
  }
  return visible;
}

/// Why results would be others; empty if they are not.
std::string reasonAgainstSkipping(const LoopNest &nest, unsigned number,
                                  const LoopUse &use) {
  const BodyOp &body = nest.op(number);
  const Loop &loop = nest.loop(use.loop);
  auto compute = dyn_cast_if_present<ComputeOp>(body.op);
  // The ops inside do not compute iterations that the last op leaves out.
  if (loop.computeAt && nest.isAround(use.loop, number))
    return nest.op(nest.computeAtOps().back()).find(use.loop)->skipsMasked
               ? std::string()
               : "an op that reads the results goes on";
  const MaskedElements *masked = nest.maskedElements();
  if (!masked || !compute)
    return "no mask is computed from indices";
  std::optional<VisibleIterations> visible =
      visibleIterations(nest, number, use.loop);
  if (!visible)
    return "which elements of a tile are hidden is not known";
  if (loop.fusedOuter || loop.mapped || nest.isInRegisters(use) || use.lanes ||
      use.earlyExit)
    return "all of its iterations are there";
  if (llvm::any_of(body.loops, [&](const LoopUse &other) {
        return nest.loop(other.loop).fusedOuter && visible->each != 0 &&
               other.loop != use.loop &&
               nest.stemsFrom(other.loop, nest.axesOf(use.loop).front());
      }))
    return "its tiles have a part of the elements";
  if (masked->combinesVisible(compute) && visible->each != 0)
    return {};
  if (!masked->isUnneeded(compute))
    return "results depend on elements that are hidden";
  if (visible->each == 0)
    return use.reduced ? std::string()
                       : "results of another loop would be missing";
  for (Operation *user : compute->getUsers()) {
    const LoopUse *other = nest.op(nest.indexOf(user)).find(use.loop);
    if (!other || !other->skipsMasked)
      return "an op that reads the results goes on";
  }
  return {};
}

bool canExitEarly(const LoopNest &nest, unsigned number, const LoopUse &use) {
  const BodyOp &body = nest.op(number);
  auto op = dyn_cast_if_present<ComputeOp>(body.op);
  if (!op || !use.reduced || isOrdered(op))
    return false;
  bool accumulates = false;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    accumulates |= op.payloadUsesValueFromOperand(&init);
    if (!getElementTypeOrSelf(init.get()).isSignlessInteger())
      return false;
  }
  for (auto [dim, axis] : llvm::enumerate(body.axes))
    if (nest.stemsFrom(use.loop, axis))
      return accumulates && isTraversalDim(op, dim);
  return false;
}

LogicalResult NestBuilder::earlyExit(StringRef name, EmitErrorFn emitError) {
  return endUses(
      name, &LoopUse::earlyExit,
      [&](unsigned op, const LoopUse &use) {
        return canExitEarly(*this, op, use);
      },
      "ends early", "traverses data along", emitError);
}

} // namespace onnxc::krnl
