//===- WeightsSegment.h - Where an artefact has its weights ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Code and data refer to each other by offsets of 32 bits, so that weights
// above 2 GiB must not lie between them. They come last, in a segment of their
// own that a pointer of 64 bits leads to. The linker gets the first 64 bytes of
// it only: it would write the whole segment, which is then written again.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TARGET_ARTEFACT_WEIGHTSSEGMENT_H
#define ONNXC_LIB_TARGET_ARTEFACT_WEIGHTSSEGMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace onnxc::target {

/// The linker script.
inline constexpr llvm::StringLiteral weightsScript =
    "SECTIONS { .onnxc_weights : ALIGN(64) { KEEP(*(.onnxc_weights)) } } "
    "INSERT AFTER .bss;\n";

/// The section of the weights of a real-time model: a name that scripts of
/// linkers put with the constants of a program.
inline constexpr llvm::StringLiteral realTimeWeightsSection =
    ".rodata.onnxc_weights";

/// Makes the segment in a linked file, or the section in an object, `bytes`
/// large and moves it past the end of the file, which does not grow by that.
/// Returns its offset in the file.
llvm::Expected<int64_t> growWeightsSegment(llvm::MutableArrayRef<char> linked,
                                           int64_t bytes);

} // namespace onnxc::target

#endif // ONNXC_LIB_TARGET_ARTEFACT_WEIGHTSSEGMENT_H
