//===- WarpRows.cpp - Rows of tiles that warps keep -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/WarpRows.h"
#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Graph/Phases.h"
#include "Mirage/Graph/TileMemory.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;
using llvm::ArrayRef;

static constexpr unsigned kWarpThreads = 32;

static ArrayRef<int64_t> getRowDims(const TensorSpec &type) {
  return ArrayRef(type.shape).drop_back();
}

/// A type as one of the rows that warps hold, which may be its columns.
static TensorSpec getRows(TensorSpec type, bool areColumns) {
  if (areColumns && type.getRank() >= 2)
    std::swap(type.shape.end()[-2], type.shape.end()[-1]);
  return type;
}

static bool reducesRows(const Node &op, const TensorSpec &operand) {
  return op.attributes.dims.size() == 1 &&
         op.attributes.dims[0] == int64_t(operand.getRank()) - 1;
}

/// The accumulation over the loop, element by element, that alone reads a
/// value; null if there is none.
static const Node *findSum(const TileGraph &graph, ValueId value) {
  const Node *reader = nullptr;
  for (const Node &op : graph.getNodes())
    for (ValueId operand : op.operands)
      if (operand == value) {
        if (reader)
          return nullptr;
        reader = &op;
      }
  bool isSum = reader && reader->opcode == Opcode::Accumulate &&
               reader->attributes.axis == Axis::Loop &&
               reader->getNumCarried() == 1 && reader->attributes.dims.empty();
  return isSum ? reader : nullptr;
}

/// Whether a value is the next part of a sum, as it is.
static bool isSummedUp(const TileGraph &graph, ValueId value) {
  const Node *sum = findSum(graph, value);
  return sum && !sum->isRescaled() && sum->attributes.reduction == Opcode::Sum;
}

/// Whether registers can keep what an operation gives: of accumulations those
/// over the loop with which nothing is to be done behind it, in f32
/// (Mirage/Analysis/HeldTiles.h, `canCarry`).
static bool canBeKept(const TileGraph &graph, const Node &op) {
  if (op.opcode != Opcode::Accumulate)
    return true;
  // Dimensions are a reduction before.
  Attributes ofElements = op.attributes;
  ofElements.dims.clear();
  return joinsIterations(op) &&
         accumulatesElements(ofElements, /*numOperands=*/1) &&
         graph.getType(op.results[0]).element == ElementType::F32;
}

static bool isMask(const Node &op) {
  return op.opcode == Opcode::Mask || op.opcode == Opcode::CausalMask;
}

static bool isComputedBy(const TileGraph &graph, ValueId value,
                         llvm::function_ref<bool(const Node &)> is) {
  const Node *definition = graph.getDefinition(value);
  return definition && is(*definition);
}

/// Whether an operation replaces some elements of what registers keep, in f32:
/// of what a step has computed, and of no sum over the loop.
static bool masksInPlace(const TileGraph &graph, const Node &op) {
  auto isSum = [](const Node &other) {
    return other.opcode == Opcode::Accumulate;
  };
  return isMask(op) && !isComputedBy(graph, op.operands[0], isSum) &&
         graph.getType(op.operands[0]).element == ElementType::F32 &&
         graph.getType(op.results[0]).element == ElementType::F32;
}

namespace {
class RowFinder {
public:
  /// \param goesOn  whether chains may go on behind the loop, on its sums.
  RowFinder(const TileGraph &graph, bool areSizesKnown, bool goesOn)
      : graph(graph), areSizesKnown(areSizesKnown), goesOn(goesOn),
        phases(computeExecutionPhases(graph)),
        numWarps(graph.threads / kWarpThreads),
        members{llvm::BitVector(graph.getNodes().size(), false),
                llvm::BitVector(graph.getNodes().size(), false)},
        makesChain(graph.getNodes().size(), false) {}

  /// Where sizes are known, no operation is a member of both kinds.
  PossibleWarpRows run();

private:
  bool leavesColumns(const Node &op) const;
  bool exchangesForSteps(const Node &op) const;
  bool areShareable(const TensorSpec &type) const;
  bool haveSameRows(const TensorSpec &lhs, const TensorSpec &rhs) const;
  bool isOnTensorCores(const Node &op) const;
  /// The operands that an operation takes from rows that are held, if it is one
  /// of their chain.
  llvm::SmallVector<ValueId, 2> findHeldOperands(unsigned number,
                                                 bool areColumns) const;
  bool isStillHeld(unsigned number, unsigned user) const;
  bool isFromChain(ValueId value, unsigned user, bool areColumns) const;
  bool isBesideProduct(unsigned number) const;
  void visit(unsigned number, bool areColumns);

  const TileGraph &graph;
  bool areSizesKnown, goesOn;
  llvm::SmallVector<Phase> phases; ///< by operation
  unsigned numWarps;
  PossibleWarpRows members; ///< by operation, as far as they are visited
  /// Reduces or multiplies what is held, or is a product that a loop sums up.
  llvm::BitVector makesChain;
  llvm::EquivalenceClasses<unsigned> chains;
};
} // namespace

/// Whether items end where rows do: sizes are powers of two, but where each
/// item is a share (Mirage/Layout/HeldTiles.h).
static bool areWholeItems(ArrayRef<int64_t> rowDims, unsigned numWarps) {
  bool areShares = !llvm::isPowerOf2_32(numWarps);
  return (areShares || llvm::all_of(rowDims, llvm::isPowerOf2_64)) &&
         rowDims.back() % kWarpRows == 0;
}

bool RowFinder::areShareable(const TensorSpec &type) const {
  if (type.getRank() < 2 || !areSizesKnown)
    return type.getRank() >= 2;
  int64_t rows = type.getNumElements() / type.shape.back();
  int64_t columns = type.shape.back();
  return areWholeItems(getRowDims(type), numWarps) &&
         llvm::isPowerOf2_64(columns) &&
         rows >= kWarpRows * int64_t(numWarps) &&
         (columns == 1 ||
          (columns >= kRowElements && columns <= kMostRowElements));
}

/// Of a dimension whose size is not known a tile may have one element.
bool RowFinder::haveSameRows(const TensorSpec &lhs,
                             const TensorSpec &rhs) const {
  return llvm::equal(
      getRowDims(lhs), getRowDims(rhs), [&](int64_t left, int64_t right) {
        return left == right || (!areSizesKnown && (left == 1 || right == 1));
      });
}

bool RowFinder::isOnTensorCores(const Node &op) const {
  return getOperatorInfo(op.opcode).kind == OperatorKind::Contraction &&
         getTensorCoreElement(graph.getType(op.operands[0]).element,
                              graph.getType(op.operands[1]).element,
                              graph.f32Products);
}

/// Whether the value of an operation is in the registers of warps when another
/// one is carried out: both are in the same phase, or the one is a sum over the
/// loop and the other behind it.
bool RowFinder::isStillHeld(unsigned number, unsigned user) const {
  const Node &op = graph.getNodes()[number];
  if (op.opcode != Opcode::Accumulate)
    return phases[number] == phases[user] ||
           (isBeforeLoop(phases[number]) && isBeforeLoop(phases[user]));
  return goesOn && canBeKept(graph, op) && phases[user] == Phase::After;
}

/// Whether an operation transposes what elementwise operations read, or what is
/// stored: a product reads past a transpose, and a reduction has other rows.
bool RowFinder::exchangesForSteps(const Node &op) const {
  if (op.opcode != Opcode::Transpose ||
      !exchangesRowsAndColumns(op.attributes.dims))
    return false;
  return llvm::all_of(graph.getNodes(), [&](const Node &reader) {
    return !llvm::is_contained(reader.operands, op.results[0]) ||
           isElementwise(reader.opcode);
  });
}

/// Whether rows that are held are columns of what an operation leaves, if it is
/// a member; or may be, where sizes are not known.
bool RowFinder::leavesColumns(const Node &op) const {
  auto isColumns = [&](ValueId operand) {
    const Node *definition = graph.getDefinition(operand);
    return definition &&
           members.ofColumns[definition - graph.getNodes().data()];
  };
  return exchangesForSteps(op) ||
         (isElementwise(op.opcode) && llvm::any_of(op.operands, isColumns));
}

/// Whether an operation in a chain computes a value whose rows are those of the
/// user's result, or its columns.
bool RowFinder::isFromChain(ValueId value, unsigned user,
                            bool areColumns) const {
  const Node *definition = graph.getDefinition(value);
  if (!definition)
    return false;
  unsigned number = definition - graph.getNodes().data();
  const Node &op = graph.getNodes()[user];
  bool readsColumns = areColumns && op.opcode != Opcode::Transpose;
  bool liesAlike =
      readsColumns ? members.ofColumns[number] : members.ofRows[number];
  return liesAlike && isStillHeld(number, user) &&
         haveSameRows(getRows(graph.getType(value), readsColumns),
                      getRows(graph.getType(op.results[0]), areColumns));
}

llvm::SmallVector<ValueId, 2>
RowFinder::findHeldOperands(unsigned number, bool areColumns) const {
  const Node &op = graph.getNodes()[number];
  llvm::SmallVector<ValueId, 2> held;
  for (ValueId operand : op.operands)
    if (isFromChain(operand, number, areColumns))
      held.push_back(operand);
  if (held.empty() || exchangesForSteps(op))
    return held;
  const TensorSpec &operand = graph.getType(op.operands[0]);
  switch (getOperatorInfo(op.opcode).kind) {
  case OperatorKind::Elementwise:
    return held;
  case OperatorKind::Reduction:
    return reducesRows(op, operand) ? held : llvm::SmallVector<ValueId, 2>();
  case OperatorKind::Contraction:
    // What a product has on its right all warps read.
    if (isOnTensorCores(op) && held.front() == op.operands[0])
      return {op.operands[0]};
    return {};
  case OperatorKind::Accumulate:
    // What rescales a sum the same warps have to hold.
    if (op.attributes.dims.empty() &&
        isComputedBy(graph, op.operands[0], isMask))
      return {}; // sums grow with what steps compute
    if (op.attributes.axis == Axis::Loop && op.getNumCarried() == 1 &&
        held.size() == op.operands.size() &&
        (op.attributes.dims.empty() || reducesRows(op, operand)))
      return held;
    return {};
  case OperatorKind::Movement:
    if (op.opcode == Opcode::Cast || masksInPlace(graph, op))
      return held;
    return {};
  case OperatorKind::Copy:
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
  return {};
}

/// Whether an operation reads, alone, what a product that the loop sums up has
/// on its left, and goes on along its rows.
bool RowFinder::isBesideProduct(unsigned number) const {
  const Node &op = graph.getNodes()[number];
  if (op.operands.size() != 1 || !areShareable(graph.getType(op.operands[0])))
    return false;
  ValueId left = op.operands[0];
  const TensorSpec &type = graph.getType(left);
  OperatorKind kind = getOperatorInfo(op.opcode).kind;
  bool goesAlong =
      kind == OperatorKind::Elementwise ||
      (kind == OperatorKind::Reduction && reducesRows(op, type)) ||
      (kind == OperatorKind::Accumulate && op.attributes.axis == Axis::Loop &&
       op.getNumCarried() == 1 && reducesRows(op, type));
  auto isOfRows = [&](unsigned other) {
    const Node &product = graph.getNodes()[other];
    return isOnTensorCores(product) && product.operands[0] == left &&
           phases[other] == phases[number] &&
           isSummedUp(graph, product.results[0]) &&
           areShareable(graph.getType(product.results[0])) &&
           haveSameRows(graph.getType(product.results[0]), type);
  };
  return goesAlong &&
         llvm::any_of(llvm::seq<unsigned>(0, graph.getNodes().size()),
                      isOfRows);
}

void RowFinder::visit(unsigned number, bool areColumns) {
  const Node &op = graph.getNodes()[number];
  if (op.results.size() != 1 ||
      !areShareable(getRows(graph.getType(op.results[0]), areColumns)))
    return;
  llvm::SmallVector<ValueId, 2> held = findHeldOperands(number, areColumns);
  bool isBeside = held.empty() && isBesideProduct(number);
  if (held.empty() && !isBeside && !isOnTensorCores(op))
    return;
  bool isOfColumns = areColumns && !held.empty();
  (isOfColumns ? members.ofColumns : members.ofRows).set(number);
  chains.insert(number);
  for (ValueId value : held)
    chains.unionSets(number,
                     graph.getDefinition(value) - graph.getNodes().data());
  OperatorKind kind = getOperatorInfo(op.opcode).kind;
  bool reducesOrMultiplies = kind == OperatorKind::Reduction ||
                             kind == OperatorKind::Contraction ||
                             !op.attributes.dims.empty();
  if (held.empty() && !isBeside ? isSummedUp(graph, op.results[0])
                                : reducesOrMultiplies)
    makesChain.set(number);
}

PossibleWarpRows RowFinder::run() {
  for (auto [number, op] : llvm::enumerate(graph.getNodes())) {
    bool areColumns = leavesColumns(op);
    visit(number, areColumns);
    // What may be columns where a transpose is shared out may be rows else.
    if (areColumns && !areSizesKnown && op.opcode != Opcode::Transpose)
      visit(number, /*areColumns=*/false);
  }
  for (llvm::BitVector *ofKind : {&members.ofRows, &members.ofColumns})
    for (unsigned number : ofKind->set_bits())
      if (llvm::none_of(makesChain.set_bits(), [&](unsigned other) {
            return chains.isEquivalent(number, other);
          }))
        ofKind->reset(number);
  return members;
}

bool mlir::mirage::areRowsHeld(const TileGraph &graph, const WarpRows &rows,
                               ValueId value) {
  const Node *definition = graph.getDefinition(value);
  if (!definition || !canBeKept(graph, *definition) ||
      llvm::is_contained(graph.getOutputs(), value))
    return false;
  unsigned ofValue = definition - graph.getNodes().data();
  if (!rows.members[ofValue])
    return false;
  for (auto [number, op] : llvm::enumerate(graph.getNodes())) {
    bool isRead = llvm::is_contained(op.operands, value);
    bool isRightOperand =
        getOperatorInfo(op.opcode).kind == OperatorKind::Contraction &&
        op.operands[1] == value;
    bool liesAcross = op.opcode != Opcode::Transpose &&
                      rows.columns[number] != rows.columns[ofValue];
    if (isRead && (!rows.members[number] || isRightOperand || liesAcross))
      return false;
    // A mask works in registers if what it leaves stays there.
    if (isRead && isMask(op) && !areRowsHeld(graph, rows, op.results[0]))
      return false;
  }
  return true;
}

/// Registers of a thread that the result of a member takes, each lane of four
/// having two of 16 rows.
static int64_t countRegisters(const TileGraph &graph, const WarpRows &rows,
                              unsigned number) {
  TensorSpec type = getRows(graph.getType(graph.getNodes()[number].results[0]),
                            rows.columns[number]);
  constexpr int64_t kRegisterBytes = 4;
  int64_t columns = type.shape.back(), copies = columns == 1 ? 4 : 1;
  int64_t numItems = type.getNumElements() / columns / kWarpRows;
  int64_t itemBytes = copies * type.getSizeBytes() / numItems;
  int64_t numRounds = llvm::divideCeil(numItems, graph.threads / kWarpThreads);
  return llvm::divideCeil(numRounds * itemBytes, kWarpThreads * kRegisterBytes);
}

/// In the order of the operations: what is held between two of them.
static int64_t countMostRegisters(const TileGraph &graph,
                                  const WarpRows &rows) {
  llvm::SmallVector<int64_t> change(graph.getNodes().size() + 1, 0);
  llvm::SmallVector<Phase> phases = computeExecutionPhases(graph);
  int64_t sums = 0; ///< and what every iteration reads
  for (unsigned number : rows.members.set_bits()) {
    const Node &op = graph.getNodes()[number];
    int64_t numRegisters = countRegisters(graph, rows, number);
    if (op.opcode == Opcode::Accumulate) {
      sums += numRegisters;
      continue;
    }
    // A sum grows as its next part is computed; one that is rescaled, too, if
    // parts can be relative to a running maximum (--mirage-scale-running-sums).
    if (!areRowsHeld(graph, rows, op.results[0]) ||
        findSum(graph, op.results[0]))
      continue;
    unsigned last = number;
    bool outlivesIterations = false;
    for (auto [user, other] : llvm::enumerate(graph.getNodes()))
      if (llvm::is_contained(other.operands, op.results[0])) {
        last = user;
        outlivesIterations |= phases[user] != phases[number];
      }
    if (outlivesIterations) {
      sums += numRegisters;
      continue;
    }
    change[number] += numRegisters;
    change[last] -= numRegisters;
  }
  int64_t held = 0, most = 0;
  for (int64_t difference : change) {
    held += difference;
    most = std::max(most, held);
  }
  return sums + most;
}

WarpRows mlir::mirage::findWarpRows(const TileGraph &graph,
                                    int64_t mostRegisters) {
  // Sums that are held to the end may be too much where parts of them are not.
  for (bool goesOn : {true, false}) {
    PossibleWarpRows found =
        RowFinder(graph, /*areSizesKnown=*/true, goesOn).run();
    WarpRows rows{found.ofRows, found.ofColumns};
    rows.members |= found.ofColumns;
    rows.numRegisters = countMostRegisters(graph, rows);
    if (rows.numRegisters <= mostRegisters)
      return rows;
  }
  llvm::BitVector none(graph.getNodes().size(), false);
  return {none, none};
}

PossibleWarpRows mlir::mirage::findPossibleWarpRows(const TileGraph &graph) {
  return RowFinder(graph, /*areSizesKnown=*/false, /*goesOn=*/true).run();
}
