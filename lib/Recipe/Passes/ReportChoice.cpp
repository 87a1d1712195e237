//===- ReportChoice.cpp - Remarks of passes that compare costs -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/ReportChoice.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace onnxc {

static std::string cyclesText(const PredictedForm &form) {
  if (!form.cycles)
    return "no legal recipe";
  return llvm::formatv("{0} cycles", int64_t(*form.cycles));
}

void reportChoice(Location loc, StringRef pass, bool isRewritten,
                  const PredictedForm &before, const PredictedForm &after) {
  auto options = remark::RemarkOpts::name("Algorithm").category(pass);
  const PredictedForm &chosen = isRewritten ? after : before,
                      &other = isRewritten ? before : after;
  if (auto remark = isRewritten ? remark::passed(loc, options)
                                : remark::missed(loc, options))
    remark << remark::add("{0}", chosen.text)
           << remark::reason("{0}", cyclesText(chosen) + ", " + other.text +
                                        ": " + cyclesText(other));
}

} // namespace onnxc
