//===- SampledEvaluation.cpp - Some elements of every value ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation of a kernel graph is carried out on tensors of what it needs of
// its operands, by the same code that takes them as a whole. Only where indices
// count do true ones have to be known: in masks, in reshapes, and where tiles
// begin.
//
//===----------------------------------------------------------------------===//

#include "GraphEvaluator.h"
#include "TileCopies.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <array>
#include <cstring>

using namespace mlir::mirage;
using llvm::ArrayRef;

/// Offsets of elements along one dimension, or several that go together.
using OffsetTable = std::vector<size_t>;

/// Copies the elements of a product of tables, the last one fastest, whose
/// offsets are the sums of their tables'.
static void gather(uint32_t *to, const uint32_t *from,
                   ArrayRef<OffsetTable> tables, unsigned words) {
  // What lies side by side is copied at once.
  struct Piece {
    size_t first, count;
  };
  std::vector<Piece> pieces;
  for (size_t offset : tables.back())
    if (!pieces.empty() && pieces.back().first + pieces.back().count == offset)
      ++pieces.back().count;
    else
      pieces.push_back({offset, 1});
  Shape outer;
  for (const OffsetTable &table : tables.drop_back())
    outer.push_back(table.size());
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    size_t offset = 0;
    for (auto [table, place] : llvm::zip(tables, index))
      offset += table[place];
    for (auto [first, count] : pieces) {
      std::memcpy(to, from + (offset + first) * words,
                  count * words * sizeof(uint32_t));
      to += count * words;
    }
  });
}

void GraphEvaluator::narrow(uint32_t *result, const uint32_t *elements,
                            ArrayRef<IndexSet> kept,
                            ArrayRef<IndexSet> needed) const {
  Strides strides = getRowMajorStrides(getShape(kept));
  std::vector<OffsetTable> tables(kept.size());
  for (auto [table, there, wanted, stride] :
       llvm::zip_equal(tables, kept, needed, strides))
    for (const IndexSet::Run &run : wanted.runs()) {
      size_t place = there.findPlace(run.begin);
      for (int64_t index = run.begin; index < run.end; ++index)
        table.push_back(place++ * stride);
    }
  gather(result, elements, tables, words);
}

/// Where the elements of a reshape's result are in its operand, of which
/// `needed` is there, along the dimensions of one group.
/// \param inner  how many elements of the operand lie behind the group.
static OffsetTable tabulateGroup(ArrayRef<IndexSet> result,
                                 ArrayRef<int64_t> to,
                                 ArrayRef<IndexSet> needed,
                                 ArrayRef<int64_t> from, size_t inner) {
  Strides strides = getRowMajorStrides(to);
  Strides places = getRowMajorStrides(getShape(needed));
  OffsetTable table;
  forEachIndex(getShape(result), [&](ArrayRef<int64_t> index) {
    int64_t number = 0, offset = 0;
    for (auto [dim, place] : llvm::enumerate(index))
      number += result[dim][place] * strides[dim];
    for (size_t dim = from.size(); dim-- > 0; number /= from[dim])
      offset += needed[dim].findPlace(number % from[dim]) * places[dim];
    table.push_back(offset * inner);
  });
  return table;
}

void GraphEvaluator::reshapeNeeded(uint32_t *result, const uint32_t *elements,
                                   const Graph &graph, const Sample &sample,
                                   unsigned number) const {
  const Node &node = graph.getNodes()[number];
  ArrayRef<int64_t> from = graph.getType(node.operands[0]).shape;
  ArrayRef<int64_t> to = graph.getType(node.results[0]).shape;
  ArrayRef<IndexSet> needed = sample.operations[number].operands[0];
  ArrayRef<IndexSet> kept = sample.regions[node.results[0]];
  std::vector<OffsetTable> tables;
  for (auto [fromBegin, fromEnd, toBegin, toEnd] : groupReshape(from, to)) {
    auto ofResult = [&, begin = toBegin, end = toEnd](auto list) {
      return list.slice(begin, end - begin);
    };
    auto ofOperand = [&, begin = fromBegin, end = fromEnd](auto list) {
      return list.slice(begin, end - begin);
    };
    size_t inner = countElements(getShape(needed.drop_front(fromEnd)));
    tables.push_back(tabulateGroup(ofResult(kept), ofResult(to),
                                   ofOperand(needed), ofOperand(from), inner));
  }
  gather(result, elements, tables, words);
}

namespace {
/// Reads parts of an input in ascending order, each run of elements
/// (InputElements.h) once.
class AscendingReader {
public:
  AscendingReader(const InputElements &inputs, unsigned input,
                  size_t numElements)
      : inputs(inputs), input(input), numElements(numElements) {}

  void read(size_t first, llvm::MutableArrayRef<uint32_t> elements) {
    while (!elements.empty()) {
      size_t begin = first / kRun * kRun, skipped = first - begin;
      size_t length = std::min(kRun, numElements - begin);
      size_t count = std::min(elements.size(), length - skipped);
      if (begin != runBegin) {
        inputs.read(input, begin,
                    llvm::MutableArrayRef(run).take_front(length));
        runBegin = begin;
      }
      std::copy_n(run.begin() + skipped, count, elements.begin());
      elements = elements.drop_front(count);
      first += count;
    }
  }

private:
  static constexpr size_t kRun = InputElements::kRun;
  const InputElements &inputs;
  unsigned input;
  size_t numElements;
  size_t runBegin = ~size_t(0);
  std::array<uint32_t, kRun> run;
};
} // namespace

void GraphEvaluator::readNeeded(Frame &frame, ValueId input) {
  const Region &region = frame.sample->regions[input];
  const Shape &shape = frame.graph.getType(input).shape;
  uint32_t *to = allocate(frame, input);
  notePeak();
  if (const uint32_t *all = frame.inputs->getAll(input))
    return narrow(to, all, makeWholeRegion(shape), region);
  // What is not of a field, and has more words, is read as it is needed: only
  // field elements cost as much as all of their run.
  AscendingReader reader(*frame.inputs, input, countElements(shape));
  Strides strides = getRowMajorStrides(shape);
  Shape outer = getShape(ArrayRef(region).drop_back());
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    size_t offset = 0;
    for (auto [dim, place] : llvm::enumerate(index))
      offset += region[dim][place] * strides[dim];
    for (const IndexSet::Run &run : region.back().runs()) {
      size_t count = run.end - run.begin;
      llvm::MutableArrayRef<uint32_t> elements(to, count * words);
      if (words == 1)
        reader.read(offset + run.begin, elements);
      else
        frame.inputs->read(input, offset + run.begin, elements);
      to += elements.size();
    }
  });
}

/// A graph of one operation of another one, on tensors of what it needs.
static Graph makeNeeded(const Graph &graph, const Sample &sample,
                        unsigned number) {
  const Node &node = graph.getNodes()[number];
  Graph needed;
  for (const TensorSpec &type : sample.getReadTypes(graph, number))
    needed.addInput(type);
  auto operands = llvm::to_vector(llvm::seq<ValueId>(needed.getNumInputs()));
  ValueId result = needed.addCopy(node, operands,
                                  sample.getKeptType(graph, node.results[0]));
  needed.addOutput(result);
  return needed;
}

/// \param needed  the operation alone, on what it needs.
void GraphEvaluator::evaluateOnNeeded(Frame &needed, const Frame &whole,
                                      unsigned number) {
  const Node &node = needed.graph.getNodes()[0];
  ValueId result = node.results[0];
  switch (node.opcode) {
  case Opcode::Slice:
    return share(needed, result, 0);
  case Opcode::Reshape:
    return reshapeNeeded(allocate(needed, result), needed.values[0],
                         whole.graph, *whole.sample, number);
  case Opcode::CausalMask:
    return maskNeeded(needed,
                      whole.sample->operations[number].operands.front());
  default:
    return evaluateOperation(needed, node);
  }
}

void GraphEvaluator::maskNeeded(Frame &needed, ArrayRef<IndexSet> region) {
  const Node &node = needed.graph.getNodes()[0];
  ValueId result = node.results[0];
  const IndexSet &rows = region[region.size() - 2], &columns = region.back();
  size_t matrices = countElements(getShape(region.drop_back(2)));
  uint32_t *elements = allocate(needed, result);
  std::memcpy(elements, needed.values[node.operands[0]],
              countWords(needed, result) * sizeof(uint32_t));
  hideColumns(
      elements, matrices, rows.size(), columns.size(), [&](int64_t row) {
        return columns.findPlace(rows[row] + node.attributes.offset + 1);
      });
}

void GraphEvaluator::evaluateSampled(Frame &frame, unsigned number) {
  const Node &node = frame.graph.getNodes()[number];
  const Sample::Operation &operation = frame.sample->operations[number];
  if (node.body)
    return evaluateGraph(frame, node, operation.blocks);
  Graph needed = makeNeeded(frame.graph, *frame.sample, number);
  Frame inner{needed, nullptr, 1};
  inner.values.resize(needed.getNumValues());
  inner.owners.resize(needed.getNumValues());
  ValueId next = 0;
  for (auto [value, region] :
       llvm::zip_equal(node.operands, operation.operands)) {
    if (region.empty())
      continue;
    ValueId operand = next++;
    const Region &kept = frame.sample->regions[value];
    if (kept == region) {
      inner.values[operand] = frame.values[value];
      inner.owners[operand] = frame.owners[value];
    } else {
      narrow(allocate(inner, operand), frame.values[value], kept, region);
    }
  }
  evaluateOnNeeded(inner, frame, number);
  ValueId result = needed.getOutputs()[0];
  frame.values[node.results[0]] = inner.values[result];
  frame.owners[node.results[0]] = std::move(inner.owners[result]);
}
