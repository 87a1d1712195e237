//===- Launches.h - Nodes of launches --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LAUNCHES_H
#define ONNXC_DIALECT_KRNL_IR_LAUNCHES_H

#include "llvm/ADT/StringRef.h"

namespace onnxc::krnl {

/// On a module: the launches and calls of its host program, in order. Each is a
/// dictionary of `function`, `nodes` (names and operators in turn), in a
/// parallel region its number as `region`, and `work` where that is known.
inline constexpr llvm::StringLiteral launchesAttrName = "krnl.launches";
/// On a launch of a kernel: its `operations`, by the element type whose rate
/// they have (i8, f16 and bf16 for sums of products of these), and its `bytes`.
/// Each is a number, or a list of products of a number and of sizes, of which
/// there are the positions. Of bytes, where they are a list, the last element
/// is a number, and of each pair before it the smaller one counts. `sizes`
/// lists dynamic values: a scalar input of the launch by its position,
/// or a size of an input by positions of input and dimension; -1 is the first
/// output.
inline constexpr llvm::StringLiteral workAttrName = "krnl.work";
/// The attribute of a kernel with packed operands: for the number of each of
/// them a dictionary of the attributes of a launch that packs it in a run.
inline constexpr llvm::StringLiteral packCostsAttrName = "krnl.pack_costs";
/// The attribute of a launch of a kernel of a device: the minimum number of
/// cycles that it takes with assumed extents.
inline constexpr llvm::StringLiteral rooflineCyclesAttrName =
    "krnl.roofline_cycles";
/// On an error word that is one of the device's: the row of its first message
/// among those that the module lists under the second name, each an array of
/// the text and the dimension.
inline constexpr llvm::StringLiteral firstErrorAttrName = "krnl.first_error";
inline constexpr llvm::StringLiteral deviceErrorsAttrName =
    "krnl.device_errors";
/// The attribute of a kernel of a device: how many of its first parameters are
/// buffers that are only read, and how many after these are buffers that are
/// written.
inline constexpr llvm::StringLiteral deviceBuffersAttrName =
    "krnl.device_buffers";
/// The attribute of a launch of such a kernel: the operands that are buffers
/// for which it waits for no other launch, by number.
inline constexpr llvm::StringLiteral unorderedAttrName = "krnl.unordered";
/// The attribute of a copy whose buffers are both on the device.
inline constexpr llvm::StringLiteral onDeviceAttrName = "krnl.on_device";
/// The attribute of a launch or call whose time is measured: its number in that
/// list.
inline constexpr llvm::StringLiteral launchNumberAttrName =
    "krnl.launch_number";

/// Memory of a device; and of a stack buffer in its kernels: the threads of a
/// block share it.
inline constexpr unsigned globalMemorySpace = 1, sharedMemorySpace = 3;

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LAUNCHES_H
