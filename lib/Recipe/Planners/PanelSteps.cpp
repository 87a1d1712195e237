//===- PanelSteps.cpp - Steps of products with panels of columns *- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Planners/PanelSteps.h"

#include "Kernels/ByteGroups.h"
#include "Kernels/ContractionLoops.h"
#include "Kernels/KernelShape.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

void PanelLoops::blockGroups(RecipeBuilder &recipe, KernelOp kernel) {
  if (grouped.empty())
    return;
  auto *it = llvm::find(reduced, grouped);
  group = blockByteGroups(recipe, kernel, grouped, groupBytes, reduced);
  groups = *it;
}

void PanelLoops::pack(RecipeBuilder &recipe, KernelOp kernel,
                      ArrayRef<OpOperand *> operands) const {
  SmallVector<std::string> summed(blocks);
  llvm::append_range(summed, reduced);
  for (OpOperand *operand : operands) {
    bool inGroups = operand == operands.front() && !group.empty();
    SmallVector<std::string> stored{panels};
    for (const std::string &loop : summed) {
      // Names of loops over groups are new.
      bool isOwn = inGroups ? !llvm::is_contained(parts, loop)
                            : !loopsOf(*operand, loop).empty();
      if (isOwn)
        stored.push_back(loop);
    }
    stored.push_back(columns);
    if (inGroups)
      stored.push_back(group);
    recipe.pack(inputNumber(kernel, operand->get()), stored);
  }
}

void PanelLoops::unroll(RecipeBuilder &recipe, KernelOp kernel,
                        unsigned number) const {
  if (!group.empty())
    recipe.dot(group, number, shortGroups > 0);
  for (const std::string &part : parts)
    recipe.unroll(part, extentOf(kernel, part, 1), number);
  if (!blocks.empty() && !groups.empty())
    recipe.unroll(groups,
                  instancesOfGroups(kernel, grouped, groupBytes,
                                    extentOfAll(kernel, parts, 1)),
                  number);
}

} // namespace onnxc
