//===- Instantiator.cpp - Structures with numbers -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Instantiator.h"
#include "ScaledTile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// Builds the block graph of one structure, tensor by tensor.
class InstanceBuilder {
public:
  InstanceBuilder(const TargetProgram &program, const Structure &structure,
                  ArrayRef<int64_t> extents, const Tiling &tiling)
      : program(program), structure(structure), extents(extents),
        tiling(tiling), builder(graph, tiling.tile), scaled(graph, builder) {}

  TileGraph buildHeader() {
    addHeader();
    return std::move(graph);
  }

  /// None if exponentials cannot be kept small.
  std::optional<TileGraph> run() {
    addHeader();
    for (const StructureOperator &op : structure.operators)
      addOperator(op);
    if (!isStable)
      return std::nullopt;
    for (auto [output, tensor] : llvm::enumerate(structure.outputs))
      addOutput(program.graph.getOutputs()[output], tensor);
    return std::move(graph);
  }

private:
  void addHeader() {
    setExtents();
    for (ValueId input : structure.inputs)
      addInput(input);
  }

  void setExtents() {
    graph.threads = tiling.threads;
    NameId loopName = structure.loopName;
    bool loopIsSplit = llvm::is_contained(structure.gridNames, loopName);
    if (loopName != kNoName)
      graph.loop = loopIsSplit ? tiling.loop : countTiles(loopName, 1);
    for (NameId name : structure.gridNames)
      graph.grid.push_back(countTiles(name, name == loopName ? graph.loop : 1));
  }
  int64_t countTiles(NameId name, int64_t perBlock) const {
    return llvm::divideCeil(extents[name], tiling.tile[name] * perBlock);
  }

  void addInput(ValueId input) {
    ArrayRef<NameId> layout = program.getDimensions(input);
    TensorSpec type{DimensionNames::getShape(layout, tiling.tile),
                    program.graph.getType(input).element};
    TileInput map;
    for (NameId name : structure.gridNames)
      map.gridMap.push_back(findDimension(layout, name));
    map.loopMap = findDimension(layout, structure.loopName);
    ValueId value = graph.addInput(type, program.graph.getInputName(input));
    graph.tileInputs.push_back(map);
    NameSet varies = toSet(layout) & toSet(structure.gridNames);
    tensors.push_back({{value, DimensionList(layout.begin(), layout.end())}});
    splitNames.push_back(varies);
  }

  static int findDimension(ArrayRef<NameId> layout, NameId name) {
    auto it = llvm::find(layout, name);
    return name == kNoName || it == layout.end()
               ? kReplicated
               : static_cast<int>(it - layout.begin());
  }

  void addOperator(const StructureOperator &op) {
    if (!isStable)
      return;
    SmallVector<ScaledTile, 2> operands;
    NameSet varies = 0;
    for (unsigned operand : op.operands) {
      operands.push_back(tensors[operand]);
      varies |= splitNames[operand];
    }
    std::optional<ScaledTile> result = build(op, operands, varies);
    isStable = result.has_value();
    if (!isStable)
      return;
    tensors.push_back(*result);
    splitNames.push_back(varies & ~getJoinedNames(op));
  }

  NameSet getJoinedNames(const StructureOperator &op) const {
    return op.gridAxis ? toSet(structure.gridNames[*op.gridAxis]) : 0;
  }

  std::optional<ScaledTile> build(const StructureOperator &op,
                                  ArrayRef<ScaledTile> operands,
                                  NameSet varies) {
    Attributes attributes;
    attributes.scalars = op.scalars;
    switch (getOperatorInfo(op.opcode).kind) {
    case OperatorKind::Elementwise:
      if (program.isStripped && op.opcode == Opcode::Exp)
        return scaled.exponential(operands[0], findNamesSummed(), varies);
      return scaled.elementwise(op.opcode, operands, attributes);
    case OperatorKind::Contraction:
      return scaled.matmul(operands[0], operands[1], op.over);
    case OperatorKind::Reduction:
      attributes.count = getCount(op.opcode, op.over);
      return scaled.reduce(op.opcode, operands[0], op.over, attributes);
    case OperatorKind::Accumulate:
      attributes.reduction = op.reduction;
      attributes.count = getCount(op.reduction, op.over);
      if (op.gridAxis)
        attributes.axis = static_cast<Axis>(*op.gridAxis);
      return scaled.accumulate(operands[0], op.over, attributes,
                               op.gridAxis ? structure.gridNames[*op.gridAxis]
                                           : kNoName);
    case OperatorKind::Movement:
    case OperatorKind::Copy:
    case OperatorKind::Composed:
    case OperatorKind::Graph:
      break;
    }
    llvm_unreachable("structures have no such operators");
  }

  /// Names of the tensor that is built next which are reduced in something
  /// that depends on it.
  SmallVector<NameId> findNamesSummed() const {
    unsigned self = tensors.size(), number = structure.inputs.size();
    llvm::SmallBitVector depends(number + structure.operators.size());
    depends.set(self);
    NameSet summed = 0;
    for (const StructureOperator &op : structure.operators) {
      if (llvm::any_of(op.operands, [&](unsigned t) { return depends[t]; })) {
        depends.set(number);
        summed |= op.over == kNoName ? 0 : toSet(op.over);
      }
      ++number;
    }
    const StructureOperator &op =
        structure.operators[self - structure.inputs.size()];
    return toList(summed & tensors[op.operands[0]].tile.getNames());
  }

  /// The whole extent, for reductions that divide by it.
  int64_t getCount(Opcode reduction, NameId over) const {
    bool averages = getOperatorInfo(reduction).averages();
    return averages && over != kNoName ? extents[over] : 0;
  }

  void addOutput(ValueId output, unsigned tensor) {
    ArrayRef<NameId> layout = program.getDimensions(output);
    NamedTile tile = builder.arrange(scaled.unscale(tensors[tensor]), layout);
    TileOutput map;
    for (NameId name : structure.gridNames) {
      int dim = findDimension(layout, name);
      bool isPart = dim == kReplicated && contains(splitNames[tensor], name);
      map.gridMap.push_back(isPart ? kSummed : dim);
    }
    graph.addOutput(tile.value);
    graph.tileOutputs.push_back(map);
  }

  const TargetProgram &program;
  const Structure &structure;
  ArrayRef<int64_t> extents;
  const Tiling &tiling;
  TileGraph graph;
  NamedTileBuilder builder;
  ScaledTileBuilder scaled;
  bool isStable = true; ///< every factor so far could be carried along
  std::vector<ScaledTile> tensors;
  std::vector<NameSet> splitNames; ///< by tensor: along which axes it varies
};
} // namespace

/// The types of the structure's inputs at the given extents.
static SmallVector<TensorSpec> getOperandTypes(const TargetProgram &program,
                                               const Structure &structure,
                                               ArrayRef<int64_t> extents) {
  SmallVector<TensorSpec> types;
  for (ValueId input : structure.inputs)
    types.push_back(
        {DimensionNames::getShape(program.getDimensions(input), extents),
         program.graph.getType(input).element});
  return types;
}

bool mlir::mirage::search::canBuild(const TargetProgram &program,
                                    const Structure &structure) {
  if (!program.isStripped)
    return true;
  SmallVector<int64_t> extents = getTestExtents(program, structure, 0);
  Tiling tiling = getTestTiling(program, structure, extents);
  return InstanceBuilder(program, structure, extents, tiling).run().has_value();
}

TileGraph mlir::mirage::search::buildTileGraph(const TargetProgram &program,
                                               const Structure &structure,
                                               ArrayRef<int64_t> extents,
                                               const Tiling &tiling) {
  std::optional<TileGraph> graph =
      InstanceBuilder(program, structure, extents, tiling).run();
  assert(graph && "canBuild says which structures can be built");
  return llvm::cantFail(
      maskPartialTiles(*graph, getOperandTypes(program, structure, extents)),
      "a name has one extent in all tensors, and no operator joins names");
}

TileGraph mlir::mirage::search::buildTileHeader(const TargetProgram &program,
                                                const Structure &structure,
                                                ArrayRef<int64_t> extents,
                                                const Tiling &tiling) {
  return InstanceBuilder(program, structure, extents, tiling).buildHeader();
}

Graph mlir::mirage::search::buildKernelGraph(const TargetProgram &program,
                                             const Structure &structure,
                                             ArrayRef<int64_t> extents,
                                             TileGraph tileGraph) {
  Graph resized = resize(program.graph, program.names, extents);
  Graph graph;
  for (unsigned input = 0; input < resized.getNumInputs(); ++input)
    graph.addInput(resized.getType(input), resized.getInputName(input));
  ValueId first = graph.addGraph(
      structure.inputs, std::make_shared<TileGraph>(std::move(tileGraph)),
      resized.getTypes(resized.getOutputs()));
  for (unsigned output = 0; output < structure.outputs.size(); ++output)
    graph.addOutput(first + output);
  llvm::Error error = verify(graph);
  assert(!error && "the search built a malformed graph");
  llvm::consumeError(std::move(error));
  return graph;
}

//===----------------------------------------------------------------------===//
// Which tilings
//===----------------------------------------------------------------------===//

/// Tile sizes worth trying for one name: multiples of what matrix instructions
/// and 128-bit accesses take, and small ones for names that only count rows.
static SmallVector<int64_t> getTileSizes(int64_t extent) {
  static constexpr int64_t kSizes[] = {1,  2,  4,   8,   16,  32, 48,
                                       64, 96, 128, 192, 256, 512};
  SmallVector<int64_t> sizes;
  for (int64_t size : kSizes)
    if (size < extent)
      sizes.push_back(size);
  return sizes;
}

static int64_t getInputTileBytes(const TargetProgram &program,
                                 const Structure &structure,
                                 ArrayRef<int64_t> tile) {
  int64_t bytes = 0;
  for (const TensorSpec &type : getOperandTypes(program, structure, tile))
    bytes += type.getSizeBytes();
  return bytes;
}

std::vector<Tiling> mlir::mirage::search::enumerateTilings(
    const TargetProgram &program, const Structure &structure,
    ArrayRef<int64_t> extents, int64_t sharedBytes) {
  SmallVector<NameId, 3> split = structure.gridNames;
  if (structure.loopName != kNoName &&
      !llvm::is_contained(split, structure.loopName))
    split.push_back(structure.loopName);
  Tiling whole;
  whole.tile.assign(extents.begin(), extents.end());
  std::vector<Tiling> tilings = {whole};
  for (NameId name : split) {
    std::vector<Tiling> next;
    for (const Tiling &tiling : tilings)
      for (int64_t size : getTileSizes(extents[name])) {
        Tiling cut = tiling;
        cut.tile[name] = size;
        if (name != structure.loopName ||
            !llvm::is_contained(structure.gridNames, name)) {
          next.push_back(cut);
          continue;
        }
        // Tiles of 1 could be padding as a whole.
        for (int64_t loop = 2; size > 1 && loop * size < extents[name];
             loop *= 2) {
          cut.loop = loop;
          next.push_back(cut);
        }
      }
    tilings = std::move(next);
  }
  llvm::erase_if(tilings, [&](const Tiling &tiling) {
    return getInputTileBytes(program, structure, tiling.tile) > sharedBytes;
  });
  return tilings;
}

/// The least extent that tests a name that is split twice, once or not at all.
static int64_t getTestBase(const Structure &structure, NameId name) {
  bool isLooped = name == structure.loopName;
  bool isOnGrid = llvm::is_contained(structure.gridNames, name);
  return isLooped && isOnGrid ? 7 : isLooped || isOnGrid ? 5 : 3;
}

SmallVector<int64_t>
mlir::mirage::search::getTestExtents(const TargetProgram &program,
                                     const Structure &structure,
                                     unsigned variant) {
  // Three tiles of two, the last one partial in one variant; or whole, at least
  // three. No two alike, so that no equality holds by a coincidence.
  SmallVector<int64_t> extents(program.names.getNumNames(), 0);
  for (int64_t base : {7, 5, 3})
    for (unsigned name = 0; name < extents.size(); ++name) {
      if (getTestBase(structure, name) != base)
        continue;
      int64_t extent = base + (variant + name) % 2;
      while (llvm::is_contained(extents, extent))
        extent += 2;
      extents[name] = extent;
    }
  return extents;
}

Tiling mlir::mirage::search::getTestTiling(const TargetProgram &program,
                                           const Structure &structure,
                                           ArrayRef<int64_t> extents) {
  Tiling tiling;
  tiling.loop = 2;
  tiling.tile.assign(extents.begin(), extents.end());
  for (NameId name : structure.gridNames)
    tiling.tile[name] = 2;
  if (structure.loopName != kNoName)
    tiling.tile[structure.loopName] = 2;
  return tiling;
}
