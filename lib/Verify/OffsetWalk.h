//===- OffsetWalk.h - Elements of strided tensors, in order -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_OFFSETWALK_H
#define MIRAGE_LIB_VERIFY_OFFSETWALK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstddef>
#include <cstdint>

namespace mlir::mirage {

/// Goes over the indices of a tensor in row-major order, and says what offset
/// some strides give each:
///
///   OffsetWalk walk;
///   walk.addDimension(/*size=*/2, /*stride=*/10);
///   walk.addDimension(/*size=*/3, /*stride=*/0);
///   0 0 0 10 10 10, and from the beginning again
class OffsetWalk {
public:
  /// Appends a dimension, inside those that are there.
  void addDimension(int64_t size, int64_t stride) {
    if (size == 1)
      return;
    if (!dims.empty() && dims.back().stride == size * stride)
      dims.back() = {dims.back().size * size, stride};
    else
      dims.push_back({size, stride});
  }
  /// \param unit  what the strides count.
  void addDimensions(llvm::ArrayRef<int64_t> sizes,
                     llvm::ArrayRef<int64_t> strides, int64_t unit = 1) {
    for (auto [size, stride] : llvm::zip_equal(sizes, strides))
      addDimension(size, stride * unit);
  }

  /// Goes to the index with this number.
  void goTo(size_t number) {
    offset = 0;
    for (Dimension &dim : llvm::reverse(dims)) {
      dim.index = number % dim.size;
      offset += dim.index * dim.stride;
      number /= dim.size;
    }
  }

  size_t getOffset() const { return offset; }
  void advance() {
    for (Dimension &dim : llvm::reverse(dims)) {
      offset += dim.stride;
      if (++dim.index < dim.size)
        return;
      offset -= dim.size * dim.stride;
      dim.index = 0;
    }
  }

private:
  struct Dimension {
    int64_t size, stride, index = 0;
  };
  llvm::SmallVector<Dimension, 6> dims; ///< outermost first
  size_t offset = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_OFFSETWALK_H
