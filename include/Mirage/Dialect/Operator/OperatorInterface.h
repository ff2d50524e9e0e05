//===- OperatorInterface.h - Ops that are rows of the table -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_OPERATORINTERFACE_H
#define MIRAGE_DIALECT_OPERATOR_OPERATORINTERFACE_H

#include "Mirage/Graph/Operators.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::mirage {

/// Whether a type is what every value of a µGraph is: a ranked tensor of static
/// shape, rank 1 or more, no size 0, of an element type that we take.
bool isGraphTensor(Type type);
/// Whether a memref holds such a tensor. How its elements lie is for the op to
/// restrict.
bool isGraphBuffer(Type type);

/// Why a type is no such tensor, as a sentence ("expects a static shape, got
/// ..."), or nothing if it is one.
std::optional<std::string> explainUnsupportedTensor(Type type);

/// Between MLIR's types and those of the plain libraries. `type` must satisfy
/// `isGraphTensor`; an encoding (a fragment's layout) is dropped.
TensorSpec convertTensor(Type type);
RankedTensorType convertTensor(MLIRContext *context, const TensorSpec &type);
std::optional<ElementType> convertElementType(Type type);
Type convertElementType(MLIRContext *context, ElementType type);

/// The operator table's attributes of an op, read by the names that the table
/// gives them; and back, as the named attributes an op is built with. Those of
/// the op's definition alone are read: what else stands on an op, under
/// whatever name, means nothing to it. A graph op has none.
Attributes readOperatorAttributes(Operation *op);
SmallVector<NamedAttribute>
writeOperatorAttributes(MLIRContext *context, Opcode opcode,
                        const Attributes &attributes);

namespace detail {
LogicalResult verifyOperatorOp(Operation *op);
LogicalResult inferTileType(Opcode opcode, std::optional<Location> location,
                            ValueRange operands, DictionaryAttr attributes,
                            SmallVectorImpl<Type> &types);

/// The inherent attributes of an op under construction, as a dictionary; null
/// where it has none.
template <typename OpT>
DictionaryAttr getInherentAttributes(MLIRContext *context,
                                     DictionaryAttr attributes,
                                     OpaqueProperties properties) {
  if constexpr (!OpT::hasProperties())
    return {};
  else if (properties)
    return llvm::dyn_cast_or_null<DictionaryAttr>(OpT::getPropertiesAsAttr(
        context, *properties.as<typename OpT::Properties *>()));
  return attributes;
}
} // namespace detail

} // namespace mlir::mirage

#include "Mirage/Dialect/Operator/OperatorEnums.h.inc"
#include "Mirage/Dialect/Operator/OperatorInterface.h.inc"

#endif // MIRAGE_DIALECT_OPERATOR_OPERATORINTERFACE_H
