//===- ScalarTensors.h - Tensors of rank 0 beside graphs --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Losses, sums of all elements and learnt scales are tensors of rank 0, and
// tensors of graphs have rank 1 or more. So one of rank 0 is of shape [1] in a
// graph, and reshaped around it, by ops that move nothing:
//
//   %1 = tensor.expand_shape %0 [] output_shape [1]
//          : tensor<f32> into tensor<1xf32>
//   %2 = mirage_kernel.graph ins(%x = %1 : tensor<1xf32>) ..
//          -> tensor<1xf32>
//   %3 = tensor.collapse_shape %2 [] : tensor<1xf32> into tensor<f32>
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_SCALARTENSORS_H
#define MIRAGE_DIALECT_OPERATOR_SCALARTENSORS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::mirage {

/// A ranked tensor of rank 0, of whatever elements.
bool isScalarTensor(Type type);

/// What a tensor is in a graph: [1] where its rank is 0, else `type` itself.
Type getTypeInGraph(Type type);

/// Whether an op turns rank 0 into [1], or back.
bool reshapesScalar(Operation *op);

/// What reshapes between rank 0 and [1], one after the other, come from.
Value skipScalarReshapes(Value tensor);

/// A tensor of rank 0 as one of [1], by an op that stands before already or a
/// new one; others as they are.
Value expandScalar(OpBuilder &builder, Location location, Value tensor);

/// `tensor`, which is [1], as one of rank 0.
Value collapseScalar(OpBuilder &builder, Location location, Value tensor);

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_OPERATOR_SCALARTENSORS_H
