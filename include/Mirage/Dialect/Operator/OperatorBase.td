//===- OperatorBase.td - Types and op classes of all levels ----*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_OPERATORBASE_TD
#define MIRAGE_DIALECT_OPERATOR_OPERATORBASE_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Mirage/Dialect/Operator/OperatorInterface.td"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// What every value of a µGraph is: ranked, static, not empty, not larger than
/// counts go (`kMaxCount`), of a float type that we take.
def Mirage_Tensor : Type<
    CPred<"::mlir::mirage::isGraphTensor($_self)">,
    "static tensor of rank 1 or more, with elements, at most 2^40, of f16, bf16, "
    "f32, f8E4M3FN or f8E5M2", "::mlir::RankedTensorType">;

/// What such a tensor is once somebody bufferizes.
def Mirage_Buffer : Type<
    CPred<"::mlir::mirage::isGraphBuffer($_self)">,
    "static memref of rank 1 or more, with elements, at most 2^40, of f16, bf16, "
    "f32, f8E4M3FN or f8E5M2", "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def Mirage_Axis : I32EnumAttr<"AxisKind", "an axis that cuts tiles", [
    I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">,
    I32EnumAttrCase<"Z", 2, "z">, I32EnumAttrCase<"Loop", 3, "loop">]> {
  let cppNamespace = "::mlir::mirage";
}

def Mirage_Reduction : I32EnumAttr<"ReductionKind", "a reduction of the operator table", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Rms", 3, "rms">,
    I32EnumAttrCase<"Variance", 4, "variance">]> {
  let cppNamespace = "::mlir::mirage";
}

//===----------------------------------------------------------------------===//
// Op classes
//===----------------------------------------------------------------------===//

/// The example of an op in its description, in the spelling of its level. #a, #b
/// and #c are the fragments of mma.sync that #mirage_thread.layout describes.
/// \param op        what stands between the dialect's name and the colon
/// \param inKernel  types as a kernel op states them: "(operands) -> result"
/// \param inBlock   types as a block op states them
/// \param inThread  types as a thread op states them
class Mirage_Example<Dialect dialect, string op, string inKernel, string inBlock,
                     string inThread> {
  string types = !cond(!eq(dialect.name, "mirage_kernel") : inKernel,
                       !eq(dialect.name, "mirage_block") : inBlock,
                       true : inThread);
  string text = "```mlir\n%y = " # dialect.name # "." # op # " : " # types # "\n```\n";
  // After a description that is indented as in a multiclass.
  string indented = "\n      " # !subst("\n", "\n      ", text);
}

/// At the thread level, an operator asks something of the layouts of its
/// fragments (`Mirage/Layout/FragmentRules.h`).
def Mirage_FragmentLayouts : NativeOpTrait<"FragmentLayouts"> {
  let cppNamespace = "::mlir::mirage::thread";
}

/// The constraint that the thread level adds to an operator's description.
class Mirage_ThreadRule<Dialect dialect, string rule> {
  string text = !if(!eq(dialect.name, "mirage_thread"), "- " # rule # "\n", "");
  // Between lines that are indented as in a multiclass.
  string indented = !if(!eq(dialect.name, "mirage_thread"), "\n      - " # rule, "");
}

/// How a level spells the types of its results: a kernel op and a thread op
/// state them (`: (operands) -> result`), since the element type or the layout
/// is a choice; a block op infers them (`: operands`).
class Mirage_OperatorOp<Dialect dialect, bit infersResult, string mnemonic,
                        string opcode>
    : Op<dialect, mnemonic,
         !listconcat([Pure, DeclareOpInterfaceMethods<MirageOperatorInterface>],
                     !if(infersResult, [InferTypeOpInterface], []),
                     !if(!eq(dialect.name, "mirage_thread"),
                         [Mirage_FragmentLayouts], []))> {
  string typeFormat = !if(infersResult, "`:` type(operands)",
                          "`:` functional-type(operands, results)");
  let results = (outs Mirage_Tensor:$result);
  let extraClassDeclaration = [{
    static constexpr ::mlir::mirage::Opcode kOpcode = ::mlir::mirage::Opcode::}]
    # opcode # ";" # !if(infersResult, [{
    static ::llvm::LogicalResult inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types);
    }], "");
  let extraClassDefinition = [{
    ::mlir::mirage::Opcode $cppClass::getTableOpcode() { return kOpcode; }
  }] # !if(infersResult, [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::mirage::detail::inferTileType(
          kOpcode, location, operands,
          ::mlir::mirage::detail::getInherentAttributes<$cppClass>(
              context, attributes, properties), types);
    }
  }], "");
}

/// \param formula     the result's element in terms of the operand's, x
/// \param parameters  scalar attributes of the example, with their keyword
/// \param rule        what these attributes must be
class Mirage_UnaryOp<Dialect dialect, bit infers, string mnemonic, string opcode,
                     string formula, string parameters = "", string rule = "">
    : Mirage_OperatorOp<dialect, infers, mnemonic, opcode> {
  let summary = formula # ", elementwise";
  let description = "Computes `y = " # formula # "` for each element `x` of the operand.\n"
      # "- (C1) the result has the operand's shape.\n"
      # !if(!empty(rule), "", "- (C2) " # rule # "\n")
      # Mirage_ThreadRule<dialect, !if(!empty(rule), "(C2)", "(C3)")
            # " operand and result are fragments, of which lanes hold the same elements.">.text
      # "\nCost: a flop for each operation of the formula and element.\n"
      # Mirage_Example<dialect, mnemonic # " %x" # parameters,
            "(tensor<8x64xf16>) -> tensor<8x64xf16>", "tensor<8x64xf16>",
            "(tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>">.text;
  let arguments = (ins Mirage_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict " # typeFormat;
}

/// \param formula  the result's element in terms of the operands', x and y
class Mirage_BinaryOp<Dialect dialect, bit infers, string mnemonic,
                      string opcode, string formula>
    : Mirage_OperatorOp<dialect, infers, mnemonic, opcode> {
  let summary = formula # ", elementwise; dimensions of size 1 stretch";
  let description = "Computes `z = " # formula # "` for each pair of elements, `x` of `lhs` and\n"
      # "`y` of `rhs`.\n"
      # "- (C1) shapes broadcast by NumPy's rule: aligned at the last dimension, sizes\n"
      # "  are equal or one of them is 1.\n"
      # "- (C2) the result has the shape that they broadcast to.\n"
      # Mirage_ThreadRule<dialect, "(C3) operands and result are fragments; a lane holds of the operands what its elements of the result need.">.text
      # "\nCost: a flop for each operation of the formula and element of the result.\n"
      # Mirage_Example<dialect, mnemonic # " %lhs, %rhs",
            "(tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>",
            "tensor<8x64xf16>, tensor<8x1xf32>",
            "(tensor<16x8xf32, #c>, tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c>">.text;
  let arguments = (ins Mirage_Tensor:$lhs, Mirage_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict " # typeFormat;
}

class Mirage_ReductionOp<Dialect dialect, bit infers, string mnemonic,
                         string opcode, string text, string formula>
    : Mirage_OperatorOp<dialect, infers, mnemonic, opcode> {
  let summary = text # " over dimensions, which keep size 1";
  let description = "Computes `" # formula # "` over the `n` elements `x` that differ in the\n"
      # "dimensions `dims` alone. `count`, for `mean` and `rms`, takes the place of `n`\n"
      # "where not all elements that count are there, as in a tile of a larger tensor, or\n"
      # "not all that are there count, as in a padded one.\n"
      # "- (C1) `dims` names at least one dimension; they ascend and exist.\n"
      # "- (C2) the result has the operand's shape with size 1 in `dims`.\n"
      # "- (C3) `count`, which `mean` and `rms` alone have, is at least 0, which stands\n"
      # "  for `n`.\n"
      # Mirage_ThreadRule<dialect, "(C4) both are fragments, and the result's layout is the operand's with zero for `dims`: lanes that differed along them hold the same. No element is held twice, but by lanes or registers that hold all the same.">.text
      # "\nCost: a flop for each operation of the formula and element of the operand.\n"
      # Mirage_Example<dialect, mnemonic # " %x dims [1]",
            "(tensor<8x64xf16>) -> tensor<8x1xf16>", "tensor<8x64xf16>",
            "(tensor<16x8xf32, #c>) -> tensor<16x1xf32, #column>">.text;
  let arguments = (ins Mirage_Tensor:$operand, DenseI64ArrayAttr:$dims,
                       OptionalAttr<I64Attr>:$count);
  let assemblyFormat = "$operand `dims` $dims (`count` $count^)? attr-dict " # typeFormat;
}

#endif // MIRAGE_DIALECT_OPERATOR_OPERATORBASE_TD
