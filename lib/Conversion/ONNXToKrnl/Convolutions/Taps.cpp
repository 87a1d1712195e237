//===- Taps.cpp - Convolutions as sums of products over taps ----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Position k of a window, a tap, is a product of matrices: pixels x input
// channels by input channels x output channels.
//
//   out[n, oc, o..] = bias[oc] + sum over k.. of
//                     sum over ic of in[n, ic, o * stride + k * dilation - pad]
//                                    * w[oc, ic, k..]
//
// Of a depthwise convolution it is one number for each channel.
//
// Each tap is a kernel over the results that it reads an element of the operand
// for, so that no border is made, nothing is multiplied with it, and a tap that
// only ever reads the border is gone. The sums go from one kernel to the next
// through memory, with the channels last where they are of products of
// matrices.
//===----------------------------------------------------------------------===//

#include "Convolutions/Taps.h"

#include "Builders/HostValues.h"
#include "Convolutions/Windows.h"
#include "Movement/Movement.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

int64_t TapDim::start(int64_t k) const {
  return llvm::divideCeil(std::max<int64_t>(0, -offset(k)), stride);
}

int64_t TapDim::results(int64_t size) const {
  int64_t room = size + before + after - (window - 1) * dilation - 1;
  return room < 0 ? 0 : room / stride + 1;
}

int64_t TapDim::count(int64_t k, int64_t size) const {
  int64_t room = size - 1 - offset(k);
  int64_t end = room < 0 ? 0 : room / stride + 1;
  return std::max<int64_t>(0, std::min(end, results(size)) - start(k));
}

bool TapDim::readsAll(int64_t k) const {
  if (ShapedType::isDynamic(in))
    return offset(k) >= 0 && after <= (window - 1 - k) * dilation;
  return count(k, in) == results(in);
}

bool TapDim::readsNothing(int64_t k) const {
  return !ShapedType::isDynamic(in) && count(k, in) == 0;
}

int64_t TapConv::windowElements() const {
  int64_t elements = 1;
  for (const TapDim &dim : dims)
    elements *= dim.window;
  return elements;
}

SmallVector<Tap> TapConv::taps() const {
  SmallVector<Tap> taps{{}};
  for (const TapDim &dim : dims) {
    SmallVector<Tap> longer;
    for (const Tap &tap : taps)
      for (int64_t k : llvm::seq(dim.window)) {
        if (dim.readsNothing(k))
          continue;
        longer.push_back(tap);
        longer.back().push_back(k);
      }
    taps = std::move(longer);
  }
  return taps;
}

namespace {

class TapsBuilder {
public:
  TapsBuilder(OpBuilder &b, Location loc, const TapConv &conv, Value x)
      : b(b), loc(loc), conv(conv), x(x), batch(sizeOf(b, loc, x, 0)) {}

  Value build(Value bias);

private:
  void findSizes();
  void putChannelsLast();
  KernelBuilder::Access operand(KernelBuilder &kernel, AffineExpr n,
                                AffineExpr ic, ArrayRef<AffineExpr> read);
  bool readsAll(const Tap &tap) const;
  Value filtersOf(const Tap &tap);
  template <typename T>
  SmallVector<T> sumAt(T n, T oc, ArrayRef<T> spatial);
  Value product(KernelBuilder &kernel, const Tap &tap, ArrayRef<AffineExpr> at,
                ArrayRef<AffineExpr> read, const KernelBuilder::Access &to);
  Value zeros();
  Value add(const Tap &tap, Value sums);
  Value finish(const Tap *tap, Value sums, Value bias);
  AffineExpr window(KernelBuilder &kernel, AffineExpr loop, size_t dim,
                    int64_t tap, Value extent);
  Value number(int64_t value) { return indexConstant(b, loc, value); }
  Type element() { return b.getF32Type(); }

  OpBuilder &b;
  Location loc;
  const TapConv &conv;
  Value x, batch;
  /// Whether `x` has its channels last.
  bool isChannelsLast = false;
  /// The sizes of the operand and of the result, without those of batch and
  /// channels.
  SmallVector<Value> in, out;
};

} // namespace

static int64_t known(Value size) {
  return getConstantIntValue(size).value_or(ShapedType::kDynamic);
}

void TapsBuilder::findSizes() {
  SmallVector<Value> sizes;
  SmallVector<int64_t> strides, dilations, pads;
  for (auto [d, dim] : llvm::enumerate(conv.dims)) {
    in.push_back(sizeOf(b, loc, x, int64_t(d) + 2));
    sizes.push_back(number(dim.window));
    strides.push_back(dim.stride);
    dilations.push_back(dim.dilation);
    pads.push_back(dim.before);
  }
  for (const TapDim &dim : conv.dims)
    pads.push_back(dim.after);
  out = Windows::get(b, loc, x, sizes, ArrayRef<int64_t>(strides),
                     ArrayRef<int64_t>(dilations), ArrayRef<int64_t>(pads),
                     /*autoPad=*/"NOTSET", /*ceilMode=*/false)
            .outSizes;
}

/// An operand of the model keeps its order in memory, where the channels of a
/// pixel are far apart: it is copied once for all taps.
void TapsBuilder::putChannelsLast() {
  if (!isa<BlockArgument>(x) || conv.isDepthwise)
    return;
  x = channelsLast(b, loc, "Conv", x);
  isChannelsLast = true;
}

bool TapsBuilder::readsAll(const Tap &tap) const {
  return llvm::all_of(llvm::zip_equal(conv.dims, tap), [](auto pair) {
    return std::get<0>(pair).readsAll(std::get<1>(pair));
  });
}

/// The filters of one tap: [input channel, output channel], or [channel].
Value TapsBuilder::filtersOf(const Tap &tap) {
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnx::constantBytes(conv.filters, scratch);
  const auto *given = reinterpret_cast<const float *>(bytes.data());
  int64_t ic = conv.terms(), oc = conv.outChannels, position = 0;
  for (auto [dim, k] : llvm::zip_equal(conv.dims, tap))
    position = position * dim.window + k;
  std::vector<char> made(ic * oc * sizeof(float));
  auto *filters = reinterpret_cast<float *>(made.data());
  int64_t elements = conv.windowElements();
  for (int64_t i : llvm::seq(ic))
    for (int64_t o : llvm::seq(oc))
      filters[i * oc + o] = given[(o * ic + i) * elements + position];
  SmallVector<int64_t> shape{ic, oc};
  auto type = RankedTensorType::get(
      ArrayRef(shape).drop_front(conv.isDepthwise), element());
  return krnl::ConstantOp::create(
      b, loc, onnx::BlobStore::get(b.getContext()).add(std::move(made), type),
      krnl::PackedLayoutAttr());
}

/// The indices of a sum: [n, o.., output channel], or [n, channel, o..].
template <typename T>
SmallVector<T> TapsBuilder::sumAt(T n, T oc, ArrayRef<T> spatial) {
  SmallVector<T> at{n};
  at.append(spatial.begin(), spatial.end());
  at.insert(conv.isDepthwise ? at.begin() + 1 : at.end(), oc);
  return at;
}

/// The sums before the first tap.
Value TapsBuilder::zeros() {
  SmallVector<Value> sizes = sumAt<Value>(batch, number(conv.outChannels), out);
  RankedTensorType type = typeOfSizes(sizes, element());
  KernelBuilder kernel(b, loc, "Conv.zeros");
  Value to = kernel.output(type, sizes);
  Value zero = kernel.constant(TypedAttr(b.getF32FloatAttr(0)));
  return kernel.finish({kernel.fill(zero, {to, kernel.loopsOf(type)})}).front();
}

static bool isSame(Value size, Value other) {
  return size == other || (known(size) >= 0 && known(size) == known(other));
}

/// Where `tap` of a window reads for the result number `loop` of `extent`, of
/// those that it reads an element for.
AffineExpr TapsBuilder::window(KernelBuilder &kernel, AffineExpr loop,
                               size_t dim, int64_t tap, Value extent) {
  const TapDim &along = conv.dims[dim];
  int64_t first = along.start(tap) * along.stride + along.offset(tap);
  if (along.stride != 1 || first != 0)
    return loop * along.stride + first;
  return isSame(extent, in[dim]) ? loop : kernel.partOf(loop);
}

/// The operand at the spatial indices `read`.
KernelBuilder::Access TapsBuilder::operand(KernelBuilder &kernel, AffineExpr n,
                                           AffineExpr ic,
                                           ArrayRef<AffineExpr> read) {
  KernelBuilder::Access access{kernel.input(x), {n}};
  access.at.append(read.begin(), read.end());
  access.at.insert(isChannelsLast ? access.at.end() : access.at.begin() + 1,
                   ic);
  return access;
}

/// The products of `tap` with the operand at `read`, added to `to`: `at` are
/// the loops of batch and output channels.
Value TapsBuilder::product(KernelBuilder &kernel, const Tap &tap,
                           ArrayRef<AffineExpr> at, ArrayRef<AffineExpr> read,
                           const KernelBuilder::Access &to) {
  AffineExpr n = at[0], oc = at[1];
  Value filters = filtersOf(tap);
  SmallVector<AffineExpr> reduced;
  if (!conv.isDepthwise)
    reduced.push_back(kernel.loop("ic", conv.inChannels));
  AffineExpr ic = conv.isDepthwise ? oc : reduced.front();
  KernelBuilder::Access from = operand(kernel, n, ic, read);
  SmallVector<AffineExpr> of(reduced);
  of.push_back(oc);
  return kernel.generic({from, {kernel.input(filters), of}}, to, reduced,
                        [](OpBuilder &nb, Location l, ValueRange v) -> Value {
                          return arith::AddFOp::create(
                              nb, l, v[2],
                              arith::MulFOp::create(nb, l, v[0], v[1]));
                        });
}

/// `sums` with the products of `tap` added where it reads an element.
Value TapsBuilder::add(const Tap &tap, Value sums) {
  SmallVector<Value> extents;
  for (auto [d, dim] : llvm::enumerate(conv.dims)) {
    Value room = subIndex(b, loc, in[d], number(1 + dim.offset(tap[d])));
    Value end = addIndex(
        b, loc, floorDivIndex(b, loc, room, number(dim.stride)), number(1));
    Value count = subIndex(b, loc, minIndex(b, loc, end, out[d]),
                           number(dim.start(tap[d])));
    extents.push_back(maxIndex(b, loc, count, number(0)));
  }
  KernelBuilder kernel(b, loc, "Conv.tap");
  AffineExpr n = kernel.loop("n", conv.batch);
  AffineExpr oc = kernel.loop("oc", conv.outChannels);
  SmallVector<AffineExpr> written, read;
  for (auto [d, dim] : llvm::enumerate(conv.dims)) {
    AffineExpr o = kernel.loop("o" + std::to_string(d), extents[d]);
    int64_t start = dim.start(tap[d]);
    bool isWhole = isSame(extents[d], out[d]);
    written.push_back(start ? o + start : isWhole ? o : kernel.partOf(o));
    read.push_back(window(kernel, o, d, tap[d], extents[d]));
  }
  KernelBuilder::Access to{kernel.output(sums),
                           sumAt<AffineExpr>(n, oc, written)};
  return kernel.finish({product(kernel, tap, {n, oc}, read, to)}).front();
}

/// The result: the products of `tap`, which reads an element for all results,
/// `sums` and `bias`. Each of them may be null, but not both of the first two.
Value TapsBuilder::finish(const Tap *tap, Value sums, Value bias) {
  KernelBuilder kernel(b, loc, "Conv");
  AffineExpr n = kernel.loop("n", conv.batch);
  AffineExpr oc = kernel.loop("oc", conv.outChannels);
  SmallVector<Value> sizes{batch, number(conv.outChannels)};
  sizes.append(out);
  SmallVector<AffineExpr> at{n, oc};
  for (auto [d, size] : llvm::enumerate(out))
    at.push_back(kernel.loop("o" + std::to_string(d), size));
  SmallVector<KernelBuilder::Access> terms;
  RankedTensorType type = typeOfSizes(sizes, element());
  KernelBuilder::Access to{kernel.output(type, sizes), at};
  if (tap) {
    SmallVector<AffineExpr> read;
    for (auto [d, size] : llvm::enumerate(out))
      read.push_back(window(kernel, at[d + 2], d, (*tap)[d], size));
    KernelBuilder::Access total = to;
    if (sums || bias)
      total.tensor = kernel.temporaryLike(to.tensor, element());
    Value zero = kernel.constant(TypedAttr(b.getF32FloatAttr(0)));
    total.tensor = kernel.fill(zero, total);
    Value products = product(kernel, *tap, {n, oc}, read, total);
    if (!sums && !bias)
      return kernel.finish({products}).front();
    terms.push_back({products, at});
  }
  if (sums)
    terms.push_back({kernel.input(sums),
                     sumAt<AffineExpr>(n, oc, ArrayRef(at).drop_front(2))});
  if (bias)
    terms.push_back({kernel.input(bias), {oc}});
  Value y = kernel.generic(
      terms, to, {}, [&](OpBuilder &nb, Location l, ValueRange v) -> Value {
        Value sum = v[0];
        for (Value term : v.slice(1, terms.size() - 1))
          sum = arith::AddFOp::create(nb, l, sum, term);
        return sum;
      });
  return kernel.finish({y}).front();
}

Value TapsBuilder::build(Value bias) {
  findSizes();
  SmallVector<Tap> taps = conv.taps();
  const Tap *whole =
      llvm::find_if(taps, [&](const Tap &tap) { return readsAll(tap); });
  if (whole == taps.end())
    whole = nullptr;
  Value sums;
  if (!whole || taps.size() > 1) {
    putChannelsLast();
    sums = zeros();
  }
  for (const Tap &tap : taps)
    if (&tap != whole)
      sums = add(tap, sums);
  return finish(whole, sums, bias);
}

Value buildTaps(OpBuilder &b, Location loc, const TapConv &conv, Value x,
                Value bias) {
  return TapsBuilder(b, loc, conv, x).build(bias);
}

} // namespace onnxc
