//===- Graph.h - The µGraph as plain C++ values -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A µGraph without an MLIRContext: what the search builds, what the verifier
// and the reference evaluate, what an artifact carries. Three levels, one form:
//
//   Graph        values and operations in order; the outermost one is the
//                program, and its operations are kernels.
//   TileGraph    a Graph over tiles of its operands. At block level it is one
//                kernel: a grid of thread blocks, each of which runs a loop. At
//                thread level it is one step of a block: work items that warps
//                share, each of which runs a loop over fragments.
//
// An operation with opcode Graph holds a TileGraph. RMSNorm followed by a
// linear layer, as one kernel of 192 blocks and 64 iterations:
//
//   Graph   inputs %0: 8x4096xf16, %1: 4096x6144xf16
//     %2 = graph(%0, %1)                                      outputs %2
//       TileGraph grid [192], loop 64
//         input %0  gridMap [-1] loopMap 1  tile 8x64xf16
//         input %1  gridMap [1]  loopMap 0  tile 64x32xf16
//         %2 = accumulate rms %0 over loop, dims [1], count 4096     8x1xf32
//         %3 = matmul %0, %1                                        8x32xf32
//         %4 = accumulate sum %3 over loop                          8x32xf32
//         %5 = div %4, %2                                           8x32xf32
//         output %5 gridMap [1]
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_GRAPH_H
#define MIRAGE_GRAPH_GRAPH_H

#include "Mirage/Graph/Operators.h"
#include "Mirage/Graph/TensorSpec.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::mirage {

class TileGraph;

/// A value is a number that counts inputs first, then results in order.
using ValueId = unsigned;

struct Node {
  Opcode opcode = Opcode::Add;
  Attributes attributes;
  llvm::SmallVector<ValueId, 2> operands;
  llvm::SmallVector<ValueId, 1> results;
  /// Of opcode Graph, shared between copies of a graph, else null.
  std::shared_ptr<const TileGraph> body;

  /// Accumulate: whether parts are rescaled, by operand 1.
  bool isRescaled() const {
    return opcode == Opcode::Accumulate && operands.size() > 1;
  }
  /// How many numbers are kept for each element of a result while it is made.
  unsigned getNumCarried() const {
    return opcode == Opcode::Accumulate
               ? getOperatorInfo(attributes.reduction).getNumCarried()
               : 1;
  }
};

/// Values and operations, every operand before its users.
class Graph {
public:
  /// How a machine takes its products of f32, and those of the graphs in it,
  /// which say the same. It changes nothing for the verifier, and for the
  /// reference what counts as right (Mirage/Reference/OutputCheck.h).
  F32Products f32Products = F32Products::Exact;

  /// Makes room for so many inputs and operations, of one result each.
  void reserve(size_t numInputs, size_t numOperations);
  ValueId addInput(TensorSpec type, llvm::StringRef name = "");
  /// The same behind operations, whose results then have numbers higher by one.
  ValueId insertInput(TensorSpec type, llvm::StringRef name);
  /// Appends an operation with one result of the stated type. Operands and
  /// attributes are checked by `verify`, not here.
  ValueId add(Opcode opcode, llvm::ArrayRef<ValueId> operands, TensorSpec type,
              Attributes attributes = {});
  /// Appends a nested tile graph. \returns the first of its results, which are
  /// numbered consecutively.
  ValueId addGraph(llvm::ArrayRef<ValueId> operands,
                   std::shared_ptr<const TileGraph> body,
                   llvm::ArrayRef<TensorSpec> types);
  /// Appends what an operation of another graph does, nested graph included, to
  /// other operands. \returns the first of its results.
  ValueId addCopy(const Node &operation, llvm::ArrayRef<ValueId> operands,
                  llvm::ArrayRef<TensorSpec> types);
  void addOutput(ValueId value) { outputIds.push_back(value); }
  void clearOutputs() { outputIds.clear(); }

  unsigned getNumValues() const { return types.size(); }
  unsigned getNumInputs() const { return inputNames.size(); }
  const TensorSpec &getType(ValueId value) const { return types[value]; }
  void setType(ValueId value, TensorSpec type) {
    types[value] = std::move(type);
  }
  bool isInput(ValueId value) const { return value < getNumInputs(); }
  llvm::StringRef getInputName(unsigned input) const {
    return inputNames[input];
  }
  llvm::ArrayRef<Node> getNodes() const { return operations; }
  llvm::ArrayRef<ValueId> getOutputs() const { return outputIds; }
  /// The operation that gives a value; null for inputs.
  const Node *getDefinition(ValueId value) const;
  llvm::SmallVector<TensorSpec> getTypes(llvm::ArrayRef<ValueId> values) const;

protected:
  std::vector<TensorSpec> types; ///< by ValueId
  std::vector<std::string> inputNames;
  std::vector<Node> operations;
  std::vector<int> definitions; ///< operation by ValueId, -1 for inputs
  llvm::SmallVector<ValueId> outputIds;
};

/// Appends the operations of a graph, with these values of `to` for its inputs.
/// \returns the values of `to` that its outputs are.
llvm::SmallVector<ValueId>
inlineGraph(const Graph &graph, llvm::ArrayRef<ValueId> operands, Graph &to);

/// Where the coordinates of a tile along one dimension come from: `kNone`, or a
/// dimension of the tensor that an axis cuts.
constexpr int kReplicated = -1;
/// In an output's gridMap: blocks along the axis hold parts of a sum.
constexpr int kSummed = -2;

/// How an operand of a tile graph is cut (the paper's imap and fmap).
struct TileInput {
  llvm::SmallVector<int, 3> gridMap; ///< dimension by grid axis, or kReplicated
  int loopMap = kReplicated;         ///< dimension that the loop cuts
};
/// How a result is put together (the paper's omap).
struct TileOutput {
  /// Dimension by grid axis; kReplicated (every block along the axis holds the
  /// same, one writes); or kSummed.
  llvm::SmallVector<int, 3> gridMap;
};

/// A graph over tiles. The tensor's dimension d of a tile with size T at grid
/// coordinates g and iteration l starts at `linear · T`, where `linear` counts
/// the axes that cut d, grid first (x, then y, then z), loop last and fastest.
/// Sizes need not divide: elements beyond the tensor are read as zero and
/// never written; the axes' extents times T must cover the dimension.
///
/// Phases. A value is in the loop if it depends on an operand that the loop
/// cuts, or on the iteration (a `Mask` along the loop), else invariant.
/// `Accumulate` over the loop takes a value of the loop, and no other, to after
/// the loop; with a single iteration an invariant value will do, which is the
/// same. `Accumulate` over a grid axis joins what blocks hold: once they have
/// left the loop, which leads to after the grid, or, of what is invariant,
/// before they enter it. Values of the loop never meet later ones in one
/// operation. The rule: Mirage/Graph/Phases.h.
///
/// Rescaling. `Accumulate` of a sum v with a second operand s gives
///
///   result = Σ_t v_t · exp(s_t - M)    M = max_t s_t, element by element,
///
/// over iterations or blocks t, where s stretches to the result's shape; a part
/// with s_t = -inf adds nothing, whatever v_t is. So the sum of
/// exp(x_t - s_t) is that of exp(x_t - M), though no block and no iteration
/// knows M: online softmax.
///
/// Variance. `Accumulate` of a variance gives the mean of (x - mean x)² over
/// the elements x of all iterations that are not -inf; where something is -inf
/// there is no element, which is how masks leave padding out. A block carries
/// the count, the mean and Σ (x - mean)² from iteration to iteration, and joins
/// them such that nothing cancels.
class TileGraph : public Graph {
public:
  Level level = Level::Block;
  llvm::SmallVector<int64_t, 3> grid; ///< extents of up to 3 axes, each >= 1
  /// Block level: how many blocks along each grid axis share their memory;
  /// none, or one extent for each axis. It says how and not what.
  llvm::SmallVector<int64_t, 3> cluster;
  int64_t loop = 1; ///< iterations, >= 1
  /// Block level: how many iterations' tiles there are at a time, those of the
  /// one that is computed and those on their way; at most one for each
  /// iteration, and kMaxStages. It says how and not what
  /// (Mirage/Graph/TileMemory.h).
  int64_t stages = 1;
  /// Block level: threads of a block, a multiple of 32. Thread level: those
  /// that share an item, 32 (a warp) or 128 (a warpgroup).
  unsigned threads = 128;
  llvm::SmallVector<TileInput> tileInputs;   ///< by input
  llvm::SmallVector<TileOutput> tileOutputs; ///< by output

  int64_t getNumBlocks() const;
  int64_t getNumClusterBlocks() const; ///< 1 without a cluster
  int64_t getExtent(Axis axis) const;  ///< 1 for an axis that is not there
  /// The axes that cut dimension `dim` of an input, outermost first.
  llvm::SmallVector<Axis, 2> getCuttingAxes(unsigned input, unsigned dim) const;
  /// The grid axes along which blocks hold one part each of dimension `dim` of
  /// an output, outermost first.
  llvm::SmallVector<Axis, 2> getJoinedAxes(unsigned output, unsigned dim) const;
  /// Product of the extents of these axes.
  int64_t getExtent(llvm::ArrayRef<Axis> axes) const;
  /// Whether tiles of so many elements, one for each combination of axes, are
  /// just a dimension of that size. Otherwise the last ones reach beyond it.
  bool areWhole(llvm::ArrayRef<Axis> axes, int64_t tile, int64_t size) const {
    return getExtent(axes) * tile == size;
  }
};

/// More stages hold no more than memory has on its way, however small they are.
constexpr int64_t kMaxStages = 16;

/// The most blocks that share their memory on any GPU that we compile for.
constexpr int64_t kMaxClusterBlocks = 16;

/// The most threads of a block on all GPUs that we compile for.
constexpr int64_t kMaxBlockThreads = 1024;

/// The most blocks along x, y and z that any GPU launches.
constexpr int64_t kMaxGridExtents[] = {(int64_t(1) << 31) - 1, 65535, 65535};

/// Checks everything that is said above: operand order, shapes (by the operator
/// table), maps, tiles that cover their tensors, phases, consumption.
/// \returns an error that names the operation (by number and mnemonic) with
/// what was expected and found.
llvm::Error verify(const Graph &graph);
llvm::Error verify(const TileGraph &graph, llvm::ArrayRef<TensorSpec> operands,
                   llvm::ArrayRef<TensorSpec> results);

/// The part of the check that concerns extents and maps alone.
/// \param outputTiles  the types of what the graph yields.
llvm::Error verifyMaps(const TileGraph &graph,
                       llvm::ArrayRef<TensorSpec> operands,
                       llvm::ArrayRef<TensorSpec> outputTiles,
                       llvm::ArrayRef<TensorSpec> results);

/// Inserts Mask operations wherever elements beyond a tensor's extent could
/// change a reduction, an accumulation or a contraction. What the zeros that
/// fill partial tiles become is followed through the operators while it is one
/// number, so that zeros under a sum need no mask and exp(0) = 1 does; where it
/// is no longer known which number it is, a mask stands.
/// \param operands  the whole tensors, whose extents count.
/// \returns the completed graph, and one without partial tiles unchanged; or an
/// error where it is lost which elements lie beyond: operands of one operation
/// end at different places, or padded dimensions are cut or joined with others.
/// What a nested graph makes of tiles counts as whole.
llvm::Expected<TileGraph> maskPartialTiles(const TileGraph &graph,
                                           llvm::ArrayRef<TensorSpec> operands);

/// One line an operation, for debugging and tests.
std::string toString(const Graph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_GRAPH_H
