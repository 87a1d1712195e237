//===- Winograd.cpp - Convolutions with fewer products ----------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A tile of m x m results of a 3x3 convolution depends on (m + 2) x (m + 2)
// elements d of the operand (S. Winograd, Arithmetic Complexity of
// Computations; A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural
// Networks):
//
//   tile = A' [ (G g G') * (B' d B) ] A     * element by element, summed over
//                                           the channels
//
// That is one matrix product (tiles x channels by channels x channels) for each
// of the (m + 2)^2 positions: (m + 2)^2 products for m^2 results where the
// convolution itself has 9 m^2. G g G' is made here; the other two are kernels
// that go over rows, then over columns, with the channels along memory. Large
// images go through all of them in bands, which stay in the caches meanwhile.
//
// Where a run of dynamic sizes may have few results, the sums over the windows
// are one more kernel. It writes into the tensor of tiles, and either this
// kernel or the others have no iterations.
//===----------------------------------------------------------------------===//

#include "Convolutions/Winograd.h"

#include "Builders/HostValues.h"
#include "Builders/Padding.h"
#include "Contractions/Contraction.h"
#include "Convolutions/Windows.h"
#include "Movement/Movement.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// The matrices for tiles of one size, row by row.
struct Transforms {
  ArrayRef<double> filter; ///< G, (m + 2) x 3
  ArrayRef<float> data;    ///< B', (m + 2) x (m + 2)
  ArrayRef<float> result;  ///< A', m x (m + 2)
};

constexpr double filter2[] = {1, 0, 0, .5, .5, .5, .5, -.5, .5, 0, 0, 1};
constexpr float data2[] = {1, 0,  -1, 0, 0, 1, 1, 0, //
                           0, -1, 1,  0, 0, 1, 0, -1};
constexpr float result2[] = {1, 1, 1, 0, 0, 1, -1, -1};

// From the points 0, 1, -1, 2, -2 and infinity.
constexpr double filter4[] = {1. / 4,  0,       0,       -1. / 6,  -1. / 6,
                              -1. / 6, -1. / 6, 1. / 6,  -1. / 6,  1. / 24,
                              1. / 12, 1. / 6,  1. / 24, -1. / 12, 1. / 6,
                              0,       0,       1};
constexpr float data4[] = {4, 0, -5, 0,  1, 0, 0, -4, -4, 1,  1, 0,
                           0, 4, -4, -1, 1, 0, 0, -2, -1, 2,  1, 0,
                           0, 2, -1, -2, 1, 0, 0, 4,  0,  -5, 0, 1};
constexpr float result4[] = {1, 1, 1, 1, 1, 0, 0, 1, -1, 2, -2, 0,
                             0, 1, 1, 4, 4, 0, 0, 1, -1, 8, -8, 1};

Transforms transformsOf(int64_t side) {
  return side == 2 ? Transforms{filter2, data2, result2}
                   : Transforms{filter4, data4, result4};
}

class WinogradBuilder {
public:
  WinogradBuilder(OpBuilder &b, Location loc, const WinogradConv &conv,
                  int64_t side, std::optional<WinogradLimit> limit)
      : b(b), loc(loc), conv(conv), side(side), window(side + 2), limit(limit),
        matrices(transformsOf(side)) {}

  Value build(Value x, Value filters, Value bias);

private:
  /// A band of some rows of tiles of each image, and all columns; or of none.
  struct Band {
    int64_t from;
    Value rows, columns;
  };

  SmallVector<Band> bands();
  std::array<Value, 2> sizesOfRuns(bool ofFew, std::array<Value, 2> sizes);
  Value matrix(ArrayRef<float> elements);
  Value transformedFilters();
  Value pad(Value x);
  Value transformData(Value x, const Band &band);
  Value transformResult(Value products, const Band &band, Value tiles);
  Value sumWindows(Value x, Value filters);
  Value finish(Value tiles, Value bias);
  Value view(Value tensor, ArrayRef<ReassociationIndices> parts);
  Value apart(Value tensor, ValueRange sizes,
              ArrayRef<ReassociationIndices> parts);
  Value output(KernelBuilder &kernel, ValueRange sizes);
  void findSizes(Value x);
  Value number(int64_t value) { return indexConstant(b, loc, value); }
  Value times(Value size, int64_t factor) {
    return mulIndex(b, loc, size, number(factor));
  }
  static int64_t known(Value size) {
    return getConstantIntValue(size).value_or(ShapedType::kDynamic);
  }

  OpBuilder &b;
  Location loc;
  const WinogradConv &conv;
  /// Results and elements along a tile.
  int64_t side, window;
  std::optional<WinogradLimit> limit;
  Transforms matrices;
  /// The images, and tiles along each dimension of one.
  Value batch, rows, columns;
  /// The sizes of an image of the result.
  std::array<Value, 2> out;
  /// Whether the results of the run are below the limit.
  Value isFew;
};

} // namespace

Value WinogradBuilder::matrix(ArrayRef<float> elements) {
  auto type = RankedTensorType::get({int64_t(elements.size()) / window, window},
                                    b.getF32Type());
  return krnl::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, elements), krnl::PackedLayoutAttr());
}

/// G g G' of all filters: [position, input channel, output channel].
Value WinogradBuilder::transformedFilters() {
  SmallVector<char> scratch;
  ArrayRef<char> bytes = onnx::constantBytes(conv.filters, scratch);
  const auto *given = reinterpret_cast<const float *>(bytes.data());
  int64_t ic = conv.inChannels, oc = conv.outChannels, area = window * window;
  std::vector<char> made(area * ic * oc * sizeof(float));
  auto *u = reinterpret_cast<float *>(made.data());
  ArrayRef<double> g = matrices.filter;
  for (int64_t i = 0; i < ic; ++i)
    for (int64_t o = 0; o < oc; ++o) {
      const float *filter = given + (o * ic + i) * 9;
      double half[6][3];
      for (int64_t x = 0; x < window; ++x)
        for (int64_t k = 0; k < 3; ++k)
          half[x][k] = g[3 * x] * filter[k] + g[3 * x + 1] * filter[3 + k] +
                       g[3 * x + 2] * filter[6 + k];
      for (int64_t x = 0; x < window; ++x)
        for (int64_t y = 0; y < window; ++y)
          u[((x * window + y) * ic + i) * oc + o] =
              float(half[x][0] * g[3 * y] + half[x][1] * g[3 * y + 1] +
                    half[x][2] * g[3 * y + 2]);
    }
  auto type = RankedTensorType::get({area, ic, oc}, b.getF32Type());
  return krnl::ConstantOp::create(
      b, loc, onnx::BlobStore::get(b.getContext()).add(std::move(made), type),
      krnl::PackedLayoutAttr());
}

void WinogradBuilder::findSizes(Value x) {
  batch = sizeOf(b, loc, x, 0);
  int64_t pads[] = {conv.before[0], conv.before[1], conv.after[0],
                    conv.after[1]};
  Windows windows =
      Windows::get(b, loc, x, {number(3), number(3)}, /*strides=*/std::nullopt,
                   /*dilations=*/std::nullopt, ArrayRef<int64_t>(pads),
                   /*autoPad=*/"NOTSET", /*ceilMode=*/false);
  out = {windows.outSizes[0], windows.outSizes[1]};
  rows = ceilDivIndex(b, loc, out[0], number(side));
  columns = ceilDivIndex(b, loc, out[1], number(side));
  if (!limit)
    return;
  Value results = productOf(b, loc, {batch, out[0], out[1]});
  Value tiles = productOf(b, loc, {batch, rows, columns});
  Value least =
      addIndex(b, loc, times(tiles, limit->ofTile), number(limit->base));
  isFew = compareIndex(b, loc, arith::CmpIPredicate::slt, results, least);
}

/// The sizes in runs of few results, or in all others; else a dynamic one is 0.
std::array<Value, 2> WinogradBuilder::sizesOfRuns(bool ofFew,
                                                  std::array<Value, 2> sizes) {
  if (!limit)
    return sizes;
  Value &dynamic = sizes[getConstantIntValue(sizes[0]) ? 1 : 0];
  Value none = number(0);
  dynamic = selectValue(b, loc, isFew, ofFew ? dynamic : none,
                        ofFew ? none : dynamic);
  return sizes;
}

/// With the border, and as large as the tiles need it.
Value WinogradBuilder::pad(Value x) {
  SmallVector<Value> before{number(0), number(0)}, after = before;
  for (auto [d, count] : llvm::enumerate(std::array{rows, columns})) {
    before.push_back(number(conv.before[d]));
    Value read = addIndex(b, loc, times(count, side), number(2));
    Value given =
        addIndex(b, loc, sizeOf(b, loc, x, d + 2), number(conv.before[d]));
    after.push_back(subIndex(b, loc, read, given));
  }
  return padConstant(b, loc, x, before, after,
                     arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0)));
}

/// The tensor with some dimensions as one. It keeps its order in memory.
Value WinogradBuilder::view(Value tensor,
                            ArrayRef<ReassociationIndices> parts) {
  return tensor::CollapseShapeOp::create(b, loc, tensor, parts);
}

/// The tensor with some dimensions taken apart, to these sizes.
Value WinogradBuilder::apart(Value tensor, ValueRange sizes,
                             ArrayRef<ReassociationIndices> parts) {
  return tensor::ExpandShapeOp::create(b, loc,
                                       typeOfSizes(sizes, b.getF32Type()),
                                       tensor, parts, getAsOpFoldResult(sizes));
}

Value WinogradBuilder::output(KernelBuilder &kernel, ValueRange sizes) {
  RankedTensorType type = typeOfSizes(sizes, b.getF32Type());
  return kernel.output(type, dynamicSizes(type, sizes));
}

/// x[n, c, h, w] -> [position, tile, c]
Value WinogradBuilder::transformData(Value x, const Band &band) {
  int64_t c = conv.inChannels;
  Value width = sizeOf(b, loc, x, 3);
  Value coefficients = matrix(matrices.data);
  KernelBuilder first(b, loc, "Winograd.rows");
  AffineExpr n = first.loop("n", conv.batch);
  AffineExpr y = first.loop("y", known(band.rows));
  AffineExpr p = first.loop("p", window), w = first.loop("w", known(width));
  AffineExpr i = first.loop("i", c), k = first.loop("k", window);
  Value half = first.finish({buildContraction(
      first, b.getF32Type(), {first.input(coefficients), {p, k}},
      {first.input(x), {n, i, y * side + k + band.from * side, w}},
      {output(first, {batch, band.rows, number(window), width, number(c)}),
       {n, y, p, w, i}},
      {k})})[0];
  half = view(half, {{0, 1}, {2}, {3}, {4}});

  KernelBuilder second(b, loc, "Winograd.columns");
  p = second.loop("p", window);
  AffineExpr q = second.loop("q", window);
  Value high = mulIndex(b, loc, batch, band.rows);
  y = second.loop("y", known(high));
  AffineExpr t = second.loop("x", known(band.columns));
  i = second.loop("i", c);
  k = second.loop("k", window);
  Value whole = second.finish({buildContraction(
      second, b.getF32Type(), {second.input(coefficients), {q, k}},
      {second.input(half), {y, p, t * side + k, i}},
      {output(second,
              {number(window), number(window), high, band.columns, number(c)}),
       {p, q, y, t, i}},
      {k})})[0];
  return view(whole, {{0, 1}, {2, 3}, {4}});
}

/// products[position, tile, c] -> [n, row, tile, column, c], of which the bands
/// before have written into `tiles`.
Value WinogradBuilder::transformResult(Value products, const Band &band,
                                       Value tiles) {
  int64_t c = conv.outChannels;
  Value coefficients = matrix(matrices.result);
  Value high = mulIndex(b, loc, batch, band.rows);
  Value positions = apart(
      products, {number(window), number(window), high, band.columns, number(c)},
      {{0, 1}, {2, 3}, {4}});
  KernelBuilder first(b, loc, "Winograd.rows");
  AffineExpr y = first.loop("y", known(high)), r = first.loop("r", side);
  AffineExpr q = first.loop("q", window),
             t = first.loop("x", known(band.columns));
  AffineExpr o = first.loop("o", c), k = first.loop("k", window);
  Value half = first.finish({buildContraction(
      first, b.getF32Type(), {first.input(coefficients), {r, k}},
      {first.input(positions), {k, q, y, t, o}},
      {output(first,
              {high, number(side), number(window), band.columns, number(c)}),
       {y, r, q, t, o}},
      {k})})[0];
  half = apart(
      half,
      {batch, band.rows, number(side), number(window), band.columns, number(c)},
      {{0, 1}, {2}, {3}, {4}, {5}});
  half = view(half, {{0}, {1, 2}, {3}, {4}, {5}});

  KernelBuilder second(b, loc, "Winograd.columns");
  AffineExpr n = second.loop("n", conv.batch);
  y = second.loop("y", known(times(band.rows, side)));
  t = second.loop("x", known(band.columns));
  AffineExpr s = second.loop("s", side);
  o = second.loop("o", c);
  k = second.loop("k", window);
  Value out = tiles ? second.output(tiles)
                    : output(second, {batch, times(rows, side), columns,
                                      number(side), number(c)});
  AffineExpr at = band.from           ? y + band.from * side
                  : band.rows == rows ? y
                                      : second.partOf(y);
  return second.finish({buildContraction(
      second, b.getF32Type(), {second.input(coefficients), {s, k}},
      {second.input(half), {n, y, k, t, o}},
      {out, {n, at, band.columns == columns ? t : second.partOf(t), s, o}},
      {k})})[0];
}

/// The results, if they are few: [n, row, tile, column, c].
Value WinogradBuilder::sumWindows(Value x, Value filters) {
  KernelBuilder kernel(b, loc, "Conv.few");
  auto [height, width] = sizesOfRuns(/*ofFew=*/true, out);
  AffineExpr n = kernel.loop("n", conv.batch);
  AffineExpr o = kernel.loop("oc", conv.outChannels);
  AffineExpr h = kernel.loop("o0", height), w = kernel.loop("o1", width);
  AffineExpr i = kernel.loop("ic", conv.inChannels);
  AffineExpr y = kernel.loop("k0", 3), z = kernel.loop("k1", 3);
  Value whole = output(kernel, {batch, times(rows, side), times(columns, side),
                                number(conv.outChannels)});
  Value sums = kernel.finish({buildContraction(
      kernel, b.getF32Type(), {kernel.input(x), {n, i, h + y, w + z}},
      {kernel.input(filters), {o, i, y, z}},
      {whole, {n, kernel.partOf(h), kernel.partOf(w), o}}, {i, y, z})})[0];
  return apart(sums,
               {batch, times(rows, side), columns, number(side),
                number(conv.outChannels)},
               {{0}, {1}, {2, 3}, {4}});
}

/// tiles[n, row, tile, column, c] + bias[c] -> [n, c, h, w], without elements
/// out of bounds.
Value WinogradBuilder::finish(Value tiles, Value bias) {
  tiles = view(tiles, {{0}, {1}, {2, 3}, {4}});
  KernelBuilder kernel(b, loc, "Conv");
  AffineExpr n = kernel.loop("n", conv.batch);
  AffineExpr o = kernel.loop("oc", conv.outChannels);
  AffineExpr h = kernel.loop("o0", known(out[0]));
  AffineExpr w = kernel.loop("o1", known(out[1]));
  auto part = [&](AffineExpr loop, Value size, Value whole) {
    bool isWhole = getConstantIntValue(size) &&
                   getConstantIntValue(size) == getConstantIntValue(whole);
    return isWhole ? loop : kernel.partOf(loop);
  };
  SmallVector<KernelBuilder::Access> ins{
      {kernel.input(tiles),
       {n, part(h, out[0], times(rows, side)),
        part(w, out[1], times(columns, side)), o}}};
  if (bias)
    ins.push_back({kernel.input(bias), {o}});
  Value whole =
      output(kernel, {batch, number(conv.outChannels), out[0], out[1]});
  Value y =
      kernel.generic(ins, {whole, {n, o, h, w}}, {},
                     [&](OpBuilder &nb, Location l, ValueRange v) -> Value {
                       if (!bias)
                         return v[0];
                       return arith::AddFOp::create(nb, l, v[0], v[1]);
                     });
  return kernel.finish({y}).front();
}

SmallVector<WinogradBuilder::Band> WinogradBuilder::bands() {
  std::optional<int64_t> count = getConstantIntValue(rows);
  auto [high, wide] = sizesOfRuns(/*ofFew=*/false, {rows, columns});
  if (!count)
    return {{0, high, wide}};
  SmallVector<Band> bands;
  int64_t each = llvm::divideCeil(*count, conv.bands(side));
  for (int64_t from = 0; from < *count; from += each)
    bands.push_back(
        {from, each < *count ? number(std::min(each, *count - from)) : high,
         wide});
  return bands;
}

Value WinogradBuilder::build(Value x, Value filters, Value bias) {
  findSizes(x);
  x = pad(x);
  Value tiles;
  if (limit)
    tiles = sumWindows(x, filters);
  filters = transformedFilters();
  for (const Band &band : bands()) {
    Value products =
        buildMatMul(b, loc, transformData(x, band), filters, b.getF32Type());
    tiles = transformResult(products, band, tiles);
  }
  return finish(tiles, bias);
}

Value buildWinograd(OpBuilder &b, Location loc, const WinogradConv &conv,
                    int64_t side, std::optional<WinogradLimit> limit,
                    ValueRange operands) {
  return WinogradBuilder(b, loc, conv, side, limit)
      .build(operands[0], operands[1],
             operands.size() > 2 ? operands[2] : Value());
}

} // namespace onnxc
