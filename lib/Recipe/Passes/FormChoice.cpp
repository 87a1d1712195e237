//===- FormChoice.cpp - The cheaper of forms of a computation -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/FormChoice.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;

namespace onnxc {

static std::string cyclesText(const PredictedForm &form) {
  if (!form.cycles)
    return "no legal recipe";
  return llvm::formatv("{0:F0} cycles", *form.cycles);
}

static void reportChoice(Location loc, StringRef pass, bool isRewritten,
                         const PredictedForm &before,
                         const PredictedForm &after) {
  auto options = remark::RemarkOpts::name("Algorithm").category(pass);
  const PredictedForm &chosen = isRewritten ? after : before,
                      &other = isRewritten ? before : after;
  if (auto remark = isRewritten ? remark::passed(loc, options)
                                : remark::missed(loc, options))
    remark << remark::add("{0}", chosen.text)
           << remark::reason("{0}", cyclesText(chosen) + ", " + other.text +
                                        ": " + cyclesText(other));
}

FormChoice::FormChoice(PredictedForm before, double gain)
    : before(std::move(before)),
      maxCycles(this->before.cycles ? gain * *this->before.cycles
                                    : std::numeric_limits<double>::infinity()) {
}

bool FormChoice::offer(PredictedForm form) {
  bool isBetter = form.cycles && *form.cycles < maxCycles;
  if (isBetter)
    maxCycles = *form.cycles;
  isTaken |= isBetter;
  bool isCheapest = !isTaken && form.cycles &&
                    (!other.cycles || *form.cycles < *other.cycles);
  if (isBetter || isCheapest || other.text.empty())
    other = std::move(form);
  return isBetter;
}

bool FormChoice::report(Location loc, StringRef pass) const {
  if (!other.text.empty())
    reportChoice(loc, pass, isTaken, before, other);
  return isTaken;
}

} // namespace onnxc
