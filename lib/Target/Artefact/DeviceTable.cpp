//===- DeviceTable.cpp - Images and kernels of the descriptor ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceTable.h"

#include "DescriptorConstants.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/Launches.h"
#include "onnxc/Target/NVPTX/DeviceCode.h"
#include "onnxc/rt/device.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace onnxc::target {

static SmallVector<LLVM::LLVMFuncOp> kernelsOf(ModuleOp module) {
  return llvm::filter_to_vector(
      module.getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
        return function->hasAttr(krnl::KrnlDialect::threadsAttrName);
      });
}

/// The nodes that launches of the kernel come from.
static std::string nodesOf(ModuleOp module, LLVM::LLVMFuncOp kernel) {
  auto launches = module->getAttrOfType<ArrayAttr>(krnl::launchesAttrName);
  SmallVector<StringRef> names;
  if (!launches)
    return "";
  for (auto launch : launches.getAsRange<DictionaryAttr>()) {
    auto function = launch.getAs<FlatSymbolRefAttr>("function");
    auto nodes = launch.getAs<ArrayAttr>("nodes");
    if (!function || function.getValue() != kernel.getName() || !nodes)
      continue;
    // Names and operators in turn.
    for (size_t i = 0; i + 1 < nodes.size(); i += 2)
      if (auto name = dyn_cast<StringAttr>(nodes[i]);
          name && !llvm::is_contained(names, name.getValue()))
        names.push_back(name.getValue());
  }
  return llvm::join(names, ", ");
}

/// The maps of tensors that the launches of a kernel pass.
static SmallVector<llvm::Constant *> makeTensorMaps(Constants &make,
                                                    LLVM::LLVMFuncOp kernel) {
  SmallVector<llvm::Constant *> records;
  auto maps =
      kernel->getAttrOfType<ArrayAttr>(krnl::KrnlDialect::tensorMapsAttrName);
  if (!maps)
    return records;
  for (auto map : maps.getAsRange<DictionaryAttr>()) {
    SmallVector<llvm::Constant *> fields;
    for (StringRef name : {"pointer", "bytes", "swizzle"})
      fields.push_back(make.number(map.getAs<IntegerAttr>(name).getInt()));
    auto rank = map.getAs<DenseI64ArrayAttr>("sizes").size();
    fields.push_back(make.number(rank));
    // The last dimension comes first.
    for (StringRef name : {"sizes", "box"}) {
      for (int64_t size :
           llvm::reverse(map.getAs<DenseI64ArrayAttr>(name).asArrayRef()))
        fields.push_back(make.number(size));
      fields.append(ONNXC_TENSOR_MAP_RANK - rank, make.number(0));
    }
    records.push_back(make.record(fields));
  }
  return records;
}

static llvm::Constant *makeKernel(Constants &make, ModuleOp module,
                                  LLVM::LLVMFuncOp kernel) {
  auto threads =
      kernel->getAttrOfType<IntegerAttr>(krnl::KrnlDialect::threadsAttrName);
  auto shared = kernel->getAttrOfType<IntegerAttr>(
      krnl::KrnlDialect::sharedBytesAttrName);
  // A kernel that nothing launches has none.
  int64_t inputs = 0, outputs = 0;
  if (auto buffers = kernel->getAttrOfType<DenseI64ArrayAttr>(
          krnl::deviceBuffersAttrName)) {
    inputs = buffers[0];
    outputs = buffers[1];
  }
  SmallVector<llvm::Constant *> maps = makeTensorMaps(make, kernel);
  return make.record(
      {make.text(kernel.getName()), make.text(nodesOf(module, kernel)),
       make.number(kernel.getNumArguments() - int64_t(maps.size())),
       make.number(inputs), make.number(outputs), make.number(threads.getInt()),
       make.number(shared ? shared.getInt() : 0), make.number(maps.size()),
       make.array(maps)});
}

/// PTX ends with NUL.
static llvm::Constant *makeImage(Constants &make, const DeviceImage &image) {
  size_t bytes = image.bytes.size() + (image.kind == ONNXC_IMAGE_PTX ? 1 : 0);
  return make.record({make.number(image.kind), make.number(image.capability),
                      make.number(image.isExact), make.number(image.driver),
                      make.bytes(ArrayRef(image.bytes.c_str(), bytes)),
                      make.number(int64_t(bytes))});
}

llvm::Constant *makeDeviceCode(Constants &make, ModuleOp module,
                               ArrayRef<DeviceImage> deviceImages,
                               int64_t weightsBytes) {
  SmallVector<llvm::Constant *> images, kernels, constants, errors;
  for (const DeviceImage &image : deviceImages)
    images.push_back(makeImage(make, image));
  for (LLVM::LLVMFuncOp kernel : kernelsOf(module))
    kernels.push_back(makeKernel(make, module, kernel));
  if (weightsBytes > 0)
    constants.push_back(make.record(
        {make.number(0), make.number(weightsBytes), make.number(0)}));
  if (auto messages =
          module->getAttrOfType<ArrayAttr>(krnl::deviceErrorsAttrName))
    for (auto error : messages.getAsRange<ArrayAttr>())
      errors.push_back(
          make.record({make.number(ONNXC_ERR_VALUE),
                       make.text(cast<StringAttr>(error[0]).getValue()),
                       make.number(cast<IntegerAttr>(error[1]).getInt())}));
  return make.array(make.record(
      {make.external("onnxc_device_runtime"), make.number(images.size()),
       make.array(images), make.number(kernels.size()), make.array(kernels),
       make.number(constants.size()), make.array(constants),
       make.number(weightsBytes), make.number(errors.size()),
       make.array(errors), make.zeroWords(ONNXC_DEVICE_STATE_BYTES / 8)}));
}

} // namespace onnxc::target
