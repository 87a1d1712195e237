//===- UpgradeTableTest.cpp - Each step has a row ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Importer/Upgrade/UpgradeTable.h"

#include "gtest/gtest.h"

#include <set>

using namespace onnxc::importer;

static std::string stepName(const std::string &domain,
                            const std::string &opType, int from, int to) {
  return domain + " " + opType + " " + std::to_string(from) + " to " +
         std::to_string(to);
}

TEST(UpgradeTable, EveryChangedStepHasARow) {
  std::set<std::string> rows;
  for (const UpgradeStep &row : upgradeTable())
    rows.insert(stepName(row.domain, row.opType, row.from, row.to));
  std::vector<ChangedStep> changed = changedSteps();
  EXPECT_GE(changed.size(), 134u);
  for (const ChangedStep &step : changed)
    EXPECT_TRUE(
        rows.count(stepName(step.domain, step.opType, step.from, step.to)))
        << "UpgradeTable.cpp needs a row for "
        << stepName(step.domain, step.opType, step.from, step.to)
        << ", where this changed:" << step.difference;
}

TEST(UpgradeTable, IsSortedAndFindsItsRows) {
  const std::vector<UpgradeStep> &table = upgradeTable();
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(findUpgradeStep(table[i].domain, table[i].opType, table[i].from),
              &table[i])
        << table[i].opType << " " << table[i].from;
    EXPECT_LT(table[i].from, table[i].to);
  }
}
