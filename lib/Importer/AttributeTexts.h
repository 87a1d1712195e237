//===- AttributeTexts.h - Texts that attributes may have -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_ATTRIBUTETEXTS_H
#define ONNXC_LIB_IMPORTER_ATTRIBUTETEXTS_H

#include "onnx/onnx_pb.h"

#include <string>

namespace onnxc::importer {

/// The error in the text of an attribute with an enumerated set of texts,
/// such as `auto_pad`; empty if nothing is, or if it may have any. `version` is
/// that of the domain that the model imports.
std::string checkText(const ::onnx::NodeProto &node,
                      const ::onnx::AttributeProto &attribute, int version);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_ATTRIBUTETEXTS_H
