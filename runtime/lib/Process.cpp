//===- Process.cpp - State shared by artefacts ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//
//===----------------------------------------------------------------------===//

#include "Registry.h"

onnxc::rt::Process onnxc_process_13;
