//===- HostOps.cpp - The operations of the host program -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/CheckFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace onnxc::krnl;

//===----------------------------------------------------------------------===//
// krnl.constant
//===----------------------------------------------------------------------===//

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getType());
  if (!type)
    return emitOptionalError(location, "expected the value to be a tensor");
  if (PackedLayoutAttr layout = adaptor.getLayoutAttr())
    type =
        RankedTensorType::get(layout.getStoredSizes(), type.getElementType());
  types.push_back(type);
  return success();
}

LogicalResult ConstantOp::verify() {
  PackedLayoutAttr layout = getLayoutAttr();
  if (!layout)
    return success();
  int64_t rank = cast<RankedTensorType>(getValue().getType()).getRank();
  uint64_t elements = 1;
  bool isTooLarge = false;
  for (auto [dim, size, stride] : llvm::zip_equal(
           layout.getDims(), layout.getSizes(), layout.getStrides())) {
    if (dim < 0 || dim >= rank)
      return emitOpError("layout has a stride along dimension ")
             << dim << " of a constant of rank " << rank;
    if (size < 0 || stride < 0)
      return emitOpError("layout has size ")
             << size << " and stride " << stride << ", but expects no negative";
    bool overflows = false;
    elements = llvm::SaturatingMultiply(elements, uint64_t(size), &overflows);
    isTooLarge |= overflows;
  }
  if (isTooLarge)
    return emitOpError("layout has more elements than an address can count");
  return success();
}

/// A packed constant folds to value and layout together: folders take constants
/// that fold to the same attribute for the same.
OpFoldResult ConstantOp::fold(FoldAdaptor) {
  if (PackedLayoutAttr layout = getLayoutAttr())
    return ArrayAttr::get(getContext(), {getValue(), layout});
  return Attribute(getValue());
}

//===----------------------------------------------------------------------===//
// krnl.call
//===----------------------------------------------------------------------===//

void CallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  auto isBuffer = [](Type type) { return isa<BaseMemRefType>(type); };
  // A buffer that the callee allocates is another one each time.
  bool buffers = llvm::any_of(getOperandTypes(), isBuffer) ||
                 llvm::any_of(getResultTypes(), isBuffer);
  if (!buffers && !getStateful())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult CallOp::verify() {
  for (int64_t position : getTakes())
    if (position < 0 || position >= int64_t(getNumOperands()) ||
        !isa<ObjType>(getOperand(position).getType()))
      return emitOpError("takes over operand ")
             << position << ", which is not an object";
  return success();
}

//===----------------------------------------------------------------------===//
// krnl.launch
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verify() {
  if (getOuts().empty())
    return emitOpError("writes nothing");
  bool tensors = isa<RankedTensorType>(getOuts().front().getType());
  for (Value out : getOuts())
    if (isa<RankedTensorType>(out.getType()) != tensors)
      return emitOpError("outs are tensors and buffers mixed");
  if (TypeRange(getResults()) != (tensors ? TypeRange(getOuts()) : TypeRange()))
    return emitOpError(tensors ? "results must have the types of the outs"
                               : "a launch on buffers has no results");
  return success();
}

/// The function takes the ins, the outs, an optional scratch buffer and the two
/// ends of the tile range.
LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getKernelAttr());
  if (!function)
    return emitOpError("there is no kernel function ") << getKernelAttr();
  // Kernels whose tiles are shared by threads find their tiles themselves.
  unsigned range = function->hasAttr(KrnlDialect::threadsAttrName) ? 0 : 2;
  unsigned expected =
      getIns().size() + getOuts().size() + (getScratch() > 0 ? 1 : 0) + range;
  if (function.getNumArguments() != expected)
    return emitOpError("passes ")
           << expected << " arguments to " << getKernelAttr()
           << ", which takes " << function.getNumArguments();
  return success();
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &in : getInsMutable())
    if (isa<BaseMemRefType>(in.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &in);
  for (OpOperand &out : getOutsMutable())
    if (isa<BaseMemRefType>(out.get().getType())) {
      effects.emplace_back(MemoryEffects::Read::get(), &out);
      effects.emplace_back(MemoryEffects::Write::get(), &out);
    }
}

LogicalResult CheckOp::verify() {
  if (getFormat() && getDimension())
    return emitOpError("expects a format or a dimension, not both");
  size_t places = formatOf(*this).count("{}");
  if ((getFormat() || !getSizes().empty()) && places != getSizes().size())
    return emitOpError("expects a size for each of the ")
           << places << " places of its format, but has " << getSizes().size();
  if (getDimension() && getSizes().empty())
    return emitOpError("has a dimension, but neither index nor size");
  return success();
}

StringRef onnxc::krnl::formatOf(CheckOp check) {
  return check.getFormat().value_or("{} and {}");
}

CheckOp onnxc::krnl::makeCheck(OpBuilder &b, Location loc, Value condition,
                               StringRef message, ValueRange sizes,
                               StringRef format) {
  auto check = CheckOp::create(b, loc, condition, message, sizes);
  check.setFormat(format);
  return check;
}

std::string onnxc::krnl::shapeFormat(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape) {
    text += text.empty() ? "" : ", ";
    text += ShapedType::isDynamic(size) ? "{}" : std::to_string(size);
  }
  return "[" + text + "]";
}

/// check(true) -> nothing
LogicalResult CheckOp::canonicalize(CheckOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op, "the run decides");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult ErrorWordOp::verify() {
  auto count = int64_t(getMessages().size());
  if (int64_t(getLocations().size()) != count ||
      int64_t(getDimensions().size()) != count ||
      !llvm::all_of(getLocations(), llvm::IsaPred<LocationAttr>))
    return emitOpError("expected a location and a dimension for each of the ")
           << count << " messages";
  auto type = cast<MemRefType>(getType());
  if (type.getShape() != ArrayRef<int64_t>({count, 2}) ||
      !type.getLayout().isIdentity())
    return emitOpError("expected a buffer of two words for each of the ")
           << count << " messages, but got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static LogicalResult verifySizes(Operation *op, Type type, size_t sizes) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.getLayout().isIdentity())
    return op->emitOpError("expected a contiguous ranked buffer, but got ")
           << type;
  if (memref.getNumDynamicDims() != sizes)
    return op->emitOpError("expected one size for each of the ")
           << memref.getNumDynamicDims() << " dynamic dimensions, but got "
           << sizes;
  return success();
}

LogicalResult BufferBytesOp::verify() {
  return verifySizes(*this, getBuffer(), getSizes().size());
}

LogicalResult ArenaViewOp::verify() {
  if (auto lives = getLives(); lives && lives->size() != 2)
    return emitOpError("lives from an op to an op, but ")
           << lives->size() << " are given";
  if (auto lives = getLives(); lives && (*lives)[0] > (*lives)[1])
    return emitOpError("lives from op ")
           << (*lives)[0] << " to op " << (*lives)[1] << ", which is before it";
  return verifySizes(*this, getType(), getSizes().size());
}

LogicalResult WeightViewOp::verify() {
  if (failed(verifySizes(*this, getType(), 0)))
    return failure();
  if (int64_t(getOffset()) < 0)
    return emitOpError("expected an offset of at least 0, but got ")
           << int64_t(getOffset());
  return success();
}

LogicalResult AllocOp::verify() {
  return verifySizes(*this, getType(), getSizes().size());
}

LogicalResult FromPointerOp::verify() {
  return verifySizes(*this, getType(), getSizes().size());
}

LogicalResult OutputOp::verify() {
  if (int64_t(getIndex()) < 0)
    return emitOpError("expected the number of an output, but got ")
           << int64_t(getIndex());
  return verifySizes(*this, getType(), getSizes().size());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Fails unless `row` is one of `rows`. Dynamic sizes of one of them may
/// differ.
static LogicalResult verifyRow(Operation *op, ShapedType rows, ShapedType row) {
  if (rows.getElementType() == row.getElementType() &&
      rows.getRank() == row.getRank() + 1 &&
      succeeded(
          verifyCompatibleShape(rows.getShape().drop_front(), row.getShape())))
    return success();
  return op->emitOpError("expected a row of ") << rows << ", but got " << row;
}

static LogicalResult verifyRows(Operation *op, ShapedType rows) {
  if (rows.getRank() == 0 || !rows.isDynamicDim(0))
    return op->emitOpError("expected an unknown number of rows, but got ")
           << rows;
  return success();
}

LogicalResult AppendRowOp::verify() {
  auto rows = cast<ShapedType>(getRows().getType());
  if (!rows.hasStaticShape() && failed(verifyRows(*this, rows)))
    return failure();
  if (rows.hasStaticShape() && rows.getRank() == 0)
    return emitOpError("expected rows, but got ") << rows;
  return verifyRow(*this, getRows().getType(), getRow().getType());
}

LogicalResult FirstRowsOp::verify() {
  return verifyRows(*this, getRows().getType());
}

LogicalResult
FirstRowsOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getRows()));
  shapes.back().front() = getCount();
  return success();
}

LogicalResult RowViewOp::verify() {
  auto rows = dyn_cast<MemRefType>(getRows().getType());
  auto row = dyn_cast<MemRefType>(getOutput().getType());
  if (!rows || !row || !rows.getLayout().isIdentity() ||
      !row.getLayout().isIdentity())
    return emitOpError("expected contiguous buffers");
  if (rows.getRank() == 0 || rows.getElementType() != row.getElementType() ||
      rows.getShape().drop_front() != row.getShape())
    return emitOpError("expected a row of ") << rows << ", but got " << row;
  return success();
}

Value RowViewOp::getViewSource() { return getRows(); }
