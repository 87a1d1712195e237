//===- ModelFile.h - Parsing model files -----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// protobuf copies every tensor that it parses. To leave weights in the mapped
// file, the message is walked first and each large `raw_data` replaced by a
// note of where it is; only the rest is parsed.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_MODELFILE_H
#define ONNXC_LIB_IMPORTER_MODELFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include "onnx/onnx_pb.h"

#include <optional>
#include <string>
#include <utility>

namespace onnxc::importer {

/// Key of the entry in TensorProto.external_data that stands for replaced
/// data; its value is "offset,size". A model that holds such an entry itself
/// reads its own bytes with it, nothing else.
inline constexpr const char *mappedDataKey = "onnxc.mapped";

/// Parses the model in `bytes`, leaving large tensors where they are. Fails
/// with a message if the bytes are no model or messages are nested deeper
/// than `maxNesting`.
std::optional<std::string> parseModel(llvm::StringRef bytes, int maxNesting,
                                      ::onnx::ModelProto &model);

/// Offset and size of the data that `tensor` leaves in the model's file, or
/// nothing if it does not.
std::optional<std::pair<uint64_t, uint64_t>>
mappedData(const ::onnx::TensorProto &tensor);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_MODELFILE_H
