//===- EmptyOperands.cpp - Reads of operands without elements ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "EmptyOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace onnxc::krnl {

namespace {
/// How a payload computes an index.
enum class IndexSource {
  /// The index is the same for all points, such as the only element of a list.
  Uniform,
  /// From a loop, a checked index, or data: a point that has such an index has
  /// an element there.
  Point,
  /// Clamped to 0 from below, as it may be negative.
  Clamped
};
} // namespace

static IndexSource sourceOf(Value index, Block *payload) {
  IndexSource source = IndexSource::Uniform;
  llvm::SetVector<Value> values;
  values.insert(index);
  for (unsigned i = 0; i < values.size(); ++i) {
    Value value = values[i];
    if (value.getParentBlock() != payload)
      continue;
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::MaxSIOp>(op))
      return IndexSource::Clamped;
    if (!op || isa<IndexOp, WrapIndexOp, tensor::ExtractOp>(op))
      source = IndexSource::Point;
    else
      values.insert_range(op->getOperands());
  }
  return source;
}

/// Returns true if some point of the op may have an index for which its operand
/// has no element.
static bool mayReadEmpty(tensor::ExtractOp extract) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  return llvm::any_of(llvm::enumerate(extract.getIndices()), [&](auto indexed) {
    int64_t size = type.getDimSize(indexed.index());
    return size == 0 || (ShapedType::isDynamic(size) &&
                         sourceOf(indexed.value(), extract->getBlock()) !=
                             IndexSource::Point);
  });
}

/// Emits, once at the beginning of the function, an i1 that is true if the
/// memref, of sizes that are not all static, has an element.
Value EmptyOperands::hasElements(Value memref) {
  Value &known = nonEmpty[memref];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&entry);
  auto type = cast<MemRefType>(memref.getType());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  known = arith::ConstantIntOp::create(
      b, !llvm::is_contained(type.getShape(), 0), 1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim)) {
      Value some =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                memref::DimOp::create(b, memref, dim), zero);
      known = b.createOrFold<arith::AndIOp>(known, some);
    }
  return known;
}

/// The operands of extracts that may have no element at run time.
static SmallVector<Value> readMaybeEmpty(KernelOp kernel) {
  llvm::SetVector<Value> tensors;
  kernel.walk([&](tensor::ExtractOp extract) {
    bool isKnown = llvm::is_contained(
        cast<RankedTensorType>(extract.getTensor().getType()).getShape(), 0);
    if (!isKnown && mayReadEmpty(extract))
      tensors.insert(extract.getTensor());
  });
  return tensors.takeVector();
}

void EmptyOperands::emitBranches(KernelOp kernel,
                                 function_ref<Value(Value)> memrefOf,
                                 function_ref<void()> body) {
  SmallVector<Value> tensors = readMaybeEmpty(kernel);
  if (tensors.empty())
    return body();
  Value haveElements;
  for (Value tensor : tensors) {
    Value some = hasElements(memrefOf(tensor));
    haveElements =
        haveElements ? b.createOrFold<arith::AndIOp>(haveElements, some) : some;
  }
  auto branch = scf::IfOp::create(b, haveElements, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool isEmpty : {false, true}) {
    b.setInsertionPointToStart(isEmpty ? branch.elseBlock()
                                       : branch.thenBlock());
    someEmpty = isEmpty;
    body();
  }
}

Value EmptyOperands::load(tensor::ExtractOp extract, Value memref,
                          ArrayRef<LaneIndex> at, int64_t lanes, Value mask,
                          ArrayRef<int64_t> strides) {
  bool isKnown =
      llvm::is_contained(cast<MemRefType>(memref.getType()).getShape(), 0);
  if (!isKnown && !(someEmpty && mayReadEmpty(extract)))
    return access.load(memref, at, lanes, mask, strides);
  Type type = extract.getType();
  if (lanes > 1)
    type = VectorType::get({lanes}, type);
  if (isKnown)
    return placeholder(b, type);
  auto branch = scf::IfOp::create(b, type, hasElements(memref),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, access.load(memref, at, lanes, mask, strides));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, placeholder(b, type));
  return branch.getResult(0);
}

} // namespace onnxc::krnl
