//===- SwizzledTiles.h - Where elements of swizzled tiles lie ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that finds an element of a tile that lies as `BoxedTile` has it, for
// steps that read such tiles and for threads that load them. The tile is a
// memref of its shape, whose strides are not where elements lie.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_SWIZZLEDTILES_H
#define MIRAGE_CONVERSION_SWIZZLEDTILES_H

#include "Mirage/Layout/BoxedTile.h"
#include "mlir/IR/Builders.h"

namespace mlir::mirage {

/// Where an element lies, but for the swizzle, in elements.
struct BoxedPosition {
  Value row;      ///< of the tile
  Value rowStart; ///< of the row's part in the element's panel
  Value column;   ///< in the panel
};

/// \param shape    of the tile.
/// \param indices  of the element, of type index; null where they are 0.
BoxedPosition emitBoxedPosition(OpBuilder &builder, Location location,
                                const BoxedTile &boxed,
                                llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<Value> indices);

/// The number of an element in the order of memory. Neighbours of a row that
/// fill a part of a piece, such as an access of 16 bytes takes, lie side by
/// side.
/// \param tellsSpans  whether spans of a row are told from what changes places
/// in them. Then all that lies whole spans away is so many bytes further, for
/// loops that go through spans; else the number takes fewer operations.
Value emitSwizzledNumber(OpBuilder &builder, Location location,
                         const BoxedTile &boxed, llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<Value> indices,
                         bool tellsSpans = false);

/// The elements of a tile, one after the other as they lie.
/// \param tile  a memref.
Value emitFlatTile(OpBuilder &builder, Location location,
                   const BoxedTile &boxed, Value tile);

} // namespace mlir::mirage

#endif // MIRAGE_CONVERSION_SWIZZLEDTILES_H
