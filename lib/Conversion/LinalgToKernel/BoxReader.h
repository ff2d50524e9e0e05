//===- BoxReader.h - Where parts of tensors come from -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends join tensors by tensor.concat, or by inserting one after the other
// into a tensor.empty; and pad by tensor.pad, or by inserting into a fill. All
// of it is the same question: where does a box of the result come from? From
// the tensor that was put there last, else from what was there before:
//
//   %0 = insert_slice %a into %empty[0, 0] [8, 4]    box [0, 0] [8, 7]
//   %1 = insert_slice %b into %0[0, 4] [8, 3]        =  %a beside %b
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_BOXREADER_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_BOXREADER_H

#include "GraphDraft.h"
#include <string>

namespace mlir::mirage {

/// A part of a tensor: where it starts and how far it reaches.
struct Box {
  SmallVector<int64_t> offsets, sizes;

  static Box whole(ArrayRef<int64_t> shape) {
    return {SmallVector<int64_t>(shape.size(), 0), llvm::to_vector(shape)};
  }
  unsigned getRank() const { return sizes.size(); }
  int64_t getEnd(unsigned dim) const { return offsets[dim] + sizes[dim]; }
  /// The part from `first` on and before `last` along a dimension.
  Box cut(unsigned dim, int64_t first, int64_t last) const {
    Box part = *this;
    part.offsets[dim] = first;
    part.sizes[dim] = last - first;
    return part;
  }
};

/// A tensor that holds `inner` at `place` and elsewhere what `outer` holds
/// there: a tensor, or the scalar that all is.
struct Patch {
  Value inner, outer;
  Box place;
};

/// What an insert_slice or pad makes, if all about it is constant.
std::optional<Patch> findPatch(Value tensor);

/// Reads boxes of tensors as tensors of the draft. Fails with a reason where
/// elements are undefined, or a tensor is none that graphs have.
class BoxReader {
public:
  /// \param op  whose element type all has that is read.
  BoxReader(GraphDraft &draft, Operation *op, std::string &reason);

  FailureOr<Value> readWhole(Value tensor);
  /// \param source  a tensor, or the scalar that the box is full of.
  FailureOr<Value> read(Value source, const Box &box);

  /// Parts side by side. Such as were joined along the same dimension already
  /// stand in one op.
  Value join(unsigned dim, ArrayRef<Value> parts);
  Value slice(Value whole, const Box &box, ArrayRef<int64_t> strides);
  Value reshape(Value tensor, ArrayRef<int64_t> shape);

private:
  FailureOr<Value> readPatch(const Patch &patch, const Box &box);
  FailureOr<Value> readInner(const Patch &patch, const Box &box);
  RankedTensorType getType(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, element);
  }

  OpBuilder &builder;
  GraphDraft &draft;
  Location location;
  Type element;
  std::string &reason;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_BOXREADER_H
