//===- PhaseFilters.cpp - Filters of the phases of ConvTranspose -*- C++-*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "PhaseFilters.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::onnx;

std::optional<PhaseFilters> PhaseFilters::get(ConvTransposeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getW().getType());
  if (!type || !type.hasStaticShape() || type.getRank() < 3 ||
      type.getNumElements() == 0 || op.getGroup() < 1 ||
      type.getDimSize(0) % op.getGroup() != 0)
    return std::nullopt;
  PhaseFilters filters(op);
  filters.filter = ConstantFloats::read(op.getW());
  if (!op.getB())
    return filters;
  auto biasType = dyn_cast<RankedTensorType>(op.getB().getType());
  if (!biasType || biasType.getShape() != ArrayRef(filters.channels()))
    return std::nullopt;
  filters.biases = ConstantFloats::read(op.getB());
  return filters;
}

/// Writes the elements of one phase, channels `step` apart from `offset` on.
void PhaseFilters::write(ArrayRef<PhaseSplit> splits,
                         ArrayRef<PhaseWindow> windows, int64_t step,
                         int64_t offset, ConstantFloats &result) const {
  int64_t inGroup = shape()[0] / group, outGroup = shape()[1];
  for (auto [position, value] : llvm::enumerate(filter->values)) {
    auto rest = int64_t(position);
    int64_t tap = 0, taps = 1;
    bool isOfPhase = true;
    for (auto [split, window] :
         llvm::reverse(llvm::zip_equal(splits, windows))) {
      int64_t distance = rest % split.kernel - window.first;
      rest /= split.kernel;
      isOfPhase &= distance >= 0 && distance % split.stride == 0;
      tap += (window.taps - 1 - distance / split.stride) * taps;
      taps *= window.taps;
    }
    if (!isOfPhase)
      continue;
    int64_t m = rest % outGroup, c = rest / outGroup;
    int64_t channel = ((c / inGroup) * outGroup + m) * step + offset;
    result.values[(channel * inGroup + c % inGroup) * taps + tap] = value;
  }
}

/// A filter of zeros for `phases`.
ConstantFloats PhaseFilters::empty(ArrayRef<PhaseWindow> windows,
                                   int64_t phases) const {
  SmallVector<int64_t> sizes{channels() * phases, shape()[0] / group};
  for (const PhaseWindow &window : windows)
    sizes.push_back(window.taps);
  auto made = RankedTensorType::get(sizes, type.getElementType());
  return {made, std::vector<double>(made.getNumElements(), 0)};
}

/// [c, m, (taps, steps)..] -> [m * group * steps.., c / group, taps..]
Value PhaseFilters::arrange(NodeMaker &maker, Value filter,
                            ArrayRef<int64_t> taps,
                            ArrayRef<int64_t> steps) const {
  int64_t inGroup = shape()[0] / group, channelsMade = channels();
  SmallVector<int64_t> apart, channelDims, termDims;
  // Dimensions of one element would part those of a matrix.
  auto append = [&](int64_t size, SmallVectorImpl<int64_t> &dims) {
    if (size == 1)
      return;
    dims.push_back(int64_t(apart.size()));
    apart.push_back(size);
  };
  append(group, channelDims);
  append(inGroup, termDims);
  append(shape()[1], channelDims);
  for (auto [tap, step] : llvm::zip_equal(taps, steps)) {
    append(tap, termDims);
    append(step, channelDims);
    channelsMade *= step;
  }
  channelDims.append(termDims);
  SmallVector<int64_t> result{channelsMade, inGroup};
  result.append(taps.begin(), taps.end());
  Value transposed = maker.transpose(maker.reshape(filter, apart), channelDims);
  return maker.reshape(transposed, result);
}

/// Along each of `axes` the elements from the one in `lasts` back to the
/// beginning, by a step.
static Value readBackwards(NodeMaker &maker, Value filter,
                           ArrayRef<int64_t> axes, ArrayRef<int64_t> lasts,
                           ArrayRef<int64_t> steps) {
  if (axes.empty())
    return filter;
  SmallVector<int64_t> ends(axes.size(), std::numeric_limits<int64_t>::min());
  auto backwards =
      llvm::map_to_vector(steps, [](int64_t step) { return -step; });
  return maker.make("Slice", {filter, maker.ints(lasts), maker.ints(ends),
                              maker.ints(axes), maker.ints(backwards)});
}

/// Element j * stride + r of the filter, with zeros after its end, is of phase
/// r: [c, m, (taps, strides)..] has the taps apart.
Value PhaseFilters::arrangeAll(NodeMaker &maker,
                               ArrayRef<PhaseSplit> splits) const {
  SmallVector<int64_t> pads(2 * (splits.size() + 2), 0), taps, strides, axes,
      lasts;
  SmallVector<int64_t> apart{shape()[0], shape()[1]};
  for (auto [d, split] : llvm::enumerate(splits)) {
    taps.push_back(split.taps());
    strides.push_back(split.stride);
    pads[splits.size() + 2 + 2 + d] =
        split.taps() * split.stride - split.kernel;
    if (split.taps() > 1) {
      axes.push_back(int64_t(apart.size()));
      lasts.push_back(split.taps() - 1);
    }
    apart.append({split.taps(), split.stride});
  }
  Value padded = given;
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }))
    padded = maker.make("Pad", {padded, maker.ints(pads)});
  Value read = readBackwards(maker, maker.reshape(padded, apart), axes, lasts,
                             SmallVector<int64_t>(axes.size(), 1));
  return arrange(maker, read, taps, strides);
}

Value PhaseFilters::allPhases(NodeMaker &maker,
                              ArrayRef<PhaseSplit> splits) const {
  if (!filter)
    return arrangeAll(maker, splits);
  int64_t phases = phasesOf(splits);
  ConstantFloats all = empty(windowsOf(splits, 0, &PhaseSplit::shared), phases);
  for (int64_t phase = 0; phase < phases; ++phase)
    write(splits, windowsOf(splits, phase, &PhaseSplit::shared), phases, phase,
          all);
  return all.create(maker.builder, given.getLoc());
}

Value PhaseFilters::own(NodeMaker &maker, ArrayRef<PhaseSplit> splits,
                        ArrayRef<PhaseWindow> windows) const {
  if (filter) {
    ConstantFloats made = empty(windows, 1);
    write(splits, windows, 1, 0, made);
    return made.create(maker.builder, given.getLoc());
  }
  SmallVector<int64_t> taps, lasts, steps, axes;
  for (auto [split, window] : llvm::zip_equal(splits, windows)) {
    axes.push_back(int64_t(axes.size()) + 2);
    taps.push_back(window.taps);
    lasts.push_back(window.first + (window.taps - 1) * split.stride);
    steps.push_back(split.stride);
  }
  Value read = readBackwards(maker, given, axes, lasts, steps);
  return arrange(maker, read, taps, SmallVector<int64_t>(taps.size(), 1));
}

Value PhaseFilters::bias(NodeMaker &maker, int64_t times) const {
  if (!givenBias || times == 1)
    return givenBias;
  if (biases) {
    ConstantFloats result{
        RankedTensorType::get({channels() * times}, type.getElementType()), {}};
    for (double value : biases->values)
      result.values.insert(result.values.end(), times, value);
    return result.create(maker.builder, givenBias.getLoc());
  }
  Value all = maker.make("Expand", {maker.unsqueeze(givenBias, {1}),
                                    maker.ints({channels(), times})});
  return maker.reshape(all, {channels() * times});
}
