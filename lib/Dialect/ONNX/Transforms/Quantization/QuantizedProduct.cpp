//===- QuantizedProduct.cpp - Products of bytes -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Most processors multiply unsigned bytes by signed ones, devices bytes of all
// kinds, and the vectors of a Cortex-M bytes of one kind. Where the operands
// are of kinds that the target has no instruction for, one of them is moved by
// 128, its zero point with it. Then
//
//   sum (x - xz) (w - wz) = sum x w  -  xz sum (w - wz)  -  wz sum x
//
// where the second sum is constant if w is, and the last one is only there if w
// has a zero point.
//
//===----------------------------------------------------------------------===//
#include "QuantizedProduct.h"

#include "onnxc/Target/IR/ByteInstructions.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::onnx;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool onnxc::onnx::isFromConstants(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0 || !isPure(op) || op->getNumRegions() != 0)
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isFromConstants(operand, depth - 1);
  });
}

bool onnxc::onnx::isZero(Value constant) {
  if (!constant)
    return true;
  TypedAttr value = constantValue(constant);
  SmallVector<char> scratch;
  ArrayRef<char> bytes =
      value ? constantBytes(value, scratch) : ArrayRef<char>();
  return !bytes.empty() && llvm::all_of(bytes, [](char c) { return c == 0; });
}

int64_t onnxc::onnx::elementCount(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 0;
}

/// Returns true for a constant of bytes that are all 128.
static bool isMiddle(Value constant) {
  TypedAttr value = constant ? constantValue(constant) : TypedAttr();
  SmallVector<char> scratch;
  ArrayRef<char> bytes =
      value ? constantBytes(value, scratch) : ArrayRef<char>();
  return !bytes.empty() &&
         llvm::all_of(bytes, [](char c) { return uint8_t(c) == 128; });
}

//===----------------------------------------------------------------------===//
// Zero points
//===----------------------------------------------------------------------===//

bool Bytes::isSigned() const {
  return getElementTypeOrSelf(value.getType()).isSignedInteger(8) ||
         getElementTypeOrSelf(value.getType()).isSignlessInteger(8);
}

/// The numbers in bytes of the other signedness, moved by 128.
static Bytes moved(NodeMaker &maker, Bytes x) {
  MLIRContext *context = x.value.getContext();
  Type u8 = IntegerType::get(context, 8, IntegerType::Unsigned);
  Type s8 = IntegerType::get(context, 8);
  bool wasSigned = x.isSigned();
  auto move = [&](Value bytes) {
    // Modulo 256 both directions are one addition.
    Value sum =
        maker.make("Add", {maker.cast(bytes, u8), maker.number(128, u8)});
    return wasSigned ? sum : maker.cast(sum, s8);
  };
  Bytes result{move(x.value), {}};
  if (!x.zero)
    result.zero = wasSigned ? maker.number(128, u8) : maker.number(-128, s8);
  else if (!isMiddle(x.zero))
    result.zero = move(x.zero);
  return result;
}

static krnl::TargetAttr targetOf(Bytes x) {
  return krnl::TargetAttr::of(x.value.getParentRegion()->getParentOp());
}

/// Returns true if the bytes are of the kinds that the target multiplies in one
/// step.
static bool isDirect(Bytes x, Bytes w) {
  return krnl::multipliesKinds(targetOf(x), x.isSigned(), w.isSigned());
}

bool onnxc::onnx::isPlainProduct(Bytes x, Bytes w) {
  return isDirect(x, w) && isZero(x.zero) && isZero(w.zero);
}

/// Makes the operands of different kinds, or of one, if they have to be. To
/// move one of them takes a sum over the other, which costs nothing if that is
/// constant or if it is needed anyway.
static void makeDirect(NodeMaker &maker, Bytes &x, Bytes &w) {
  for (Bytes *operand : {&x, &w})
    if (isZero(operand->zero))
      operand->zero = {};
  // Sums of windows take longer than to move both.
  if (x.isSigned() == w.isSigned() && krnl::multipliesOneKind(targetOf(x)) &&
      isFromConstants(w.value) && isMiddle(w.zero))
    w = moved(maker, w);
  bool movesWeights = isFromConstants(w.value)
                          ? w.zero != nullptr
                          : isFromConstants(x.value) && !x.zero;
  Bytes &operand = movesWeights ? w : x;
  // A zero point in the middle is none for the other kind.
  bool gains = x.isSigned() == w.isSigned() &&
               !krnl::multipliesOneKind(targetOf(x)) && isMiddle(operand.zero);
  if (isDirect(x, w) && !gains)
    return;
  operand = moved(maker, operand);
}

/// sums - a * b, in i32; a is a zero point.
static Value without(NodeMaker &maker, Value sums, Value zero, Value factor) {
  Type i32 = maker.builder.getI32Type();
  Value term = maker.make("Mul", {maker.cast(zero, i32), factor});
  return maker.make("Sub", {sums, term});
}

/// The elements above their zero point in i32, summed up along `axes`.
static Value sumOf(NodeMaker &maker, Value x, Value zero,
                   ArrayRef<int64_t> axes) {
  Type i32 = maker.builder.getI32Type();
  Value wide = maker.cast(x, i32);
  if (zero)
    wide = maker.make("Sub", {wide, maker.cast(zero, i32)});
  return maker.make("ReduceSum", {wide, maker.ints(axes)},
                    maker.integer("keepdims", 1));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// QLinearMatMul has narrow floats, too.
static bool isByte(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(8);
}

Value onnxc::onnx::makeMatMulSums(NodeMaker &maker, Bytes x, Bytes w) {
  int64_t rank = rankOf(x.value), wRank = rankOf(w.value);
  bool hasForm = rank >= 2 && wRank >= 2 && isByte(x.value) &&
                 isByte(w.value) && (!x.zero || elementCount(x.zero) == 1) &&
                 (!w.zero || elementCount(w.zero) == 1 || rankOf(w.zero) == 1);
  if (!hasForm)
    return {};
  makeDirect(maker, x, w);
  Value sums = maker.make("MatMulInteger", {x.value, w.value});
  if (x.zero)
    sums = without(maker, sums, maker.reshape(x.zero, {}),
                   sumOf(maker, w.value, w.zero, {wRank - 2}));
  if (w.zero)
    sums = without(maker, sums, w.zero, sumOf(maker, x.value, {}, {rank - 1}));
  return sums;
}

/// Attributes of the convolution, without borders if `padded`.
static SmallVector<NamedAttribute> convAttributes(NodeMaker &maker,
                                                  Operation *conv,
                                                  int64_t spatial,
                                                  bool padded) {
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : conv->getAttrDictionary())
    if (llvm::is_contained({"dilations", "group", "kernel_shape", "strides"},
                           attribute.getName().getValue()) ||
        (!padded && attribute.getName() == "pads"))
      attributes.push_back(attribute);
  if (padded)
    attributes.push_back(maker.builder.getNamedAttr(
        "pads", maker.builder.getDenseI64ArrayAttr(
                    SmallVector<int64_t>(2 * spatial, 0))));
  return attributes;
}

/// Borders of zero points: [0, 0, begins.., 0, 0, ends..].
static Value padded(NodeMaker &maker, Bytes x, ArrayRef<int64_t> pads) {
  SmallVector<int64_t> all(pads.size() + 4, 0);
  size_t spatial = pads.size() / 2;
  llvm::copy(pads.take_front(spatial), all.begin() + 2);
  llvm::copy(pads.drop_front(spatial), all.begin() + spatial + 4);
  return maker.make("Pad",
                    {x.value, maker.ints(all), maker.reshape(x.zero, {})});
}

/// The sum of x over each window and all channels, for weights w of known
/// sizes. Floats hold it exactly as long as windows are not huge: then channels
/// are summed up first, and windows of one channel are left.
static Value windowSums(NodeMaker &maker, Value x, Value w,
                        ArrayRef<NamedAttribute> attributes) {
  SmallVector<int64_t> window(cast<RankedTensorType>(w.getType()).getShape());
  int64_t windowElements = elementCount(w) / std::max<int64_t>(window[0], 1);
  window[0] = 1;
  auto onesOf = [&](Type element) {
    return maker.make("Expand", {maker.number(1, element), maker.ints(window)});
  };
  constexpr int64_t largestByte = 255, exactFloats = 1 << 24;
  if (windowElements > exactFloats / largestByte)
    return maker.make("ConvInteger",
                      {x, onesOf(getElementTypeOrSelf(w.getType()))},
                      attributes);
  window[1] = 1;
  Type f32 = maker.builder.getF32Type();
  Value channels =
      maker.make("ReduceSum", {maker.cast(x, f32), maker.ints({1})},
                 maker.integer("keepdims", 1));
  return maker.cast(maker.make("Conv", {channels, onesOf(f32)}, attributes),
                    maker.builder.getI32Type());
}

/// Returns true if the channels of `conv` are in one group.
static bool mixesChannels(Operation *conv) {
  auto group = conv->getAttrOfType<IntegerAttr>("group");
  return !group || group.getInt() == 1;
}

/// Returns true if weights of `conv` with another zero point are moved to 0: no
/// instruction for bytes adds up single channels, so that the kinds do not
/// matter, but a zero point does.
static bool losesZero(Operation *conv, Bytes w) {
  return !mixesChannels(conv) && isByte(w.value) && isFromConstants(w.value) &&
         isMiddle(w.zero);
}

/// Returns true if the sums of products of `conv` can be computed from bytes.
static bool hasByteForm(Operation *conv, Bytes x, Bytes w) {
  int64_t rank = rankOf(x.value);
  auto pads = conv->getAttrOfType<DenseI64ArrayAttr>("pads");
  auto autoPad = conv->getAttrOfType<StringAttr>("auto_pad");
  bool isSettled = pads && pads.size() == 2 * (rank - 2) &&
                   (!autoPad || autoPad.getValue() == "NOTSET");
  return isByte(x.value) && isByte(w.value) && rank >= 3 &&
         rankOf(w.value) == rank && isSettled &&
         (!x.zero || elementCount(x.zero) == 1) &&
         (isZero(w.zero) || losesZero(conv, w) ||
          (mixesChannels(conv) && elementCount(w.value)));
}

Value onnxc::onnx::makeConvSums(NodeMaker &maker, Operation *conv, Bytes x,
                                Bytes w) {
  if (!hasByteForm(conv, x, w))
    return {};
  int64_t rank = rankOf(x.value);
  auto pads = conv->getAttrOfType<DenseI64ArrayAttr>("pads");
  if (losesZero(conv, w))
    w = moved(maker, w);
  makeDirect(maker, x, w);
  SmallVector<int64_t> inner = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  SmallVector<int64_t> perChannel(rank - 1, 1);
  perChannel[0] = -1;
  bool adds = x.zero && llvm::any_of(pads.asArrayRef(),
                                     [](int64_t pad) { return pad != 0; });
  if (adds)
    x.value = padded(maker, x, pads);
  SmallVector<NamedAttribute> attributes =
      convAttributes(maker, conv, rank - 2, adds);
  Value sums = maker.make("ConvInteger", {x.value, w.value}, attributes);
  auto alongChannels = [&](Value vector) {
    return maker.reshape(vector, elementCount(vector) == 1
                                     ? ArrayRef<int64_t>()
                                     : ArrayRef<int64_t>(perChannel));
  };
  if (x.zero) {
    // Zero points of the weights stand beside their first dimension.
    SmallVector<int64_t> first(rank, 1);
    first[0] = -1;
    Value wZero = w.zero && elementCount(w.zero) != 1
                      ? maker.reshape(w.zero, first)
                      : w.zero;
    Value ofWeights = sumOf(maker, w.value, wZero, inner);
    sums = without(maker, sums, maker.reshape(x.zero, {}),
                   maker.reshape(ofWeights, perChannel));
  }
  if (w.zero)
    sums = without(maker, sums, alongChannels(w.zero),
                   windowSums(maker, x.value, w.value, attributes));
  return sums;
}
