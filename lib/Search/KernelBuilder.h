//===- KernelBuilder.h - One kernel, tensor by tensor -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_KERNELBUILDER_H
#define MIRAGE_LIB_SEARCH_KERNELBUILDER_H

#include "Mirage/Search/Tilings.h"
#include "ScaledTile.h"

namespace mlir::mirage::search {

/// Builds the block graph of one kernel, without masks.
class KernelBuilder {
public:
  /// Of the plan, results need to have no scales yet.
  KernelBuilder(const TargetProgram &program, const KernelPlan &plan,
                llvm::ArrayRef<int64_t> extents, const Tiling &tiling);

  struct Built {
    TileGraph graph;
    /// The plan's results, then scales as this graph stores them.
    std::vector<KernelTensor> results;
  };
  /// None if exponentials cannot be kept small.
  std::optional<Built> run();

private:
  void addHeader();
  void addInput(const KernelTensor &input);
  void addOperator(const StructureOperator &op);
  std::optional<ScaledTile> build(const StructureOperator &op,
                                  llvm::ArrayRef<ScaledTile> operands,
                                  NameSet varies);
  bool mayStoreHidden() const;
  NameSet getJoinedNames(const StructureOperator &op) const;
  NameSet findNamesSummed() const;
  std::optional<ElementType> findRounded(unsigned tensor,
                                         const ScaledTile &operand,
                                         ElementType other) const;
  ScaledTile round(const StructureOperator &op,
                   llvm::ArrayRef<ScaledTile> operands, unsigned number);
  std::optional<ScaledTile> buildVariance(const ScaledTile &operand,
                                          NameId over);
  int64_t getCount(Opcode reduction, NameId over) const;
  llvm::SmallVector<Axis, 2> getCuttingAxes(NameId name) const;
  Attributes getMaskAttributes(const CausalNames &mask) const;
  void addResult(unsigned number);
  void addScaleOf(unsigned number);
  DimensionList getTileLayout(const StoredTensor &stored) const;
  void store(const NamedTile &tile, NameSet varies, const StoredTensor &stored);

  const TargetProgram &program;
  const KernelPlan &plan;
  const KernelStructure &kernel;
  llvm::ArrayRef<int64_t> extents;
  const Tiling &tiling;
  /// By these it is decided what is transposed, so that it is the same at all
  /// extents.
  llvm::SmallVector<int64_t> programExtents;
  TileGraph graph;
  NamedTileBuilder builder;
  ScaledTileBuilder scaled;
  bool isStable = true; ///< every factor so far could be carried along
  std::vector<ScaledTile> tensors;
  std::vector<NameSet> splitNames; ///< by tensor: along which axes it varies
  std::vector<KernelTensor> results;
  llvm::DenseMap<unsigned, unsigned> storedScales; ///< result by scale
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_KERNELBUILDER_H
