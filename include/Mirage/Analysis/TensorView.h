//===- TensorView.h - Where a tensor lies in device memory ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor of the kernel level is a root or a view of one. Roots are what has
// bytes of its own: an argument of the function, a memref that a graph on
// memrefs reads, or what a kernel writes. Reshapes, transposes and slices are
// views, and what a concat joins are views of its result.
//
// A root is row-major, unless it is an argument or is returned as a result for
// which the function says otherwise (`mirage_kernel.strides`), or is written to
// a memref whose type does.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_TENSORVIEW_H
#define MIRAGE_ANALYSIS_TENSORVIEW_H

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Graph/Strides.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::mirage {

/// Where the elements of a tensor lie: element (i0, i1, ...) at
/// offset + i0 · strides[0] + i1 · strides[1] + ... of its root's bytes, all
/// counted in elements.
struct TensorView {
  Value root;
  int64_t offset = 0;
  Strides strides = {};
};

/// Where a buffer that is handed over from outside has a tensor's elements, in
/// elements from the address that is handed over.
struct ElementPlaces {
  int64_t offset = 0;
  Strides strides = {};
};
/// Of a memref of a kernel graph, whose type states all of it.
ElementPlaces getElementPlaces(MemRefType type);

/// Of an argument or a result of a function.
Strides getArgumentStrides(func::FuncOp function, unsigned number);
Strides getResultStrides(func::FuncOp function, unsigned number);

/// Whether an op of the kernel level shows elements and computes nothing, if
/// only it rounds nothing.
bool isView(Operation *op);

/// The view that a tensor of the kernel level is: a value in a kernel graph, an
/// argument of a function, or a result of a kernel graph; or that a memref is
/// of itself. None where a reshape
/// shows elements at distances that no strides state, or a view would round.
std::optional<TensorView> findView(Value tensor);

/// Whether a tensor of several rows and columns has the elements of a column
/// side by side, and not those of a row.
bool liesByColumns(Value tensor);

/// Whether a tensor can be handed out as it is: a kernel writes it, it is all
/// of its root, and it lies in these places.
bool canReturn(Value tensor, const ElementPlaces &wanted);

/// Whether an operand of a kernel graph's yield is a result of the function, or
/// is written to a memref.
bool isHandedOut(OpOperand &yielded);

/// Where what a kernel writes is to lie: as the function's result that it is,
/// or that a view of it alone is whose rows are its rows, or as the memref that
/// it is written to; else row-major. What is yielded several times is to lie in
/// several places: of the value they are those of the first operand that is
/// handed out.
ElementPlaces getWantedPlaces(Value yielded);
ElementPlaces getWantedPlaces(OpOperand &yielded);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_TENSORVIEW_H
