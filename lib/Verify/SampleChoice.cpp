//===- SampleChoice.cpp - Which elements are worth a look -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleChoice.h"
#include "InputElements.h"
#include "TrialMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;
using llvm::ArrayRef;

void TileSizes::addCuts(ArrayRef<int64_t> whole, ArrayRef<int64_t> tile) {
  for (auto [size, part] : llvm::zip_equal(whole, tile))
    if (part < size)
      tiles[size].insert(part);
}

void TileSizes::add(const Graph &graph) {
  for (const Node &node : graph.getNodes()) {
    const TileGraph *body = node.body.get();
    if (!body)
      continue;
    for (auto [input, operand] : llvm::enumerate(node.operands))
      addCuts(graph.getType(operand).shape, body->getType(input).shape);
    for (auto [output, result] :
         llvm::zip_equal(body->getOutputs(), node.results))
      addCuts(graph.getType(result).shape, body->getType(output).shape);
    add(*body);
  }
}

std::set<int64_t> TileSizes::get(int64_t size) const {
  std::set<int64_t> found;
  auto own = tiles.find(size);
  if (own == tiles.end())
    return found;
  for (int64_t tile : own->second) {
    found.insert(tile);
    found.merge(get(tile));
  }
  return found;
}

/// What is drawn needs not be exactly uniform.
static int64_t drawBelow(int64_t bound, RandomStream &random) {
  uint64_t bits = (uint64_t(random.next()) << 32) | random.next();
  return static_cast<int64_t>(bits % static_cast<uint64_t>(bound));
}

/// The first, the last and others, so many in all.
static IndexSet drawWithEnds(int64_t size, int64_t count,
                             RandomStream &random) {
  if (count >= size)
    return IndexSet::all(size);
  std::set<int64_t> indices = {0, size - 1};
  while (static_cast<int64_t>(indices.size()) < count)
    indices.insert(drawBelow(size, random));
  return IndexSet::fromIndices(llvm::to_vector(indices));
}

namespace {
/// Collects indices of one window.
class WindowDraw {
public:
  WindowDraw(int64_t begin, int64_t end) : begin(begin), end(end) {}

  void addEdges(int64_t tile) {
    // Where tiles begin, the first two times and the last; and where they do if
    // they are counted from the window's own beginning.
    int64_t first = llvm::divideCeil(begin, tile) * tile;
    int64_t last = (end - 1) / tile * tile;
    for (int64_t edge : {first, first + tile, last, begin + tile})
      for (int64_t index : {edge - 1, edge})
        if (begin <= index && index < end)
          indices.push_back(index);
  }

  void addRandom(unsigned count, RandomStream &random) {
    for (unsigned i = 0; i < count; ++i)
      indices.push_back(begin + drawBelow(end - begin, random));
  }

  void addEnds() {
    indices.push_back(begin);
    indices.push_back(end - 1);
  }

  ArrayRef<int64_t> getIndices() const { return indices; }

private:
  int64_t begin, end;
  std::vector<int64_t> indices;
};
} // namespace

IndexSet mlir::mirage::drawIndices(int64_t size, const std::set<int64_t> &tiles,
                                   unsigned numWindows, RandomStream &random) {
  if (numWindows == 0)
    return IndexSet::fromIndices({size - 1});
  constexpr unsigned kUncut = 8; ///< for a window, of what nobody cuts
  if (tiles.empty())
    return drawWithEnds(size, kUncut * numWindows, random);
  int64_t largest = *tiles.rbegin();
  std::vector<int64_t> indices;
  IndexSet windows =
      drawWithEnds(llvm::divideCeil(size, largest), numWindows, random);
  for (int64_t place = 0; place < windows.size(); ++place) {
    int64_t begin = windows[place] * largest;
    WindowDraw draw(begin, std::min(begin + largest, size));
    draw.addEnds();
    for (int64_t tile : tiles)
      draw.addEdges(tile);
    draw.addRandom(2 * numWindows, random);
    llvm::append_range(indices, draw.getIndices());
  }
  return IndexSet::fromIndices(indices);
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// Dimensions of one size get the same indices in all outputs, since a block
/// often writes several of them; but the rows of a square others than its
/// columns.
static std::vector<Region> drawOutputs(const Graph &graph,
                                       const TileSizes &tiles,
                                       unsigned numWindows, const Seed &seed) {
  std::vector<Region> outputs;
  for (ValueId output : graph.getOutputs()) {
    std::map<int64_t, unsigned> numSeen;
    Region &region = outputs.emplace_back();
    for (int64_t size : graph.getType(output).shape) {
      Seed own = deriveSeed(seed, "dimension", size);
      RandomStream random(deriveSeed(own, "occurrence", numSeen[size]++));
      region.push_back(drawIndices(size, tiles.get(size), numWindows, random));
    }
  }
  return outputs;
}

/// How many random numbers the inputs of a sample take: an element takes those
/// of its run.
static double countDrawn(const Graph &graph, const Sample &sample) {
  constexpr int64_t kRun = InputElements::kRun;
  double drawn = 0;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    const Region &region = sample.regions[input];
    if (region.empty())
      continue;
    std::vector<IndexSet::Range> runs; ///< that a row has some of
    for (const IndexSet::Run &run : region.back().runs())
      runs.emplace_back(run.begin / kRun, (run.end - 1) / kRun + 1);
    double count = IndexSet::fromRanges(std::move(runs)).size() * double(kRun);
    for (const IndexSet &set : ArrayRef(region).drop_back())
      count *= double(set.size());
    drawn += std::min(count, double(graph.getType(input).getNumElements()));
  }
  return drawn;
}

static double countTrialWork(const Graph &graph, const Sample &sample) {
  constexpr double kOfDrawing = 4; // in multiply-adds
  return countWork(graph, sample) + kOfDrawing * countDrawn(graph, sample);
}

std::optional<TrialSample>
mlir::mirage::drawSample(const Graph &lhs, const Graph &rhs, unsigned height,
                         const Seed &seed, const SampleLimits &limits) {
  TileSizes tiles;
  tiles.add(lhs);
  tiles.add(rhs);
  for (unsigned numWindows : {64, 48, 32, 24, 16, 12, 8, 6, 5, 4, 3, 2, 0}) {
    TrialSample sample;
    sample.outputs = drawOutputs(lhs, tiles, numWindows, seed);
    sample.lhs = findSample(lhs, sample.outputs);
    sample.rhs = findSample(rhs, sample.outputs);
    sample.work = std::max(countTrialWork(lhs, sample.lhs),
                           countTrialWork(rhs, sample.rhs));
    double bytes =
        std::max(estimateSampleBytes(lhs, sample.lhs, height, /*words=*/1),
                 estimateSampleBytes(rhs, sample.rhs, height, /*words=*/1));
    if (bytes > limits.bytes)
      continue;
    // The ends of all dimensions are worth more than is meant to be done.
    double most = numWindows > 2 ? limits.work : limits.mostWork;
    if (sample.work <= most || numWindows == 0)
      return sample;
  }
  return std::nullopt;
}
