//===- BlobStore.h - The bytes of #onnx.blob -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Weights stay where they are: in the mapped file of the model, or in a buffer
// that the compiler made. A context has one store; an `#onnx.blob` attribute
// is a key into it.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_ONNX_IR_BLOBSTORE_H
#define ONNXC_DIALECT_ONNX_IR_BLOBSTORE_H

#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXAttributes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>
#include <string>
#include <vector>

namespace onnxc::onnx {

/// Finds bytes by their hash; each content is held once. All functions may be
/// called from several threads. Bytes live as long as the context and are not
/// aligned to anything.
class BlobStore {
public:
  /// The store of the context, which loads the onnx dialect.
  static BlobStore &get(mlir::MLIRContext *context);

  /// The bytes of `blob`; empty if they are unknown (see `contains`) or none.
  llvm::ArrayRef<char> bytes(BlobAttr blob) const;

  /// Returns false for an attribute read from text whose file was not found.
  bool contains(BlobAttr blob) const;

  /// Gives back the memory of `size` bytes from `offset` on, or fewer, if they
  /// are in a mapped file; they may be read again.
  void forget(BlobAttr blob, uint64_t offset, uint64_t size) const;

  /// Takes bytes that the compiler made. Null if their number is not the raw
  /// size of `type`, which includes every type without a raw form.
  BlobAttr add(std::vector<char> bytes, mlir::ShapedType type);
  BlobAttr add(std::unique_ptr<llvm::MemoryBuffer> bytes,
               mlir::ShapedType type);

  /// Takes `size` bytes at `offset` of the file at path `file`, which is
  /// mapped once. Null if that fails or the bytes do not fit; `error` is the
  /// reason then.
  BlobAttr addMapped(llvm::StringRef file, uint64_t offset, uint64_t size,
                     mlir::ShapedType type, std::string *error = nullptr);

  /// Takes `size` bytes at `offset` of a file that the caller has mapped;
  /// `file` is its name in the attribute. Null if the bytes do not fit; `error`
  /// is the reason then.
  BlobAttr addMapped(std::shared_ptr<llvm::MemoryBuffer> buffer,
                     llvm::StringRef file, uint64_t offset, uint64_t size,
                     mlir::ShapedType type, std::string *error = nullptr);

  /// Writes all blobs that are in memory only to `file`, so that attributes
  /// printed from now on name their position in it. Nothing is written if there
  /// are none. Fails with a message.
  llvm::Error save(llvm::StringRef file);

  /// The file and the offset of the bytes of `blob`, for texts.
  std::pair<std::string, uint64_t> location(BlobAttr blob) const;

private:
  struct Entry {
    llvm::ArrayRef<char> bytes;
    /// Keeps the bytes alive.
    std::shared_ptr<void> owner;
    /// The bytes are in a file that is mapped.
    bool isMapped = false;
    /// The file that has the bytes; empty while they are in memory only.
    std::string file;
    uint64_t offset = 0;
  };
  /// Hash and size.
  using Key = std::pair<uint64_t, uint64_t>;

  BlobAttr insert(Entry entry, mlir::ShapedType type, std::string *error);
  std::shared_ptr<llvm::MemoryBuffer> map(llvm::StringRef file,
                                          std::string *error);

  mutable std::mutex mutex;
  llvm::DenseMap<Key, Entry> entries;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> files;
};

} // namespace onnxc::onnx

#endif // ONNXC_DIALECT_ONNX_IR_BLOBSTORE_H
