//===- UpgradeTable.h - From old operator versions to the newest *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The dialect holds only the newest version of each operator. Older nodes are
// upgraded step by step. A step whose signature changed has a row in the table:
// a rule, or the statement that nothing is to be done; without one it is
// refused. Adding one is a function in the file of its family, a line in
// Rules.h and its row.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_UPGRADE_UPGRADETABLE_H
#define ONNXC_LIB_IMPORTER_UPGRADE_UPGRADETABLE_H

#include "NodeView.h"

namespace onnxc::importer {

using UpgradeRule = void (*)(NodeView &);

/// One version step of one operator.
struct UpgradeStep {
  const char *domain;
  const char *opType;
  int from;
  int to;
  /// Null if a node of version `from` is one of version `to` as it stands.
  UpgradeRule rule;
  /// Set if the rule is for types that `to` does not take: a node of version
  /// `to` is one of version `from` as it stands.
  bool isForOldTypes = false;
};

/// All rows, sorted by domain, operator and version.
const std::vector<UpgradeStep> &upgradeTable();

/// The row that starts at version `from`, or null.
const UpgradeStep *findUpgradeStep(const std::string &domain,
                                   const std::string &opType, int from);

/// A step between two versions in the registry of the onnx library whose
/// signature changed.
struct ChangedStep {
  std::string domain, opType;
  int from, to;
  /// The difference, for people.
  std::string difference;
};

/// All steps that need a row.
std::vector<ChangedStep> changedSteps();

/// The result of upgrading a node by one step.
struct UpgradeResult {
  /// The nodes that replace the node. Empty if it is the newest already (or
  /// on failure).
  std::vector<VersionedNode> nodes;
  /// Why the node could not be upgraded, empty on success.
  std::string error;
};

/// Applies to `node`, written in `version` of its domain's operator set, the
/// first rule on its way to the newest version.
UpgradeResult upgradeNode(const ::onnx::NodeProto &node, int version,
                          const ValueOracle &oracle,
                          const std::function<std::string()> &freshName);

} // namespace onnxc::importer

#endif // ONNXC_LIB_IMPORTER_UPGRADE_UPGRADETABLE_H
