//===- TileLayout.h - Tiles whose dimensions have names ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_TILELAYOUT_H
#define MIRAGE_LIB_SEARCH_TILELAYOUT_H

#include "Mirage/Search/NameSets.h"

namespace mlir::mirage::search {

/// A value of a tile graph and the names of its dimensions.
struct NamedTile {
  ValueId value = 0;
  DimensionList layout;

  NameSet getNames() const { return toSet(layout); }
  unsigned getPosition(NameId name) const;
};

/// The dimensions that the operands of a matrix product need.
struct MatmulLayouts {
  DimensionList lhs, rhs;
};
/// \param lhs, rhs  the operands' own dimensions.
MatmulLayouts layOutMatmul(llvm::ArrayRef<NameId> lhs,
                           llvm::ArrayRef<NameId> rhs, NameId over);
/// Whether a tile is as an operand of `minRank` dimensions has to be: leading
/// dimensions of size 1 do not count.
bool isLaidOut(llvm::ArrayRef<NameId> layout, llvm::ArrayRef<NameId> wanted,
               unsigned minRank);

/// Appends operations to a tile graph, with the transposes and reshapes that
/// their operands' layouts make necessary.
class NamedTileBuilder {
public:
  /// Which operations there are does not depend on how large tiles are.
  /// \param extents  of every name.
  /// \param tile     extent of every name within a tile.
  NamedTileBuilder(TileGraph &graph, llvm::ArrayRef<int64_t> extents,
                   llvm::ArrayRef<int64_t> tile)
      : graph(graph), extents(extents), tile(tile) {}

  NamedTile elementwise(Opcode opcode, llvm::ArrayRef<NamedTile> operands,
                        Attributes attributes);
  /// A reduction or accumulation over `name`, or over no dimension.
  NamedTile reduce(Opcode opcode, const NamedTile &operand, NameId name,
                   Attributes attributes);
  /// An accumulated sum of what is relative to `scale`, whose names the
  /// operand's others than `name` have to be.
  NamedTile accumulateRescaled(const NamedTile &operand, const NamedTile &scale,
                               NameId name, Attributes attributes);
  NamedTile causalMask(const NamedTile &operand, const CausalNames &mask,
                       Attributes attributes);
  /// The tile in another element type; itself if it has it.
  NamedTile cast(const NamedTile &operand, ElementType element);
  /// What computed the elements of a tile, before they were moved; null if they
  /// were loaded.
  const Node *findComputation(const NamedTile &operand) const;
  /// \param reduced  names along which something reduces what depends on it.
  NamedTile matmul(const NamedTile &lhs, const NamedTile &rhs, NameId over,
                   NameSet reduced);
  /// The tile with dimensions in this order; those that it lacks have size 1.
  NamedTile align(const NamedTile &operand, llvm::ArrayRef<NameId> layout);
  /// The tile with exactly these dimensions; names that it lacks are broadcast.
  NamedTile arrange(NamedTile operand, llvm::ArrayRef<NameId> layout);

private:
  double countMovedBytes(const NamedTile &operand,
                         llvm::ArrayRef<NameId> layout) const;
  NamedTile bring(const NamedTile &operand, llvm::ArrayRef<NameId> layout,
                  unsigned minRank);
  /// The value in a type that stores infinities: itself, or a cast.
  ValueId storeInfinities(ValueId value);
  bool isBetterSwapped(const NamedTile &lhs, const NamedTile &rhs, NameId over,
                       NameSet reduced) const;
  NamedTile multiply(const NamedTile &lhs, const NamedTile &rhs, NameId over);
  NamedTile transpose(const NamedTile &operand, llvm::ArrayRef<NameId> order);
  NamedTile reshape(const NamedTile &operand, llvm::ArrayRef<NameId> layout);
  NamedTile add(Opcode opcode, llvm::ArrayRef<NamedTile> operands,
                Attributes attributes, DimensionList layout);

  TileGraph &graph;
  llvm::ArrayRef<int64_t> extents, tile;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_TILELAYOUT_H
