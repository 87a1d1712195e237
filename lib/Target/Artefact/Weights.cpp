//===- Weights.cpp - Writing constants, packed as laid out -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Artefact/Weights.h"

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/ShortSums.h"
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/NamedWeights.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/rt/model.h"
#include "llvm/Support/BLAKE3.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace mlir;

namespace onnxc::target {

int64_t weightsBytes(ModuleOp module) {
  auto attribute = module->getAttrOfType<IntegerAttr>(weightsBytesAttrName);
  return attribute ? attribute.getInt() : 0;
}

static LogicalResult writeAll(int file, ArrayRef<char> bytes, int64_t offset,
                              Operation *op) {
  while (!bytes.empty()) {
    ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return op->emitError("cannot write the weights: ")
             << std::strerror(errno);
    bytes = bytes.drop_front(written);
    offset += written;
  }
  return success();
}

namespace {

/// Walks the stored array of a packed constant and copies the elements, some of
/// its outermost blocks at a time.
class WeightPacker {
public:
  WeightPacker(krnl::PackedLayoutAttr layout, ArrayRef<int64_t> shape,
               int64_t elementSize, ArrayRef<char> source)
      : sizes(layout.getSizes()), dims(layout.getDims()),
        strides(layout.getStrides()), shape(shape), elementSize(elementSize),
        source(source), position(shape.size(), 0) {
    copiesRuns = !sizes.empty() && strides.back() == 1 &&
                 dims.back() + 1 == static_cast<int64_t>(shape.size());
  }

  /// How many blocks there are, and the bytes of each.
  int64_t blocks() const { return isLine() ? 1 : sizes.front(); }
  int64_t blockBytes() const {
    return elementSize *
           llvm::product_of(isLine() ? sizes : sizes.drop_front());
  }

  /// `count` blocks, beginning with `first`.
  std::vector<char> pack(int64_t first, int64_t count) {
    target.assign(count * blockBytes(), 0);
    if (isLine()) {
      walk(0, 0);
      return std::move(target);
    }
    for (int64_t i = 0; i < count; ++i) {
      position[dims.front()] = (first + i) * strides.front();
      walk(1, i);
    }
    return std::move(target);
  }

private:
  bool isLine() const { return sizes.size() < 2; }

  /// Entry `level` of the layout; `offset` counts stored elements.
  void walk(unsigned level, int64_t offset) {
    if (level == sizes.size())
      return copy(offset, 1);
    if (copiesRuns && level + 1 == sizes.size())
      return copy(offset * sizes[level], sizes[level]);
    int64_t dim = dims[level];
    int64_t start = position[dim];
    for (int64_t i = 0; i < sizes[level]; ++i) {
      position[dim] = start + i * strides[level];
      walk(level + 1, offset * sizes[level] + i);
    }
    position[dim] = start;
  }

  /// `count` adjacent elements in both arrays.
  void copy(int64_t offset, int64_t count) {
    int64_t from = 0;
    for (auto [at, size] : llvm::zip_equal(position, shape)) {
      if (at >= size)
        return; // beyond the constant: stays zero
      from = from * size + at;
    }
    if (count > 1)
      count = std::min(count, shape.back() - position.back());
    std::memcpy(target.data() + offset * elementSize,
                source.data() + from * elementSize, count * elementSize);
  }

  ArrayRef<int64_t> sizes, dims, strides;
  ArrayRef<int64_t> shape;
  int64_t elementSize;
  ArrayRef<char> source;
  std::vector<char> target;
  SmallVector<int64_t> position;
  /// The innermost entry goes along the last dimension, element by element.
  bool copiesRuns;
};

} // namespace

std::vector<char> spreadNarrow(ArrayRef<char> packed, int64_t count,
                               unsigned width, bool isSigned) {
  std::vector<char> bytes(count);
  unsigned mask = (1u << width) - 1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t bit = i * width;
    unsigned low = uint8_t(packed[bit / 8]);
    unsigned high =
        size_t(bit / 8 + 1) < packed.size() ? uint8_t(packed[bit / 8 + 1]) : 0;
    unsigned value = ((high << 8 | low) >> (bit % 8)) & mask;
    if (isSigned && (value >> (width - 1)))
      value |= ~mask;
    bytes[i] = char(value);
  }
  return bytes;
}

/// Bytes of a constant that are packed at a time.
static constexpr int64_t partBytes = 32 << 20;

/// Written bytes are dropped from memory: a model may be larger.
static void forgetPart(onnx::BlobAttr blob, uint64_t offset, uint64_t size) {
  if (blob)
    onnx::BlobStore::get(blob.getContext()).forget(blob, offset, size);
}

/// Writes a constant as it is.
static LogicalResult writePlain(ArrayRef<char> bytes, int64_t offset,
                                onnx::BlobAttr blob, WeightSink write) {
  for (size_t done = 0; done < bytes.size(); done += partBytes) {
    if (failed(write(bytes.slice(done).take_front(partBytes), offset + done)))
      return failure();
    forgetPart(blob, done, partBytes);
  }
  return success();
}

/// The constant as programs hold it: elements of less than a byte have one
/// each. Bytes that are not its own are in `scratch` or `spread`; empty if they
/// are unknown.
static ArrayRef<char> storedBytes(TypedAttr value, SmallVector<char> &scratch,
                                  std::vector<char> &spread) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<char> bytes = onnx::constantBytes(value, scratch);
  // Sizes of the host program: indices are stored as 64-bit integers.
  if (auto sizes = dyn_cast<DenseIntElementsAttr>(value);
      sizes && type.getElementType().isIndex()) {
    for (const APInt &size : sizes.getValues<APInt>()) {
      int64_t word = size.getSExtValue();
      scratch.append(reinterpret_cast<char *>(&word),
                     reinterpret_cast<char *>(&word) + sizeof(word));
    }
    return scratch;
  }
  Type element = type.getElementType();
  unsigned width =
      element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  if (bytes.empty() || width <= 1 || width >= 8)
    return bytes;
  auto integer = dyn_cast<IntegerType>(element);
  spread = spreadNarrow(bytes, type.getNumElements(), width,
                        integer && !integer.isUnsigned());
  return spread;
}

/// Writes one entry of krnl.weights.
static LogicalResult writeEntry(DictionaryAttr entry, ModuleOp module,
                                WeightSink write) {
  auto value = entry.getAs<TypedAttr>("value");
  auto type = cast<RankedTensorType>(value.getType());
  int64_t offset = entry.getAs<IntegerAttr>("offset").getInt();
  if (type.getNumElements() == 0)
    return success();
  TypedAttr source = onnx::NamedWeights::sourceOf(value);
  SmallVector<char> scratch;
  std::vector<char> spread;
  ArrayRef<char> bytes = storedBytes(source, scratch, spread);
  if (bytes.empty())
    return module.emitError("the bytes of a constant are unknown: ") << value;
  auto blob = dyn_cast<onnx::BlobAttr>(source);
  auto layout = entry.getAs<krnl::PackedLayoutAttr>("layout");
  if (!layout)
    return writePlain(bytes, offset, blob, write);
  if (!layout.getLongSums().empty())
    return write(krnl::longSumsOf(layout, type.getShape(), bytes, 0,
                                  layout.getSizes().front()),
                 offset);
  WeightPacker packer(layout, type.getShape(),
                      elementBytes(type.getElementType()), bytes);
  int64_t step = std::max<int64_t>(partBytes / packer.blockBytes(), 1);
  for (int64_t first = 0; first < packer.blocks(); first += step) {
    int64_t count = std::min(step, packer.blocks() - first);
    if (failed(write(packer.pack(first, count),
                     offset + first * packer.blockBytes())))
      return failure();
    // A part is made of all of the constant.
    forgetPart(blob, 0, bytes.size());
  }
  return success();
}

LogicalResult writeWeights(ModuleOp module, WeightSink write) {
  auto entries = module->getAttrOfType<ArrayAttr>(weightsAttrName);
  if (!entries)
    return success();
  for (auto entry : entries.getAsRange<DictionaryAttr>())
    if (failed(writeEntry(entry, module, write)))
      return failure();
  return success();
}

LogicalResult writeWeights(ModuleOp module, int file, int64_t start,
                           const std::atomic<bool> *cancel) {
  return writeWeights(module, [&](ArrayRef<char> bytes, int64_t offset) {
    if (cancel && *cancel)
      return failure();
    return writeAll(file, bytes, start + offset, module);
  });
}

llvm::Expected<WeightsDigest> digestOf(int file, int64_t bytes) {
  llvm::BLAKE3 hasher;
  std::vector<uint8_t> chunk(size_t(1) << 20);
  for (int64_t at = 0; at < bytes;) {
    ssize_t read = ::pread(file, chunk.data(),
                           std::min<int64_t>(chunk.size(), bytes - at), at);
    if (read < 0 && errno == EINTR)
      continue;
    if (read <= 0)
      return llvm::createStringError(
          read < 0 ? llvm::errnoAsErrorCode()
                   : std::make_error_code(std::errc::io_error),
          "cannot read the weights");
    hasher.update(ArrayRef(chunk).take_front(read));
    at += read;
  }
  return hasher.final<std::tuple_size_v<WeightsDigest>>();
}

llvm::Expected<WeightsDigest> sealWeights(int file, int64_t bytes) {
  llvm::Expected<WeightsDigest> digest = digestOf(file, bytes);
  if (!digest)
    return digest;
  OnnxcWeightsFooter footer = {};
  std::memcpy(footer.magic, ONNXC_WEIGHTS_MAGIC, sizeof footer.magic);
  footer.bytes = bytes;
  llvm::copy(*digest, footer.digest);
  if (::pwrite(file, &footer, sizeof footer, bytes) != sizeof footer)
    return llvm::createStringError(llvm::errnoAsErrorCode(),
                                   "cannot write the weights");
  return digest;
}

} // namespace onnxc::target
