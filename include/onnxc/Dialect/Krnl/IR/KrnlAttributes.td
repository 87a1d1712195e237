//===- KrnlAttributes.td - Loops and layouts -----------*- tablegen -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_KRNLATTRIBUTES_TD
#define ONNXC_DIALECT_KRNL_IR_KRNLATTRIBUTES_TD

include "mlir/IR/BuiltinAttributes.td"
include "onnxc/Dialect/Krnl/IR/KrnlDialect.td"
include "onnxc/Dialect/Krnl/IR/RecipeSteps.td"

def Krnl_LoopAttr : Krnl_Attr<"Loop", "loop"> {
  let summary = "a named loop of a kernel and its extent";
  let description = [{
    Printed inside a kernel as `m = 128`, or `m = %n` when an operand of the kernel
    gives the extent at run time (`ShapedType::kDynamic`). `m = %n < 8` has a
    `limit`; 0 where there is none. Choices assume that the extent is less, and where
    nothing else is known that it is the largest one below: all extents are that the
    kernel is launched with, or most are, as those of windows. `m = %n >= 256` is
    `atLeast` 256, which choices assume of the extents that are not zero; 0 where there
    is none. The emitted loops are right for any extent.
  }];
  let parameters = (ins LoopName:$name, "int64_t":$extent,
                        DefaultValuedParameter<"int64_t", "0">:$limit,
                        DefaultValuedParameter<"int64_t", "0">:$atLeast);
  let assemblyFormat =
      "`<` $name `,` $extent (`,` $limit^)? (`at_least` $atLeast^)? `>`";
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$name, "int64_t":$extent),
                              "return $_get($_ctxt, name, extent, 0, 0);">];
  let extraClassDeclaration = [{
    bool isDynamic() const { return ::mlir::ShapedType::isDynamic(getExtent()); }
  }];
}

def Krnl_LoopArrayAttr
    : TypedArrayAttrBase<Krnl_LoopAttr, "array of named loops">;

def Krnl_RecipeAttr
    : TypedArrayAttrBase<Attr<CPred<"::llvm::isa<::onnxc::krnl::RecipeStep>($_self)">,
                              "recipe step">, "array of recipe steps">;

def Krnl_PackedLayoutAttr : Krnl_Attr<"PackedLayout", "packed"> {
  let summary = "how the elements of a constant are stored";
  let description = [{
    The stored array has one dimension per entry, outermost first: entry `i` has
    `sizes[i]` elements that walk along dimension `dims[i]` of the constant in
    steps of `strides[i]`. Positions beyond the constant hold zeros.

    A 768x3072 weight in panels of 48 columns:
    `#krnl.packed<dims = [1, 0, 1], sizes = [64, 768, 48], strides = [48, 1, 1]>`

    With `long_sums = [i, c]` the last two entries are columns and groups of four signed bytes,
    and each position of the other ones has a byte in the place of its groups. It is 1 where
    `krnl.pair_sums` of these groups with any bytes, added up over `c` positions of entry
    `i` from this one on, may not fit 16 bits in some column, and else 0.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$dims,
                        ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$strides,
                        OptionalArrayRefParameter<"int64_t">:$longSums);
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$dims,
                     "::llvm::ArrayRef<int64_t>":$sizes,
                     "::llvm::ArrayRef<int64_t>":$strides),
                "return $_get($_ctxt, dims, sizes, strides, ::llvm::ArrayRef<int64_t>());">];
  let assemblyFormat = [{
    `<` `dims` `=` `[` $dims `]` `,` `sizes` `=` `[` $sizes `]` `,`
    `strides` `=` `[` $strides `]`
    (`,` `long_sums` `=` `[` $longSums^ `]`)? `>`
  }];
  let extraClassDeclaration = [{
    /// The sizes of the stored array.
    ::llvm::ArrayRef<int64_t> getStoredSizes() const {
      return getLongSums().empty() ? getSizes() : getSizes().drop_back(2);
    }
  }];
  let genVerifyDecl = 1;
}

#endif // ONNXC_DIALECT_KRNL_IR_KRNLATTRIBUTES_TD
