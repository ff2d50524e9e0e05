//===- KernelBuilder.cpp - One kernel, tensor by tensor -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "Mirage/Search/KernelTraffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

KernelBuilder::KernelBuilder(const TargetProgram &program,
                             const KernelPlan &plan, ArrayRef<int64_t> extents,
                             const Tiling &tiling)
    : program(program), plan(plan), kernel(plan.kernel), extents(extents),
      tiling(tiling), programExtents(getLeastExtents(program)),
      builder(graph, programExtents, tiling.tile), scaled(graph, builder) {}

std::optional<KernelBuilder::Built> KernelBuilder::run() {
  addHeader();
  for (const StructureOperator &op : kernel.operators)
    addOperator(op);
  if (!isStable)
    return std::nullopt;
  for (unsigned number = 0; number < kernel.results.size(); ++number)
    addResult(number);
  for (unsigned number = 0; number < kernel.results.size(); ++number)
    addScaleOf(number);
  return Built{std::move(graph), std::move(results)};
}

//===----------------------------------------------------------------------===//
// Extents and inputs
//===----------------------------------------------------------------------===//

static int findDimension(ArrayRef<NameId> layout, NameId name) {
  auto it = llvm::find(layout, name);
  return name == kNoName || it == layout.end()
             ? kReplicated
             : static_cast<int>(it - layout.begin());
}

void KernelBuilder::addHeader() {
  // Operands may have to be brought into another layout first.
  graph.reserve(plan.inputs.size(), 3 * kernel.operators.size());
  tensors.reserve(plan.inputs.size() + kernel.operators.size());
  graph.f32Products = program.graph.f32Products;
  graph.threads = tiling.threads;
  graph.loop = getLoop(kernel, extents, tiling);
  graph.stages = tiling.stages;
  llvm::append_range(graph.grid, getGrid(kernel, extents, tiling));
  for (const KernelTensor &input : plan.inputs)
    addInput(input);
  for (unsigned input = 0; input < kernel.inputs.size(); ++input) {
    std::optional<unsigned> scale = plan.inputs[input].scale;
    if (scale)
      tensors[input].scale =
          scaled.addScale(tensors[*scale].tile, splitNames[*scale]);
  }
  tensors.resize(kernel.inputs.size());
  splitNames.resize(kernel.inputs.size());
}

void KernelBuilder::addInput(const KernelTensor &input) {
  ArrayRef<NameId> layout = input.stored.layout;
  TensorSpec type{DimensionNames::getShape(layout, tiling.tile),
                  input.stored.element};
  TileInput map;
  for (NameId name : kernel.gridNames)
    map.gridMap.push_back(findDimension(layout, name));
  map.loopMap = findDimension(layout, kernel.loopName);
  unsigned number = graph.getNumInputs();
  bool isProgramInput =
      number < plan.sources.size() && !plan.sources[number].kernel;
  ValueId value = graph.addInput(
      type, isProgramInput
                ? program.graph.getInputName(plan.sources[number].number)
                : "");
  graph.tileInputs.push_back(map);
  tensors.push_back({{value, DimensionList(layout.begin(), layout.end())}});
  splitNames.push_back(toSet(layout) & toSet(kernel.gridNames));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

void KernelBuilder::addOperator(const StructureOperator &op) {
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

NameSet KernelBuilder::getJoinedNames(const StructureOperator &op) const {
  return op.gridAxis ? toSet(kernel.gridNames[*op.gridAxis]) : 0;
}

std::optional<ScaledTile> KernelBuilder::build(const StructureOperator &op,
                                               ArrayRef<ScaledTile> operands,
                                               NameSet varies) {
  Attributes attributes;
  attributes.scalars = op.scalars;
  switch (getOperatorInfo(op.opcode).kind) {
  case OperatorKind::Elementwise:
    if (program.isStripped && op.opcode == Opcode::Exp)
      return scaled.exponential(
          operands[0], toList(findNamesSummed() & operands[0].tile.getNames()),
          varies, mayStoreHidden());
    return scaled.elementwise(op.opcode, operands, attributes);
  case OperatorKind::Contraction:
    return scaled.matmul(round(op, operands, 0), round(op, operands, 1),
                         op.over, findNamesSummed());
  case OperatorKind::Reduction:
    if (op.opcode == Opcode::Variance)
      return buildVariance(operands[0], op.over);
    attributes.count = getCount(op.opcode, op.over);
    return scaled.reduce(op.opcode, operands[0], op.over, attributes);
  case OperatorKind::Accumulate:
    // A factor of the operand would be squared.
    if (op.reduction == Opcode::Variance && operands[0].scale)
      return std::nullopt;
    attributes.reduction = op.reduction;
    attributes.count = getCount(op.reduction, op.over);
    if (op.gridAxis)
      attributes.axis = static_cast<Axis>(*op.gridAxis);
    return scaled.accumulate(operands[0], op.over, attributes,
                             op.gridAxis ? kernel.gridNames[*op.gridAxis]
                                         : kNoName);
  case OperatorKind::Movement:
    return scaled.causalMask(operands[0], *op.mask,
                             getMaskAttributes(*op.mask));
  case OperatorKind::Copy:
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    break;
  }
  llvm_unreachable("structures have no such operators");
}

/// Whether all that a program gives has 16 bits or fewer.
static bool roundsItsResults(const Graph &program) {
  return llvm::all_of(program.getOutputs(), [&](ValueId output) {
    return getSizeBytes(program.getType(output).element) <= 2;
  });
}

/// The type in which an operand of a product may be, though it was computed in
/// f32: that in which the program stores an equal value; or, where the program
/// rounds its results as much, the other operand's for exponentials that are
/// relative to their row's maximum, the largest of which is 1. Other numbers
/// may be too large or too small for 16 bits.
std::optional<ElementType> KernelBuilder::findRounded(unsigned tensor,
                                                      const ScaledTile &operand,
                                                      ElementType other) const {
  const Node *computation = builder.findComputation(operand.tile);
  if (!computation)
    return std::nullopt;
  unsigned numInputs = kernel.inputs.size();
  if (tensor >= numInputs) {
    ElementType stored = kernel.operators[tensor - numInputs].stored;
    if (getSizeBytes(stored) == 2)
      return stored;
  }
  bool isRelative = operand.scale && computation->opcode == Opcode::Exp;
  return isRelative && roundsItsResults(program.graph)
             ? getTensorCoreElement(other, other, F32Products::Exact)
             : std::nullopt;
}

/// An operand of a product, rounded to the 16 bits that tensor cores take it in
/// then, where it may be; so they are twice as fast as with tf32.
ScaledTile KernelBuilder::round(const StructureOperator &op,
                                ArrayRef<ScaledTile> operands,
                                unsigned number) {
  ScaledTile operand = operands[number];
  ElementType other = graph.getType(operands[1 - number].tile.value).element;
  if (graph.getType(operand.tile.value).element != ElementType::F32)
    return operand;
  std::optional<ElementType> rounded =
      findRounded(op.operands[number], operand, other);
  if (rounded && (getTensorCoreElement(*rounded, other, F32Products::Exact) ||
                  findRounded(op.operands[1 - number], operands[1 - number],
                              *rounded) == rounded))
    operand.tile = builder.cast(operand.tile, *rounded);
  return operand;
}

/// Whether something is stored for later kernels of which a mask may hide all.
/// What accumulations join needs no care: a part of which nothing is seen adds
/// nothing.
bool KernelBuilder::mayStoreHidden() const {
  return !llvm::all_of(plan.isOutput, [](bool isOutput) { return isOutput; }) &&
         llvm::any_of(kernel.operators, [](const StructureOperator &op) {
           return op.mask.has_value();
         });
}

/// Names that are reduced in something that depends on the tensor that is built
/// next.
NameSet KernelBuilder::findNamesSummed() const {
  unsigned self = tensors.size(), number = kernel.inputs.size();
  llvm::SmallBitVector depends(number + kernel.operators.size());
  depends.set(self);
  NameSet summed = 0;
  for (const StructureOperator &op : kernel.operators) {
    if (llvm::any_of(op.operands, [&](unsigned t) { return depends[t]; })) {
      depends.set(number);
      summed |= op.over == kNoName ? 0 : toSet(op.over);
    }
    ++number;
  }
  return summed;
}

std::optional<ScaledTile>
KernelBuilder::buildVariance(const ScaledTile &operand, NameId over) {
  if (operand.scale)
    return std::nullopt;
  Attributes average;
  average.count = getCount(Opcode::Mean, over);
  auto mean = scaled.reduce(Opcode::Mean, operand, over, average);
  auto centred = scaled.elementwise(Opcode::Sub, {operand, *mean}, {});
  auto square = scaled.elementwise(Opcode::Square, {*centred}, {});
  return scaled.reduce(Opcode::Mean, *square, over, average);
}

/// The whole extent, for reductions that divide by it.
int64_t KernelBuilder::getCount(Opcode reduction, NameId over) const {
  bool averages = getOperatorInfo(reduction).averages();
  return averages && over != kNoName ? extents[over] : 0;
}

/// The axes that split a name, outermost first.
SmallVector<Axis, 2> KernelBuilder::getCuttingAxes(NameId name) const {
  SmallVector<Axis, 2> axes;
  if (name == kNoName)
    return axes;
  for (auto [axis, split] : llvm::enumerate(kernel.gridNames))
    if (split == name)
      axes.push_back(static_cast<Axis>(axis));
  if (kernel.loopName == name)
    axes.push_back(Axis::Loop);
  return axes;
}

Attributes KernelBuilder::getMaskAttributes(const CausalNames &mask) const {
  auto getSizes = [&](ArrayRef<int64_t> sizes) {
    Shape shape = DimensionNames::getShape({mask.rows, mask.columns}, sizes);
    return std::make_pair(shape[0], shape[1]);
  };
  Attributes attributes;
  attributes.offset = resizeCausalOffset(
      mask.offset, getSizes(program.names.extents), getSizes(extents));
  attributes.axes = getCuttingAxes(mask.rows);
  attributes.columnAxes = getCuttingAxes(mask.columns);
  return attributes;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The dimensions of what one block stores: of its own parts, it has one.
DimensionList KernelBuilder::getTileLayout(const StoredTensor &stored) const {
  DimensionList layout(stored.layout);
  for (NameId &name : layout)
    if (program.isPartOf(name, plan.position))
      name = kNoName;
  return layout;
}

void KernelBuilder::store(const NamedTile &tile, NameSet varies,
                          const StoredTensor &stored) {
  NamedTile arranged = builder.arrange(tile, getTileLayout(stored));
  TileOutput map;
  for (NameId name : kernel.gridNames) {
    int dim = findDimension(stored.layout, name);
    if (dim == kReplicated && contains(varies, name)) {
      dim = findDimension(stored.layout,
                          program.getPartName(plan.position, name));
      dim = dim == kReplicated ? kSummed : dim;
    }
    map.gridMap.push_back(dim);
  }
  graph.addOutput(arranged.value);
  graph.tileOutputs.push_back(map);
}

void KernelBuilder::addResult(unsigned number) {
  unsigned tensor = kernel.results[number];
  bool isOutput = plan.isOutput[number];
  results.push_back({plan.results[number].stored});
  store(isOutput ? scaled.unscale(tensors[tensor]) : tensors[tensor].tile,
        splitNames[tensor], results.back().stored);
}

/// Stores what a result is relative to, once for all results that share it.
void KernelBuilder::addScaleOf(unsigned number) {
  std::optional<unsigned> scale = tensors[kernel.results[number]].scale;
  if (!scale || plan.isOutput[number])
    return;
  auto [entry, isNew] = storedScales.try_emplace(*scale, results.size());
  results[number].scale = entry->second;
  if (!isNew)
    return;
  const NamedTile &tile = scaled.getScale(*scale);
  NameSet varies = scaled.getVaryingNames(*scale);
  NameSet names = tile.getNames();
  for (NameId name : toList(varies & ~names))
    names |= toSet(program.getPartName(plan.position, name));
  results.push_back({{program.getLayout(names), ElementType::F32}});
  store(tile, varies, results.back().stored);
}
