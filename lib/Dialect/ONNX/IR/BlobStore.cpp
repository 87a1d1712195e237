//===- BlobStore.cpp - The bytes of #onnx.blob -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"
#include "onnxc/Support/NewFile.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"

#include <sys/mman.h>

using namespace mlir;
using namespace onnxc::onnx;

// mlir has an interface of this name.
using Blob = onnxc::onnx::BlobAttr;

static uint64_t hashOf(ArrayRef<char> bytes) {
  return llvm::xxh3_64bits(ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

static Blob refuse(std::string *error, const Twine &message) {
  if (error)
    *error = message.str();
  return Blob();
}

BlobStore &BlobStore::get(MLIRContext *context) {
  return context->getOrLoadDialect<ONNXDialect>()->getBlobStore();
}

ArrayRef<char> BlobStore::bytes(Blob blob) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = entries.find({blob.getHash(), blob.getSize()});
  return found == entries.end() ? ArrayRef<char>() : found->second.bytes;
}

bool BlobStore::contains(Blob blob) const {
  std::lock_guard<std::mutex> lock(mutex);
  return entries.contains({blob.getHash(), blob.getSize()});
}

std::pair<std::string, uint64_t> BlobStore::location(Blob blob) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = entries.find({blob.getHash(), blob.getSize()});
  if (!blob.getFile().empty() || found == entries.end())
    return {blob.getFile().str(), blob.getOffset()};
  return {found->second.file, found->second.offset};
}

Blob BlobStore::insert(Entry entry, ShapedType type, std::string *error) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<uint64_t> needed = tensor ? getRawSize(tensor) : std::nullopt;
  if (!needed)
    return refuse(error, "the type has no raw form, so it cannot be a blob");
  uint64_t size = entry.bytes.size();
  if (*needed != size)
    return refuse(error, "the type takes " + Twine(*needed) +
                             " bytes, but there are " + Twine(size));
  uint64_t hash = hashOf(entry.bytes);
  std::lock_guard<std::mutex> lock(mutex);
  const Entry &held =
      entries.try_emplace({hash, size}, std::move(entry)).first->second;
  return Blob::get(type.getContext(), tensor, held.file, held.offset, size,
                   hash);
}

Blob BlobStore::add(std::vector<char> bytes, ShapedType type) {
  auto owner = std::make_shared<std::vector<char>>(std::move(bytes));
  return insert({ArrayRef<char>(*owner), owner, false, {}, 0}, type, nullptr);
}

Blob BlobStore::add(std::unique_ptr<llvm::MemoryBuffer> bytes,
                    ShapedType type) {
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(bytes);
  ArrayRef<char> content(owner->getBufferStart(), owner->getBufferSize());
  return insert({content, owner, false, {}, 0}, type, nullptr);
}

std::shared_ptr<llvm::MemoryBuffer> BlobStore::map(StringRef file,
                                                   std::string *error) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<llvm::MemoryBuffer> &slot = files[file];
  if (slot)
    return slot;
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  if (!buffer) {
    refuse(error, "cannot map '" + file + "': " + buffer.getError().message());
    return nullptr;
  }
  slot = std::move(*buffer);
  return slot;
}

Blob BlobStore::addMapped(StringRef file, uint64_t offset, uint64_t size,
                          ShapedType type, std::string *error) {
  std::shared_ptr<llvm::MemoryBuffer> buffer = map(file, error);
  if (!buffer)
    return Blob();
  return addMapped(std::move(buffer), file, offset, size, type, error);
}

/// Releases the pages of a mapped file that have been read: they would
/// otherwise count as memory in use, and a model may be larger than the memory.
static void forgetPages(ArrayRef<char> bytes) {
  static const uintptr_t page = llvm::sys::Process::getPageSizeEstimate();
  uintptr_t start = reinterpret_cast<uintptr_t>(bytes.data());
  uintptr_t first = llvm::alignTo(start, page);
  uintptr_t end = llvm::alignDown(start + bytes.size(), page);
  if (first < end)
    ::madvise(reinterpret_cast<void *>(first), end - first, MADV_DONTNEED);
}

Blob BlobStore::addMapped(std::shared_ptr<llvm::MemoryBuffer> buffer,
                          StringRef file, uint64_t offset, uint64_t size,
                          ShapedType type, std::string *error) {
  uint64_t available = buffer->getBufferSize();
  if (offset > available || size > available - offset)
    return refuse(error, "'" + file + "' has " + Twine(available) +
                             " bytes, but the blob needs " + Twine(size) +
                             " at " + Twine(offset));
  ArrayRef<char> content(buffer->getBufferStart() + offset, size);
  bool isMapped =
      buffer->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap;
  Blob blob = insert({content, std::move(buffer), isMapped, file.str(), offset},
                     type, error);
  if (isMapped)
    forgetPages(content);
  return blob;
}

void BlobStore::forget(Blob blob, uint64_t offset, uint64_t size) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = entries.find({blob.getHash(), blob.getSize()});
  if (found == entries.end() || !found->second.isMapped)
    return;
  ArrayRef<char> bytes = found->second.bytes;
  offset = std::min<uint64_t>(offset, bytes.size());
  forgetPages(bytes.slice(offset).take_front(size));
}

llvm::Error BlobStore::save(StringRef file) {
  std::lock_guard<std::mutex> lock(mutex);
  // The map has no order of its own: sort, so that equal runs write equal
  // files.
  SmallVector<Key> keys;
  for (const auto &[key, entry] : entries)
    if (entry.file.empty())
      keys.push_back(key);
  if (keys.empty())
    return llvm::Error::success();
  llvm::sort(keys);
  SmallVector<uint64_t> offsets;
  llvm::Error error = writeFile(file, [&](llvm::raw_ostream &os) {
    for (const Key &key : keys) {
      offsets.push_back(os.tell());
      ArrayRef<char> bytes = entries[key].bytes;
      os.write(bytes.data(), bytes.size());
    }
    return llvm::Error::success();
  });
  if (error)
    return error;
  for (auto [key, offset] : llvm::zip_equal(keys, offsets)) {
    entries[key].file = file.str();
    entries[key].offset = offset;
  }
  return llvm::Error::success();
}
