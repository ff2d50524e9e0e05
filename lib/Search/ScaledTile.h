//===- ScaledTile.h - Tiles relative to a maximum ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search looks for programs without the maxima that keep exponentials small
// (Stabilizers.h). Here they come back: exp(s) becomes p = exp(s − t), with t
// the largest element of the tile along what will be summed, and the value is
// p · exp(t). The factor is carried along: products, sums and accumulations of
// p are those of the value without it; where parts with different t are added
// up, the accumulation rescales (`rescale by`, docs/rationale/Block.md); and
// where a value is divided by one with the same factor, it is gone. So online
// softmax comes of attention:
//
//   p = exp(q·k)                      p = exp(q·k − t),  t = max(q·k)
//   a = accumulate p·v                a = accumulate p·v rescale by t
//   b = accumulate sum p              b = accumulate sum p rescale by t
//   o = a / b                         o = a / b
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_SCALEDTILE_H
#define MIRAGE_LIB_SEARCH_SCALEDTILE_H

#include "TileLayout.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace mlir::mirage::search {

/// A tile that stands for itself, or for itself times exp(scale).
struct ScaledTile {
  NamedTile tile;
  std::optional<unsigned> scale = std::nullopt; ///< of the builder's
};

/// Builds operations on scaled tiles. Each gives none where the factor cannot
/// be carried through.
class ScaledTileBuilder {
public:
  ScaledTileBuilder(TileGraph &graph, NamedTileBuilder &builder)
      : graph(graph), builder(builder) {}

  /// \param over    names of the operand that will be summed; at least one.
  /// \param varies  names whose grid axes the operand varies along.
  /// \param mayHideAll  a mask may hide all of a row that a tile has; the row
  /// is
  ///                    0 then, instead of NaN.
  std::optional<ScaledTile> exponential(const ScaledTile &operand,
                                        llvm::ArrayRef<NameId> over,
                                        NameSet varies, bool mayHideAll);
  std::optional<ScaledTile> elementwise(Opcode opcode,
                                        llvm::ArrayRef<ScaledTile> operands,
                                        Attributes attributes);
  std::optional<ScaledTile> causalMask(const ScaledTile &operand,
                                       const CausalNames &mask,
                                       Attributes attributes);
  std::optional<ScaledTile> matmul(const ScaledTile &lhs, const ScaledTile &rhs,
                                   NameId over, NameSet reduced);
  std::optional<ScaledTile> reduce(Opcode opcode, const ScaledTile &operand,
                                   NameId name, Attributes attributes);
  /// \param joined  the name whose grid axis is joined; none for the loop.
  std::optional<ScaledTile> accumulate(const ScaledTile &operand, NameId name,
                                       Attributes attributes, NameId joined);
  /// A scale that another kernel stored.
  unsigned addScale(const NamedTile &tile, NameSet varies);
  const NamedTile &getScale(unsigned scale) const { return scales[scale].tile; }
  /// Names whose grid axes the scale varies along.
  NameSet getVaryingNames(unsigned scale) const { return scales[scale].varies; }
  /// The value itself.
  NamedTile unscale(const ScaledTile &operand);

private:
  struct Scale {
    NamedTile tile;
    NameSet varies = 0;
  };

  bool differs(const Scale &scale, NameId joined) const;
  unsigned join(unsigned scale, Axis axis, NameId joined);
  unsigned joinParts(unsigned scale, NameId name);
  std::optional<ScaledTile> sumParts(const ScaledTile &operand, NameId name,
                                     Attributes attributes);

  TileGraph &graph;
  NamedTileBuilder &builder;
  std::vector<Scale> scales;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> joins;
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> joinedParts;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_SCALEDTILE_H
