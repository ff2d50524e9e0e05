//===- TileAccess.h - Fragments to and from shared memory -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_THREADTOVECTOR_TILEACCESS_H
#define MIRAGE_LIB_CONVERSION_THREADTOVECTOR_TILEACCESS_H

#include "Fragment.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Layout/AccessPatterns.h"
#include "Mirage/Layout/BoxedTile.h"
#include "Mirage/Layout/MatrixInstructions.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::mirage {

/// How the tile of a fragment lies that is swizzled.
struct SwizzledWindow {
  BoxedTile boxed;
  /// Whether a loop's steps take fragments one behind the other in a row.
  bool stepsAlongRows = false;
};

/// One fragment of a tile in memory, as seen by one lane.
class TileAccess {
public:
  /// \param tile      of static shape and strides; of an offset that is not
  /// known memref.assume_alignment may say what it is a multiple of, and
  /// mirage_thread.clip where it ends.
  /// \param origin    coordinates of the fragment in the tile, of type index;
  /// null where they are 0.
  /// \param overhangs  by dimension: whether fragments may reach beyond the
  /// tile.
  /// \param swizzled   how the tile lies, if it is swizzled.
  TileAccess(OpBuilder &builder, Location location, Value tile,
             const LinearLayout &layout, ArrayRef<Value> origin,
             ArrayRef<bool> overhangs, Value lane,
             std::optional<SwizzledWindow> swizzled = std::nullopt);

  /// What lies beyond the tile is read as zero.
  Fragment load();
  /// The same, without a read where all of the fragment lies beyond.
  Fragment loadIfInside();
  /// The same by ldmatrix, from a tile that `hasMatrixRows`.
  Fragment loadMatrices(const MatrixLoad &load);
  /// Whether the tile lies in shared memory with rows of eight elements, along
  /// the last dimension, at multiples of their size.
  bool hasMatrixRows() const;
  /// Writes each element that lies in the tile once, rounded to the tile's
  /// type. \param guard  of type i1: lanes without it write nothing; may be
  /// null.
  void store(const Fragment &fragment, Value guard);

private:
  FragmentRun chooseRun();
  /// The tile with the run's dimension last, where vector accesses want it.
  Value emitView();
  SmallVector<Value> getIndices(unsigned registerNumber);
  /// Where the row of eight elements starts that each lane points to.
  SmallVector<Value> getMatrixRow(const MatrixLoad &load,
                                  ArrayRef<Value> laneParts,
                                  unsigned registerNumber);
  /// Indices into the tile as indices into the view.
  SmallVector<Value> toView(SmallVector<Value> indices);
  /// Elements along a dimension that are there.
  Value emitSize(unsigned dim);
  /// Of type i1: whether indices lie before the tile's end along the dimensions
  /// that fragments overhang; null ones do. Null if there are no others.
  Value emitInBounds(ArrayRef<Value> indices);
  SmallVector<Value> loadVector(unsigned registerNumber);
  void storeVector(unsigned registerNumber, ArrayRef<Value> elements);
  /// Of type i1: no other lane holds the same elements with lower numbers.
  Value emitIsWriter();

  OpBuilder &builder;
  Location location;
  thread::ClipOp clip; ///< null where all that the shape says is there
  Value tile;
  MemRefType type;
  int64_t offsetDivisor; ///< of the first element's offset
  const LinearLayout &layout;
  SmallVector<Value> origin;
  SmallVector<bool> overhangs;
  Value lane;
  std::optional<SwizzledWindow> swizzled;
  SmallVector<Value> laneParts; ///< by dimension
  FragmentRun run;
  Value view;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_THREADTOVECTOR_TILEACCESS_H
