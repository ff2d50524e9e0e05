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

/// What every value of a µGraph is: ranked, static, not empty, of a float type
/// that we take.
def Mirage_Tensor : Type<
    CPred<"::mlir::mirage::isGraphTensor($_self)">,
    "static tensor of rank 1 or more, with elements, of f16, bf16, f32, "
    "f8E4M3FN or f8E5M2", "::mlir::RankedTensorType">;

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
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Rms", 3, "rms">]> {
  let cppNamespace = "::mlir::mirage";
}

//===----------------------------------------------------------------------===//
// Op classes
//===----------------------------------------------------------------------===//

/// How a level spells the types of its results: a kernel op and a thread op
/// state them (`: (operands) -> result`), since the element type or the layout
/// is a choice; a block op infers them (`: operands`).
class Mirage_OperatorOp<Dialect dialect, bit infersResult, string mnemonic,
                        string opcode>
    : Op<dialect, mnemonic,
         !listconcat([Pure, DeclareOpInterfaceMethods<MirageOperatorInterface>],
                     !if(infersResult, [InferTypeOpInterface], []))> {
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

class Mirage_UnaryOp<Dialect dialect, bit infers, string mnemonic, string opcode,
                     string text>
    : Mirage_OperatorOp<dialect, infers, mnemonic, opcode> {
  let summary = text # ", elementwise";
  let arguments = (ins Mirage_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict " # typeFormat;
}

class Mirage_BinaryOp<Dialect dialect, bit infers, string mnemonic,
                      string opcode, string text>
    : Mirage_OperatorOp<dialect, infers, mnemonic, opcode> {
  let summary = text # ", elementwise; dimensions of size 1 stretch";
  let arguments = (ins Mirage_Tensor:$lhs, Mirage_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict " # typeFormat;
}

class Mirage_ReductionOp<Dialect dialect, bit infers, string mnemonic,
                         string opcode, string text>
    : Mirage_OperatorOp<dialect, infers, mnemonic, opcode> {
  let summary = text # " over dimensions, which keep size 1";
  let description = [{
    `dims` are the reduced dimensions, ascending. `count`, for `mean` and `rms`,
    is the number of elements that the result averages where that is not the
    number of elements that are there, as in a padded tile.
  }];
  let arguments = (ins Mirage_Tensor:$operand, DenseI64ArrayAttr:$dims,
                       OptionalAttr<I64Attr>:$count);
  let assemblyFormat = "$operand `dims` $dims (`count` $count^)? attr-dict " # typeFormat;
}

#endif // MIRAGE_DIALECT_OPERATOR_OPERATORBASE_TD
