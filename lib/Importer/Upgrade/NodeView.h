//===- NodeView.h - The view of an upgrade rule ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// An upgrade rule rewrites one node from one version of its operator to the
// next. It works on the protobuf message, before any operation exists.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_UPGRADE_NODEVIEW_H
#define ONNXC_LIB_IMPORTER_UPGRADE_NODEVIEW_H

#include "onnx/onnx_pb.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace onnxc::importer {

/// Facts about the values that a node reads, by their names.
class ValueOracle {
public:
  virtual ~ValueOracle();

  /// The sizes of a tensor, -1 where unknown; nothing without a rank.
  virtual std::optional<std::vector<int64_t>>
  dims(const std::string &value) const = 0;

  /// The number of the element type of a tensor, 0 if unknown.
  virtual int32_t elementType(const std::string &value) const = 0;

  /// The elements of a constant integer tensor of rank 0 or 1.
  virtual std::optional<std::vector<int64_t>>
  constantInts(const std::string &value) const = 0;

  /// The elements of a small constant tensor of 32-bit floats.
  virtual std::optional<std::vector<float>>
  constantFloats(const std::string &value) const = 0;
};

/// Key of the metadata entry for the version of a node that a rule has put into
/// a graph; other nodes have that of their graph.
inline constexpr const char *madeInVersionKey = "onnxc.version";

/// A node and the version of its operator set that it is written in.
struct VersionedNode {
  ::onnx::NodeProto node;
  int version;
};

/// One node under a rule, with the nodes that the rule puts around it.
class NodeView {
public:
  /// `freshName` makes names of values that nothing else has.
  NodeView(::onnx::NodeProto &node, int toVersion, const ValueOracle &oracle,
           const std::function<std::string()> &freshName)
      : node(node), toVersion(toVersion), oracle(oracle), freshName(freshName) {
  }

  ::onnx::NodeProto &node;
  /// The version that the rule upgrades to.
  const int toVersion;
  const ValueOracle &oracle;

  //===--- Attributes -----------------------------------------------------===//

  const ::onnx::AttributeProto *find(const std::string &name) const;
  bool has(const std::string &name) const { return find(name); }
  /// Removes the attribute, if there is one.
  void drop(const std::string &name);
  void rename(const std::string &from, const std::string &to);

  int64_t getInt(const std::string &name, int64_t otherwise) const;
  float getFloat(const std::string &name, float otherwise) const;
  std::string getString(const std::string &name,
                        const std::string &otherwise) const;
  std::vector<int64_t> getInts(const std::string &name) const;
  std::vector<float> getFloats(const std::string &name) const;

  void setInt(const std::string &name, int64_t value);
  void setFloat(const std::string &name, float value);
  void setString(const std::string &name, const std::string &value);
  void setInts(const std::string &name, const std::vector<int64_t> &values);

  //===--- Values ---------------------------------------------------------===//

  /// The name of an input, empty if absent.
  std::string input(int index) const;
  bool hasInput(int index) const { return !input(index).empty(); }
  /// Replaces an input; those between are left absent.
  void setInput(int index, const std::string &value);
  /// Removes absent inputs at the end.
  void trimInputs();
  std::string output(int index) const;
  bool hasOutput(int index) const { return !output(index).empty(); }
  /// Gives the output a fresh name and returns it, so that a node after this
  /// one can make the old name.
  std::string renameOutput(int index);

  std::optional<int64_t> rank(int input) const;

  //===--- Nodes around this one ------------------------------------------===//

  /// A constant before the node; returns the name of its value.
  std::string constant(const std::vector<int64_t> &values);
  std::string constant(const std::vector<float> &values);
  std::string scalar(int64_t value);
  /// The constant `value`, a scalar of the element type of `like`.
  std::string scalarLike(float value, const std::string &like);

  /// A node before this one with one result, whose name is returned.
  std::string before(const std::string &opType,
                     const std::vector<std::string> &inputs,
                     const std::function<void(NodeView &)> &fill = nullptr,
                     int version = 0);

  /// A node after this one that makes `output`. Versions default to the one
  /// that the rule upgrades to.
  void after(const std::string &opType, const std::vector<std::string> &inputs,
             const std::string &output,
             const std::function<void(NodeView &)> &fill = nullptr,
             int version = 0);

  /// Says why the node cannot be upgraded; the rule returns right after.
  void fail(const std::string &why) { error = why; }

  std::vector<VersionedNode> nodesBefore, nodesAfter;
  std::string error;

private:
  VersionedNode make(const std::string &opType,
                     const std::vector<std::string> &inputs,
                     const std::string &output,
                     const std::function<void(NodeView &)> &fill, int version);
  ::onnx::AttributeProto &reset(const std::string &name,
                                ::onnx::AttributeProto::AttributeType type);

  const std::function<std::string()> &freshName;
};

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_UPGRADE_NODEVIEW_H
