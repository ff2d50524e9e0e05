//===- StepBuilders.cpp - Steps of a block as thread graphs ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepBuilders.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/ProductSums.h"
#include "Mirage/Layout/FragmentRules.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

std::optional<LinearLayout> mlir::mirage::findWholeRows(Operation *op,
                                                        Value tile) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(tile.getType()).getShape());
  if (op->hasAttr(kWholeRowsAttr))
    return findRowsLayout(shape);
  if (!op->hasAttr(kWholeColumnsAttr))
    return std::nullopt;
  std::swap(shape.end()[-2], shape.end()[-1]);
  auto dims = llvm::to_vector(llvm::seq<int>(shape.size()));
  std::swap(dims.end()[-2], dims.end()[-1]);
  std::optional<LinearLayout> rows = findRowsLayout(shape);
  return rows ? std::optional(rows->project(dims)) : std::nullopt;
}

/// Whether a block multiplies, in steps that are built already or not.
static bool hasProducts(block::GraphOp graph) {
  return graph
      .walk([](OperatorOpInterface op) {
        OperatorKind kind = getOperatorInfo(op.getTableOpcode()).kind;
        return kind == OperatorKind::Contraction ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
/// Tiles that lanes load and store with elements side by side.
struct MovedTiles {
  static constexpr int64_t kRunBits = 128, kWordBits = 32, kLeastWidth = 16;
  int64_t widest = kLeastWidth, narrowest = kWordBits; ///< bits of elements
  SmallVector<TileEdge> rows;                          ///< in device memory

  void addElements(Type type) {
    int64_t width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    widest = std::max(widest, width);
    narrowest = std::min(narrowest, width);
  }
  int64_t getLongestRun() const { return kRunBits / widest; }
  /// Which rows have, wherever tiles begin and end.
  int64_t getRunOfRows() const {
    int64_t longest = getLongestRun(), run = longest;
    for (const TileEdge &row : rows)
      if (row.isUneven() || row.getElements() >= longest) // others have no runs
        run = std::gcd(run, row.getDivisor());
    return run;
  }
  int64_t getWord() const { return kWordBits / narrowest; }
};
} // namespace

RunLengths mlir::mirage::findRunLengths(block::GraphOp graph) {
  bool hasLoop = graph.getLoop() > 1;
  if (hasLoop && hasProducts(graph))
    return {MovedTiles().getLongestRun(), /*shortest=*/1};
  MovedTiles tiles;
  for (auto [number, type] : llvm::enumerate(graph.getInputs().getTypes())) {
    tiles.addElements(type);
    if (!hasLoop)
      tiles.rows.push_back(findInputEdges(graph, number).back());
  }
  for (auto [number, type] : llvm::enumerate(graph->getResultTypes())) {
    tiles.addElements(type);
    tiles.rows.push_back(findOutputEdges(graph, number).back());
  }
  int64_t run = tiles.getRunOfRows(), word = tiles.getWord();
  // Each iteration would load less than words from shared memory, where rows
  // have them.
  if (hasLoop && run < word)
    return {tiles.getLongestRun(), /*shortest=*/1};
  return {run, std::min(run, word)};
}

bool mlir::mirage::growsSum(const StepFusion &fusion, Operation *product) {
  Operation *root = fusion.getRoot(product);
  auto sum = root->hasOneUse()
                 ? dyn_cast<block::AccumulateOp>(*root->user_begin())
                 : block::AccumulateOp();
  return sum && growsAlone(sum) && !sum.getRescale() &&
         !product->hasAttr(kWholeRowsAttr);
}

static SumSource getSource(const StepFusion &fusion, block::AccumulateOp sum) {
  Operation *root = sum.getOperand().getDefiningOp();
  Operation *core = root && getStepKind(root) ? fusion.getCore(root) : nullptr;
  Type type =
      isa_and_nonnull<block::MatmulOp>(core) ? getTensorCoreType(core) : Type();
  if (!type)
    return SumSource::Others;
  return type.getIntOrFloatBitWidth() > 16 ? SumSource::RoundedProducts
                                           : SumSource::TensorProducts;
}

/// Of what a thread has for all sums that grow alone.
static int64_t countRegistersPerSum(const StepFusion &fusion,
                                    block::GraphOp graph) {
  Region &body = graph.getBody();
  SumSource source = SumSource::TensorProducts;
  for (auto sum : body.getOps<block::AccumulateOp>())
    if (growsAlone(sum))
      source = std::max(source, getSource(fusion, sum));
  int64_t numSums =
      llvm::count_if(body.getOps<block::MatmulOp>(), [&](Operation *product) {
        return growsSum(fusion, product);
      });
  return RegisterBudget(graph.getThreads()).getForSums(source) /
         std::max<int64_t>(numSums, 1);
}

StepContext::StepContext(RewriterBase &rewriter, const StepFusion &fusion,
                         block::GraphOp graph)
    : rewriter(rewriter), fusion(fusion),
      numWarps(graph.getThreads() >> kLaneBits),
      registersPerSum(countRegistersPerSum(fusion, graph)),
      hasLoop(graph.getLoop() > 1), mayHold(!hasLoop || !hasProducts(graph)),
      runs(findRunLengths(graph)) {}

LinearLayout mlir::mirage::chooseElementwiseLayout(const StepContext &context,
                                                   ArrayRef<int64_t> tile) {
  return chooseElementwiseLayout(tile, context.numWarps, context.runs);
}

Value FragmentBuilder::get(Value value, ArrayRef<int> dims,
                           const LinearLayout &layout) {
  Operation *op = value.getDefiningOp();
  if (op && op == core)
    return coreFragment;
  for (const Known &other : known)
    if (other.value == value && ArrayRef(other.dims) == dims &&
        thread::getFragmentLayout(other.fragment.getType()) == layout)
      return other.fragment;
  Value fragment = op && context.fusion.isFused(op)
                       ? compute(op, dims, layout)
                       : graph.addOperand(value, dims, layout);
  known.push_back({value, SmallVector<int>(dims), fragment});
  return fragment;
}

/// Lanes that hold the same of the rows share out the parts of each, which
/// other warps have left. A warp that is alone has all parts of its rows
/// itself, in registers (--mirage-hold-in-registers).
static LinearLayout spreadParts(const LinearLayout &rows, int64_t numParts,
                                bool isAlone) {
  SmallVector<Coordinates> registers(rows.getBases(LayoutInput::Register)),
      lanes(rows.getBases(LayoutInput::Lane));
  unsigned last = rows.getRank() - 1;
  int64_t next = 1;
  for (Coordinates &lane : lanes)
    if (!isAlone && next < numParts &&
        llvm::all_of(lane, [](int64_t part) { return part == 0; })) {
      lane[last] = next;
      next *= 2;
    }
  for (; next < numParts; next *= 2) {
    registers.push_back(Coordinates(rows.getRank(), 0));
    registers.back()[last] = next;
  }
  SmallVector<int64_t> shape(rows.getShape());
  shape[last] = numParts;
  return LinearLayout(shape, registers, lanes);
}

Value FragmentBuilder::join(Operation *op, ArrayRef<int> dims,
                            const LinearLayout &layout) {
  Value parts = op->getOperand(0);
  int64_t last = layout.getRank() - 1;
  SmallVector<int> partDims(dims);
  partDims[last] = -1;
  int64_t numParts = cast<RankedTensorType>(parts.getType()).getDimSize(last);
  bool isAlone = context.numWarps == 1 && numParts <= kMaxRegisters;
  LinearLayout spread =
      spreadParts(layout, llvm::PowerOf2Ceil(numParts), isAlone);
  Value fragment = get(parts, partDims, spread);
  Opcode opcode = cast<OperatorOpInterface>(op).getTableOpcode();
  Type f32 = Float32Type::get(op->getContext());
  if (spread.getShape()[last] != numParts) {
    Attributes mask;
    mask.dims = {last};
    mask.extent = numParts;
    mask.scalars = {getNeutral(getOperatorInfo(opcode).combiner)};
    fragment = graph.addRow(Opcode::Mask, fragment, mask, spread, f32);
  }
  return graph.addRow(opcode, fragment, readOperatorAttributes(op), layout,
                      f32);
}

Value FragmentBuilder::compute(Operation *op, ArrayRef<int> dims,
                               const LinearLayout &layout) {
  if (op->hasAttr(kJoinsRowPartsAttr))
    return join(op, dims, layout);
  SmallVector<Value> fragments;
  for (Value operand : op->getOperands()) {
    SmallVector<int> resultDims = getResultDims(op, operand), composed;
    // What rows are joined to has one column, and a fragment may have several.
    Operation *source = operand.getDefiningOp();
    if (source && context.fusion.isFused(source) &&
        source->hasAttr(kJoinsRowPartsAttr))
      resultDims.back() = -1;
    for (int dim : resultDims)
      composed.push_back(dim < 0 ? -1 : dims[dim]);
    fragments.push_back(get(operand, composed, layout.project(resultDims)));
  }
  return graph.addRow(
      cast<OperatorOpInterface>(op).getTableOpcode(), fragments,
      readOperatorAttributes(op), layout,
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
}

static StepCore makeCore(const StepContext &context, Operation *root) {
  Operation *core = context.fusion.getCore(root);
  if (!core)
    return makeElementwiseCore(context, root);
  return getStepKind(core) == StepKind::Contraction
             ? makeMatmulCore(context, core)
             : makeReductionCore(context, core);
}

Value mlir::mirage::buildStep(const StepContext &context, Operation *root) {
  StepCore core = makeCore(context, root);
  if (!core.split.isShareable())
    return {};
  FragmentBuilder builder(context, root->getLoc(), core.split);
  Operation *coreOp = context.fusion.getCore(root);
  if (coreOp)
    builder.setCore(coreOp, core.emit(builder));
  Value fragment = coreOp == root
                       ? builder.get(root->getResult(0), core.dims, core.layout)
                       : builder.compute(root, core.dims, core.layout);
  Value tile = builder.getGraph().finish(
      fragment, core.dims,
      cast<RankedTensorType>(root->getResult(0).getType()));
  for (StringRef name : {kWholeRowsAttr, kWholeColumnsAttr})
    if (Attribute whole = (coreOp ? coreOp : root)->getAttr(name))
      tile.getDefiningOp()->setAttr(name, whole);
  return tile;
}
