//===- MatrixProduct.cpp - Ops that sum up products ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/Krnl/IR/MatrixProduct.h"

#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace onnxc::krnl {

/// The input whose element the value is, perhaps extended.
static OpOperand *factorOf(ComputeOp op, Value value, bool &isSigned) {
  Operation *extend = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(extend)) {
    isSigned = isa<arith::ExtSIOp>(extend);
    value = extend->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return op.isDpsInput(operand) ? operand : nullptr;
}

/// Instructions have sums of 32 bits.
static bool isFactor(Type element, Type sum) {
  return MatrixElement::of(element) &&
         (element.isInteger() ? sum.isInteger(32) : sum.isF32());
}

static std::optional<MatrixProduct> productOf(ComputeOp op, unsigned result) {
  auto factors = factorsOfSum(op, result);
  if (!factors)
    return std::nullopt;
  MatrixProduct product;
  product.lhs = factorOf(op, factors->first, product.lhsSigned);
  product.rhs = factorOf(op, factors->second, product.rhsSigned);
  if (!product.lhs || !product.rhs || product.lhs == product.rhs)
    return std::nullopt;
  product.element = getElementTypeOrSelf(product.lhs->get());
  if (product.element != getElementTypeOrSelf(product.rhs->get()) ||
      !isFactor(product.element, factors->first.getType()))
    return std::nullopt;
  return product;
}

/// Makes the operand the lhs of all products; returns false if it is not a
/// factor of each.
static bool shareFactor(MutableArrayRef<MatrixProduct> products,
                        OpOperand *common) {
  for (MatrixProduct &product : products) {
    if (product.rhs == common)
      product.swap();
    if (product.lhs != common)
      return false;
  }
  return true;
}

SmallVector<MatrixProduct> matrixProductsOf(ComputeOp op) {
  SmallVector<MatrixProduct> products;
  for (unsigned result : llvm::seq<unsigned>(op.getNumDpsInits())) {
    std::optional<MatrixProduct> product = productOf(op, result);
    if (!product)
      return {};
    products.push_back(*product);
  }
  if (products.size() < 2 || shareFactor(products, products.front().lhs) ||
      shareFactor(products, products.front().rhs))
    return products;
  return {};
}

std::optional<MatrixProduct> matrixProductOf(ComputeOp op) {
  SmallVector<MatrixProduct> products = matrixProductsOf(op);
  return products.empty() ? std::nullopt : std::optional(products.front());
}

const MatrixElement *MatrixElement::of(Type element) {
  constexpr int64_t all = MatrixSums::maxColumnTiles;
  static constexpr MatrixElement f16{"mma_f16", 16, /*liesAcross=*/true, all},
      bf16{"mma_bf16", 16, /*liesAcross=*/true, all},
      f32{"mma_f32", 32, /*liesAcross=*/false, all},
      i8{byteMatricesOperation, 8, /*liesAcross=*/false, 4};
  return element.isF16()        ? &f16
         : element.isBF16()     ? &bf16
         : element.isF32()      ? &f32
         : element.isInteger(8) ? &i8
                                : nullptr;
}

std::string MatrixProduct::operation() const {
  const MatrixElement *of = MatrixElement::of(element);
  return of ? of->operation.str() : "";
}

std::string MatrixProduct::warpgroupOperation() const {
  return "wg" + operation();
}

LogicalResult LoadMatrixOp::verify() {
  auto memory = cast<MemRefType>(getMemory().getType());
  auto loaded = cast<VectorType>(getResult().getType());
  Type element = loaded.getElementType();
  if (element != memory.getElementType() || !element.isIntOrFloat())
    return emitOpError("expects elements of ") << memory.getElementType();
  int64_t bits = loaded.getNumElements() * element.getIntOrFloatBitWidth();
  if (bits != 64 && bits != 128)
    return emitOpError("expects 8 or 16 bytes of each thread, but got ")
           << bits << " bits";
  if (getTransposed() && element.getIntOrFloatBitWidth() != 16)
    return emitOpError("transposes elements of 16 bits only");
  if (int64_t(getAt().size()) != memory.getRank())
    return emitOpError("expects ") << memory.getRank() << " indices";
  return success();
}

bool multipliesMatrices(ComputeOp op) {
  std::optional<MatrixProduct> product = matrixProductOf(op);
  TargetAttr target = TargetAttr::of(op);
  return product &&
         !target.getInstruction(product->operation(), product->depth()).empty();
}

bool multipliesByWarpgroups(ComputeOp op) {
  std::optional<MatrixProduct> product = matrixProductOf(op);
  return product &&
         !TargetAttr::of(op)
              .getInstruction(product->warpgroupOperation(), product->depth())
              .empty();
}

LogicalResult MmaOp::verify() {
  auto lhs = cast<VectorType>(getLhs().getType());
  auto rhs = cast<VectorType>(getRhs().getType());
  Type element = lhs.getElementType();
  bool isInteger = element.isInteger();
  if (rhs.getElementType() != element ||
      cast<VectorType>(getAcc().getType()).getElementType().isInteger() !=
          isInteger)
    return emitOpError("expects factors of one type, and sums of f32 or i32");
  int64_t depth = MatrixProduct::depthOf(element);
  if (lhs.getNumElements() != depth / 2 || rhs.getNumElements() != depth / 4)
    return emitOpError("expects ")
           << depth / 2 << " and " << depth / 4 << " elements of a thread";
  return success();
}

} // namespace onnxc::krnl
