//===- NodeCheck.h - Nodes against their schemas ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_NODECHECK_H
#define ONNXC_LIB_IMPORTER_NODECHECK_H

#include "onnx/onnx_pb.h"

#include <string>
#include <vector>

namespace onnx {
class OpSchema;
}

namespace onnxc::importer {

/// "" for "ai.onnx", otherwise `domain`.
std::string plainDomain(const std::string &domain);

/// An operator that onnxruntime's optimiser writes into the domain of the
/// standard, in models of every version.
struct Misplaced {
  const char *name, *domain; ///< where it is really
  int version;
};

/// The actual domain of a misplaced `node` of `version`; null if it is in its
/// own.
const Misplaced *findMisplaced(const ::onnx::NodeProto &node, int64_t version);

/// "Conv" or "ai.onnx.ml.ZipMap", as messages call an operator.
std::string operatorName(const ::onnx::NodeProto &node);

/// The name of a node without one, number `index` of its graph: `path` is "" or
/// that of the body that it is in, "loop/body/".
std::string unnamedNode(const ::onnx::NodeProto &node, int index,
                        const std::string &path);

/// The newest version that is known of the operator set of `domain`, 0 if
/// the domain is not known.
int newestOpset(const std::string &domain);

/// "ai.onnx 1 to 28, ai.onnx.ml 1 to 5, ...".
std::string knownOpsets();

/// The error in `node` as one of version `version` of its domain:
/// operator, numbers of inputs and outputs, attributes, their types and texts.
std::vector<std::string> checkNode(const ::onnx::NodeProto &node, int version);

/// The errors in `node` by a schema that is not the library's own.
std::vector<std::string> checkNode(const ::onnx::NodeProto &node,
                                   const ::onnx::OpSchema &schema);

/// The kind that the schema gives the attribute `name`; UNDEFINED if none.
::onnx::AttributeProto::AttributeType
declaredKind(const ::onnx::NodeProto &node, int version,
             const std::string &name);

/// Gives outputs of `reduced` that `version` of the operator does not have as
/// optional ones, or only together with others, the names back that they have
/// in `node`; removes absent ones at the end.
void restoreRequiredOutputs(const ::onnx::NodeProto &node, int version,
                            ::onnx::NodeProto &reduced);

/// The graph attributes of the newest version of an operator in the order of
/// the operation's regions.
std::vector<std::string> graphAttributes(const ::onnx::NodeProto &node);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_NODECHECK_H
