//===- Upgrading.h - Upgrades a node for a test -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A case is a node in ONNX's text form, the version it is written in, and what
// stands for it once all rules were applied. Values called s, v, m, t have
// known rank 0, 1, 2, 4; the others nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TEST_UNIT_IMPORTER_UPGRADING_H
#define ONNXC_TEST_UNIT_IMPORTER_UPGRADING_H

#include <string>

/// The node of `version` becomes `expected`: one line per node, constants as
/// `name = [1, 2]`.
void expectUpgraded(const std::string &node, int version,
                    const std::string &expected);

/// No rule can upgrade the node; the error says `why`.
void expectRefused(const std::string &node, int version,
                   const std::string &why);

#endif // ONNXC_TEST_UNIT_IMPORTER_UPGRADING_H
