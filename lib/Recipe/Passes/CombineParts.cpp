//===- CombineParts.cpp - The total of parts of a softmax -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/CombineParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

Value PartsCombiner::number(OpBuilder &at, double value) {
  return arith::ConstantOp::create(
      at, loc, at.getFloatAttr(type.getElementType(), value));
}

Value PartsCombiner::temporary() { return TemporaryOp::create(b, loc, type); }

/// Elements of one number.
Value PartsCombiner::start(double value) {
  Value outside = number(b, value);
  return compute({}, temporary(), false,
                 [&](OpBuilder &, ValueRange) {
                   return SmallVector<Value>{outside};
                 })
      .front();
}

/// An op over elements of the result, and over the parts.
ValueRange PartsCombiner::compute(ArrayRef<OfParts> ins, ValueRange inits,
                                  bool overParts, Payload payload) {
  SmallVector<Value> tensors;
  SmallVector<Subscripts> accesses;
  for (const OfParts &in : ins) {
    tensors.push_back(in.tensor);
    accesses.push_back(in.access);
  }
  accesses.append(inits.size(), result);
  unsigned parallel = axes.size() - 1;
  return ComputeOp::create(
             b, loc, tensors, inits, accesses,
             axes.take_front(parallel + overParts), parallel, StringAttr(),
             [&](OpBuilder &at, Location, ValueRange args) {
               linalg::YieldOp::create(at, loc, payload(at, args));
             })
      ->getResults();
}

Value PartsCombiner::largestOf(const OfParts &maxima) {
  return compute(maxima, start(-INFINITY), true,
                 [&](OpBuilder &at, ValueRange args) {
                   return SmallVector<Value>{
                       arith::MaximumFOp::create(at, loc, args[1], args[0])};
                 })
      .front();
}

/// exp(m[p] - m), and 0 for a part without a weight.
Value PartsCombiner::weight(OpBuilder &at, Value ofPart, Value largest) {
  Value isNone = arith::CmpFOp::create(at, loc, arith::CmpFPredicate::OEQ,
                                       ofPart, number(at, -INFINITY));
  Value distance = arith::SubFOp::create(at, loc, ofPart, largest);
  Value factor = math::ExpOp::create(at, loc, distance);
  return arith::SelectOp::create(at, loc, isNone, number(at, 0), factor);
}

Value PartsCombiner::divide(Value sum, Value total, Value to, Value parts) {
  auto quotient = [&](OpBuilder &at, ValueRange args) {
    Value found = arith::DivFOp::create(at, loc, args[0], args[1]);
    Value hasAny;
    if (hiddenRowsAreZero)
      hasAny = arith::CmpFOp::create(at, loc, arith::CmpFPredicate::UNE,
                                     args[1], number(at, 0));
    else if (parts)
      hasAny =
          arith::CmpIOp::create(at, loc, arith::CmpIPredicate::ne, parts,
                                arith::ConstantIndexOp::create(at, loc, 0));
    if (hasAny)
      found = arith::SelectOp::create(at, loc, hasAny, found, number(at, 0));
    return SmallVector<Value>{found};
  };
  return compute({{sum, result}, {total, result}}, to, false, quotient).front();
}

/// Of each pair a part and the sum of those before.
SmallVector<Value>
PartsCombiner::addWeighted(OpBuilder &at, Value factor,
                           ArrayRef<std::pair<Value, Value>> pairs) {
  SmallVector<Value> added;
  for (auto [part, sum] : pairs) {
    Value product = arith::MulFOp::create(at, loc, factor, part);
    added.push_back(arith::AddFOp::create(at, loc, sum, product));
  }
  return added;
}

void PartsCombiner::startRunning() {
  running = {start(0), start(0), start(-INFINITY)};
}

Value PartsCombiner::merge(const OfParts &sums, const OfParts &maxima,
                           const OfParts &totals, Value to, Value parts) {
  auto payload = [&](OpBuilder &at, ValueRange args) {
    Value largest = arith::MaximumFOp::create(at, loc, args[5], args[1]);
    Value before = weight(at, args[5], largest);
    auto weighted = [&](Value sum) -> Value {
      return arith::MulFOp::create(at, loc, before, sum);
    };
    SmallVector<Value> merged = addWeighted(
        at, weight(at, args[1], largest),
        {{args[0], weighted(args[3])}, {args[2], weighted(args[4])}});
    merged.push_back(largest);
    return merged;
  };
  ValueRange merged = compute({sums, maxima, totals}, running, true, payload);
  return divide(merged[0], merged[1], to ? to : temporary(), parts);
}

Value PartsCombiner::combine(const OfParts &sums, const OfParts &maxima,
                             const OfParts &totals, Value to, Value parts) {
  Value largest = largestOf(maxima);
  SmallVector<Value> zeros{start(0), start(0)};
  auto payload = [&](OpBuilder &at, ValueRange args) {
    return addWeighted(at, weight(at, args[1], args[3]),
                       {{args[0], args[4]}, {args[2], args[5]}});
  };
  ValueRange added =
      compute({sums, maxima, totals, {largest, result}}, zeros, true, payload);
  return divide(added[0], added[1], to ? to : temporary(), parts);
}

} // namespace onnxc
