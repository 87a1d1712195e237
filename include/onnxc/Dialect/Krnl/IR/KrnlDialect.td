//===- KrnlDialect.td - The krnl dialect and its types --*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_KRNLDIALECT_TD
#define ONNXC_DIALECT_KRNL_IR_KRNLDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/DialectBase.td"

def Krnl_Dialect : Dialect {
  let name = "krnl";
  let cppNamespace = "::onnxc::krnl";
  let summary = "Kernels over named loops, their recipes, and the host program";
  let description = [{
    A `krnl.kernel` is a computation, as structured ops over named loops, and a
    recipe for its execution: inert steps that are replayed, never performed,
    until the kernel is lowered. The other operations are the host program that
    calls kernels and the runtime.

    A `krnl.compute` in a kernel names the loops that it runs over, and may have a
    name by which a step can be limited to it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 0;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Marks an outlined kernel function.
    static constexpr ::llvm::StringLiteral kernelAttrName = "krnl.kernel";
    /// The unit attribute of a kernel's function whose instructions are not
    /// scheduled before registers are allocated: it has several products of
    /// matrices, each of whose tiles fills the registers. A function of LLVM
    /// IR has it too.
    static constexpr ::llvm::StringLiteral keepsOrderAttrName =
        "krnl.keeps_order";
    /// The attribute of a kernel's function whose tiles are shared by threads:
    /// the number of threads.
    static constexpr ::llvm::StringLiteral threadsAttrName = "krnl.threads";
    /// The attribute of such a function whose blocks form clusters: the number
    /// of blocks of a cluster.
    static constexpr ::llvm::StringLiteral clusterAttrName = "krnl.cluster";
    /// The attribute of a kernel of a device whose last parameters are maps of
    /// tensors: for each of them the number of its pointer among the
    /// parameters, the bytes of an element, the sizes of the tensor and of the
    /// boxes that are copied, and the bytes of a line in which chunks are
    /// exchanged.
    static constexpr ::llvm::StringLiteral tensorMapsAttrName =
        "krnl.tensor_maps";
    /// The attribute of a kernel of a device: the bytes of shared memory that
    /// each of its launches asks for.
    static constexpr ::llvm::StringLiteral sharedBytesAttrName =
        "krnl.shared_bytes";
    /// The attribute of a kernel of a device and its launches: its number in
    /// the table of the device's kernels.
    static constexpr ::llvm::StringLiteral deviceKernelAttrName =
        "krnl.device_kernel";

    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;

    void registerAttributes();
    void registerOperations();
    void registerTypes();
  }];
}

class Krnl_Type<string typeName, string typeMnemonic>
    : TypeDef<Krnl_Dialect, typeName, [MemRefElementTypeInterface]> {
  let mnemonic = typeMnemonic;
}

def Krnl_StrType : Krnl_Type<"Str", "str"> {
  let summary = "a string, as an element of a tensor";
  let description = "A pointer to a NUL-terminated UTF-8 string at run time.";
}

def Krnl_ObjType : Krnl_Type<"Obj", "obj"> {
  let summary = "a runtime object: sequence, optional, map";
  let description = "A counted object of the call's pool, opaque to the compiler.";
}

#endif // ONNXC_DIALECT_KRNL_IR_KRNLDIALECT_TD
