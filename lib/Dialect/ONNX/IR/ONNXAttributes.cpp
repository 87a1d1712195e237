//===- ONNXAttributes.cpp - Attributes of the onnx dialect -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/ONNXAttributes.h"
#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace onnxc::onnx;

// mlir has an interface of this name.
using Blob = onnxc::onnx::BlobAttr;

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/ONNX/IR/ONNXAttributes.cpp.inc"

void ONNXDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "onnxc/Dialect/ONNX/IR/ONNXAttributes.cpp.inc"
      >();
}

LogicalResult Blob::verify(function_ref<InFlightDiagnostic()> emitError,
                           RankedTensorType type, StringRef file,
                           uint64_t offset, uint64_t size, uint64_t hash) {
  if (!type)
    return emitError() << "expects a static tensor type after the blob";
  std::optional<uint64_t> needed = getRawSize(type);
  if (!needed)
    return emitError() << type << " has no raw form, so it cannot be a blob";
  if (*needed != size)
    return emitError() << type << " takes " << *needed
                       << " bytes, but the blob has " << size;
  return success();
}

/// Makes the bytes of an attribute read from text known, if its file exists.
static LogicalResult resolve(AsmParser &parser, SMLoc loc, Blob blob) {
  BlobStore &store = BlobStore::get(parser.getContext());
  if (store.contains(blob) || blob.getFile().empty() ||
      !llvm::sys::fs::exists(blob.getFile()))
    return success();
  std::string error;
  Blob mapped = store.addMapped(blob.getFile(), blob.getOffset(),
                                blob.getSize(), blob.getType(), &error);
  if (!mapped)
    return parser.emitError(loc, error);
  if (mapped.getHash() == blob.getHash())
    return success();
  return parser.emitError(loc)
         << "the bytes at " << blob.getOffset() << " of '" << blob.getFile()
         << "' have the hash " << llvm::utohexstr(mapped.getHash(), true, 16)
         << ", but the blob says " << llvm::utohexstr(blob.getHash(), true, 16);
}

Attribute Blob::parse(AsmParser &parser, Type type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string file, digits;
  uint64_t offset = 0, size = 0, hash = 0;
  if (parser.parseLess() || parser.parseString(&file) || parser.parseComma() ||
      parser.parseInteger(offset) || parser.parseComma() ||
      parser.parseInteger(size) || parser.parseComma())
    return Attribute();
  SMLoc hashLoc = parser.getCurrentLocation();
  if (parser.parseString(&digits) || parser.parseGreater())
    return Attribute();
  if (digits.size() != 16 || StringRef(digits).getAsInteger(16, hash)) {
    parser.emitError(hashLoc, "expects a hash of 16 hexadecimal digits");
    return Attribute();
  }
  auto blob = parser.getChecked<Blob>(loc, parser.getContext(),
                                      dyn_cast_or_null<RankedTensorType>(type),
                                      file, offset, size, hash);
  if (!blob || failed(resolve(parser, loc, blob)))
    return Attribute();
  return blob;
}

void Blob::print(AsmPrinter &printer) const {
  auto [file, offset] = BlobStore::get(getContext()).location(*this);
  printer << "<";
  printer.printString(file);
  printer << ", " << offset << ", " << getSize() << ", \""
          << llvm::utohexstr(getHash(), /*LowerCase=*/true, /*Width=*/16)
          << "\">";
}
