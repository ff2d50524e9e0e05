//===- SmallerSizes.cpp - The same graphs with small dimensions -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/SmallerSizes.h"
#include "MaskOffsets.h"
#include "SizeNames.h"
#include "SplitPair.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <set>

using namespace mlir::mirage;

namespace {
/// A small size for every name. Axes get 2 blocks or iterations each.
class SizePlan {
public:
  /// \param factors  of both graphs.
  /// \param alike    names whose sizes enter no value, and may be one.
  SizePlan(const SizeNames &names, const std::set<double> &factors,
           std::set<int> alike = {})
      : names(names), alike(std::move(alike)) {
    for (double factor : factors)
      if (auto found = match(factor))
        powersOfTwo.insert(found->first);
  }

  llvm::Error run();
  int64_t get(int name) const {
    return name == SizeNames::kNone ? 1 : sizes[name];
  }
  static constexpr int64_t kExtent = 2;
  /// Beyond this, different powers of two are no smaller sizes any more.
  static constexpr int64_t kLargest = 1 << 16;

  /// The size that a factor is a function of, and which function.
  enum class Form { Size, Inverse, Root, InverseRoot };
  std::optional<std::pair<int, Form>> match(double factor) const;
  /// The names that tiles of a name are cut out of, itself among them.
  llvm::SmallVector<int> getWholes(int name) const;
  /// The factor for the small sizes.
  double getFactor(double factor) const;

private:
  using Cut = SizeNames::Cut;

  bool isExact(const Cut &cut) const;
  int64_t getBlocks(const Cut &cut) const {
    return int64_t(1) << cut.axes.size();
  }
  int64_t getMultiple(int name) const;
  bool isReady(int name) const;
  std::optional<int64_t> getForced(int name) const;
  int64_t choose(int name) const;
  bool spread(int name);
  void assignFixed();
  static double apply(Form form, double size);
  const SizeNames &names;
  std::vector<int64_t> sizes; ///< by name, 0 before it is chosen
  std::set<int64_t> used;     ///< by names that are not alike
  std::set<int> alike;
  /// Names whose sizes literals are functions of.
  std::set<int> powersOfTwo;
};
} // namespace

bool SizePlan::isExact(const Cut &cut) const {
  int64_t covered = cut.part == SizeNames::kNone ? 1 : names.getSize(cut.part);
  for (int axis : cut.axes)
    covered *= names.getExtent(axis);
  return cut.whole != SizeNames::kNone && covered == names.getSize(cut.whole);
}

llvm::SmallVector<int> SizePlan::getWholes(int name) const {
  llvm::SmallVector<int> wholes = {names.resolve(name)};
  for (unsigned i = 0; i < wholes.size(); ++i)
    for (const Cut &cut : names.getCuts())
      if (cut.part != SizeNames::kNone && cut.whole != SizeNames::kNone &&
          names.resolve(cut.part) == wholes[i] &&
          !llvm::is_contained(wholes, names.resolve(cut.whole)))
        wholes.push_back(names.resolve(cut.whole));
  return wholes;
}

/// What the size must be a multiple of for all even cuts to stay even.
int64_t SizePlan::getMultiple(int name) const {
  int64_t multiple = 1;
  for (const Cut &cut : names.getCuts())
    if (names.resolve(cut.whole) == name && isExact(cut)) {
      int64_t inner = cut.part == SizeNames::kNone
                          ? 1
                          : getMultiple(names.resolve(cut.part));
      multiple = std::max(multiple, getBlocks(cut) * inner);
    }
  return multiple;
}

/// Whether nothing that is still open decides the size.
bool SizePlan::isReady(int name) const {
  return llvm::none_of(names.getCuts(), [&](const Cut &cut) {
    int whole = names.resolve(cut.whole);
    return names.resolve(cut.part) == name && whole != SizeNames::kNone &&
           whole != name && sizes[whole] == 0;
  });
}

/// The size that tiles ask for which have one already, as they are cut out of
/// something else too.
std::optional<int64_t> SizePlan::getForced(int name) const {
  for (const Cut &cut : names.getCuts()) {
    if (names.resolve(cut.whole) != name)
      continue;
    // Tiles of one element leave no choice either.
    if (cut.part == SizeNames::kNone && isExact(cut))
      return getBlocks(cut);
    if (cut.part != SizeNames::kNone && sizes[names.resolve(cut.part)] != 0)
      return sizes[names.resolve(cut.part)] * getBlocks(cut) - !isExact(cut);
  }
  return std::nullopt;
}

/// A size that no other name has, if there is a choice; but those that are
/// alike.
int64_t SizePlan::choose(int name) const {
  if (std::optional<int64_t> forced = getForced(name))
    return *forced;
  int64_t multiple = getMultiple(name);
  int64_t smallest = std::max<int64_t>(2 * multiple, alike.count(name) ? 2 : 3);
  for (const Cut &cut : names.getCuts())
    if (names.resolve(cut.whole) == name)
      smallest = std::max(smallest, 2 * getBlocks(cut) - 1);
  // A multiple is a power of two.
  if (powersOfTwo.count(name)) {
    int64_t size = llvm::PowerOf2Ceil(smallest);
    while (used.count(size) && size < kLargest)
      size *= 2;
    return size;
  }
  int64_t size = llvm::alignTo(smallest, multiple);
  while (used.count(size))
    size += multiple;
  return size;
}

/// Gives tiles their sizes. \returns false if two cuts want different ones.
bool SizePlan::spread(int name) {
  for (const Cut &cut : names.getCuts()) {
    if (names.resolve(cut.whole) != name || cut.part == SizeNames::kNone)
      continue;
    int part = names.resolve(cut.part);
    int64_t size = sizes[name] / getBlocks(cut) + !isExact(cut);
    if (sizes[part] != 0 && sizes[part] != size)
      return false;
    sizes[part] = size;
  }
  return true;
}

/// Sizes that nothing is chosen about.
void SizePlan::assignFixed() {
  sizes.assign(names.getNumNames(), 0);
  for (int name : names.getFixed()) {
    sizes[names.resolve(name)] = names.getSize(name);
    used.insert(names.getSize(name));
  }
  // Tiles that are larger than a tensor of size 1.
  for (const Cut &cut : names.getCuts())
    if (cut.whole == SizeNames::kNone)
      sizes[names.resolve(cut.part)] = 2;
}

llvm::Error SizePlan::run() {
  assignFixed();
  bool progress = true;
  while (progress) {
    progress = false;
    for (int name = 0; name < static_cast<int>(sizes.size()); ++name) {
      if (names.resolve(name) != name || !isReady(name))
        continue;
      if (sizes[name] == 0) {
        sizes[name] = choose(name);
        if (!alike.count(name))
          used.insert(sizes[name]);
        progress = true;
      }
      if (!spread(name))
        return llvm::createStringError(
            "one tile is cut out of dimensions that cannot have one small "
            "size");
    }
  }
  for (int name = 0; name < static_cast<int>(sizes.size()); ++name)
    sizes[name] = sizes[names.resolve(name)];
  if (!llvm::all_of(sizes, [](int64_t size) { return size > 0; }))
    return llvm::createStringError("tiles are cut out of each other");
  return llvm::Error::success();
}

double SizePlan::apply(Form form, double size) {
  switch (form) {
  case Form::Size:
    return size;
  case Form::Inverse:
    return 1 / size;
  case Form::Root:
    return std::sqrt(size);
  case Form::InverseRoot:
    return 1 / std::sqrt(size);
  }
  return size;
}

/// Whether a literal stands for a number: as near as six digits, or what was
/// computed in f32, are; or exactly what a narrower format makes of it. An
/// infinity stands for none, though f16 has no other number for 65536.
static bool standsFor(double literal, double exact) {
  if (!std::isfinite(literal))
    return literal == exact;
  if (std::fabs(literal - exact) <= 0x1p-20 * exact)
    return true;
  for (const llvm::fltSemantics *format :
       {&llvm::APFloat::IEEEhalf(), &llvm::APFloat::BFloat()}) {
    llvm::APFloat rounded(exact);
    bool losesInfo;
    rounded.convert(*format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    rounded.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    if (rounded.convertToDouble() == literal)
      return true;
  }
  return false;
}

std::optional<std::pair<int, SizePlan::Form>>
SizePlan::match(double factor) const {
  for (int name = 0; name < static_cast<int>(names.getNumNames()); ++name)
    for (Form form :
         {Form::Size, Form::Inverse, Form::Root, Form::InverseRoot}) {
      double expected = apply(form, names.getSize(name));
      if (names.resolve(name) == name && names.getSize(name) >= 8 &&
          standsFor(std::fabs(factor), expected))
        return std::make_pair(name, form);
    }
  return std::nullopt;
}

double SizePlan::getFactor(double factor) const {
  auto found = match(factor);
  if (!found)
    return factor;
  return std::copysign(apply(found->second, get(found->first)), factor);
}

namespace {
/// Builds a graph again with the sizes of a plan.
class Rebuilder {
public:
  Rebuilder(const SizeNames &names, const SizePlan &plan)
      : names(names), plan(plan) {}

  llvm::Expected<Graph> rebuild(unsigned number) {
    Graph result;
    if (llvm::Error error = fill(number, result))
      return std::move(error);
    return result;
  }

  /// Of all that was rebuilt.
  const MaskOffsets &getMaskOffsets() const { return maskOffsets; }

private:
  llvm::Error fill(unsigned number, Graph &result) {
    const Graph &graph = names.getGraph(number);
    auto getShape = [&](ValueId value) {
      Shape shape = graph.getType(value).shape;
      for (auto [dim, size] : llvm::enumerate(shape))
        size = plan.get(names.getName(number, value, dim));
      return shape;
    };
    auto getAttributes = [&](const Node &node) {
      return resizeAttributes(number, node);
    };
    auto getBody = [&](unsigned index) {
      return rebuildTiles(names.getNested(number, index),
                          *graph.getNodes()[index].body);
    };
    return resizeInto(graph, result, {getShape, getAttributes, getBody});
  }

  llvm::Expected<std::shared_ptr<const TileGraph>>
  rebuildTiles(unsigned number, const TileGraph &tiles) {
    auto result = std::make_shared<TileGraph>();
    result->level = tiles.level;
    result->threads = tiles.threads;
    result->tileInputs = tiles.tileInputs;
    result->tileOutputs = tiles.tileOutputs;
    for (int64_t extent : tiles.grid)
      result->grid.push_back(extent > 1 ? SizePlan::kExtent : 1);
    result->loop = tiles.loop > 1 ? SizePlan::kExtent : 1;
    if (llvm::Error error = fill(number, *result))
      return std::move(error);
    return result;
  }

  llvm::Expected<Attributes> resizeAttributes(unsigned number,
                                              const Node &node) {
    Attributes attributes = node.attributes;
    if (node.opcode == Opcode::Mask) {
      if (llvm::Error error = resizeExtent(number, node, attributes))
        return std::move(error);
      return attributes;
    }
    if (node.opcode == Opcode::CausalMask) {
      if (llvm::Error error = resizeOffset(number, node, attributes))
        return std::move(error);
      return attributes;
    }
    for (double &scalar : attributes.scalars)
      scalar = plan.getFactor(scalar);
    if (attributes.count)
      if (llvm::Error error = resizeCount(number, node, attributes))
        return std::move(error);
    return attributes;
  }

  llvm::Error resizeExtent(unsigned number, const Node &node,
                           Attributes &attributes) {
    int name = names.getName(number, node.operands[0], attributes.dims[0]);
    if (name != SizeNames::kNone)
      for (int whole : plan.getWholes(name))
        if (names.getSize(whole) == attributes.extent) {
          attributes.extent = plan.get(whole);
          return llvm::Error::success();
        }
    return llvm::createStringError(
        "a mask's extent of " + llvm::Twine(attributes.extent) +
        " is the size of no dimension that its tiles are cut out of");
  }

  WholeSizes getWholeSizes(unsigned number, ValueId value, unsigned dim) {
    int name = names.getName(number, value, dim);
    if (name == SizeNames::kNone)
      return {{1, 1}};
    WholeSizes sizes;
    for (int whole : plan.getWholes(name))
      sizes.push_back({names.getSize(whole), plan.get(whole)});
    return sizes;
  }

  llvm::Error resizeOffset(unsigned number, const Node &node,
                           Attributes &attributes) {
    ValueId operand = node.operands[0];
    unsigned columns = names.getGraph(number).getType(operand).shape.size() - 1;
    llvm::Expected<int64_t> offset = maskOffsets.resize(
        attributes.offset, getWholeSizes(number, operand, columns - 1),
        getWholeSizes(number, operand, columns));
    if (!offset)
      return offset.takeError();
    attributes.offset = *offset;
    return llvm::Error::success();
  }

  /// A count is the product of the sizes of what is averaged.
  llvm::Error resizeCount(unsigned number, const Node &node,
                          Attributes &attributes) {
    std::vector<std::pair<int64_t, int64_t>> products = {{1, 1}};
    for (int64_t dim : attributes.dims) {
      int name = names.getName(number, node.operands[0], dim);
      if (name == SizeNames::kNone)
        continue;
      std::vector<std::pair<int64_t, int64_t>> longer;
      for (auto [before, after] : products)
        for (int whole : plan.getWholes(name))
          longer.push_back(
              {before * names.getSize(whole), after * plan.get(whole)});
      products = std::move(longer);
    }
    if (int axis = node.opcode == Opcode::Accumulate
                       ? names.getAxis(number, attributes.axis)
                       : SizeNames::kNone;
        axis != SizeNames::kNone)
      for (size_t i = products.size(); i-- > 0;)
        products.push_back({products[i].first * names.getExtent(axis),
                            products[i].second * SizePlan::kExtent});
    for (auto [before, after] : products)
      if (before == attributes.count) {
        attributes.count = after;
        return llvm::Error::success();
      }
    return llvm::createStringError(
        "a count of " + llvm::Twine(attributes.count) +
        " is not the number of elements that are averaged");
  }

  const SizeNames &names;
  const SizePlan &plan;
  MaskOffsets maskOffsets;
};
} // namespace

static void forEachLiteral(const Graph &graph,
                           llvm::function_ref<void(double)> visit) {
  for (const Node &node : graph.getNodes()) {
    if (node.body)
      forEachLiteral(*node.body, visit);
    else if (node.opcode != Opcode::Mask)
      llvm::for_each(node.attributes.scalars, visit);
  }
}

/// Sizes that values depend on, and that tiles force to be one here, are not to
/// be told apart by a literal that stands for one of them.
static llvm::Error checkSizesOfLiterals(const std::set<double> &literals,
                                        const SizeNames &names,
                                        const SizePlan &plan) {
  std::set<int> counted;
  for (int name : names.findReduced())
    for (int whole : plan.getWholes(name))
      counted.insert(whole);
  for (double literal : literals)
    if (auto found = plan.match(literal))
      for (int name : counted)
        if (names.getSize(name) != names.getSize(found->first) &&
            plan.get(name) == plan.get(found->first))
          return llvm::createStringError(llvm::formatv(
              "a literal is a function of a dimension of {0}, which would be "
              "as large as one of {1}",
              names.getSize(found->first), names.getSize(name)));
  return llvm::Error::success();
}

/// What two different literals become must differ as well, or graphs that
/// differ in them would be one; also if both stand for one number, as bf16
/// rounds 4097 to 4096.
static llvm::Error checkLiterals(const std::set<double> &literals,
                                 const SizePlan &plan) {
  std::map<double, double> originals;
  for (double literal : literals) {
    auto [entry, isNew] =
        originals.try_emplace(plan.getFactor(literal), literal);
    if (!isNew)
      return llvm::createStringError(
          llvm::formatv("the literals {0} and {1} would be one, {2}",
                        entry->second, literal, entry->first));
  }
  return llvm::Error::success();
}

/// Elements of the largest value.
static uint64_t countMostElements(const SizeNames &names, const SizePlan &plan,
                                  unsigned number) {
  const Graph &graph = names.getGraph(number);
  uint64_t most = 0;
  for (ValueId value = 0; value < graph.getNumValues(); ++value) {
    uint64_t count = 1;
    for (unsigned dim = 0; dim < graph.getType(value).shape.size(); ++dim)
      count = llvm::SaturatingMultiply<uint64_t>(
          count, plan.get(names.getName(number, value, dim)));
    most = std::max(most, count);
  }
  return most;
}

/// Different sizes of very many dimensions make large tensors again. No value
/// depends on how many elements there are along a dimension that nothing is
/// reduced over, so that such dimensions may be alike.
static llvm::Expected<SizePlan> planSizes(const SizeNames &names, unsigned left,
                                          unsigned right,
                                          const std::set<double> &literals) {
  constexpr uint64_t kManyElements = 1 << 14;
  SizePlan plan(names, literals);
  if (llvm::Error error = plan.run())
    return std::move(error);
  if (std::max(countMostElements(names, plan, left),
               countMostElements(names, plan, right)) <= kManyElements)
    return plan;
  std::set<int> distinct, alike;
  for (int name : names.findReduced())
    for (int whole : plan.getWholes(name))
      distinct.insert(whole);
  for (int name = 0; name < static_cast<int>(names.getNumNames()); ++name)
    if (names.resolve(name) == name && !distinct.count(name))
      alike.insert(name);
  SizePlan smaller(names, literals, std::move(alike));
  if (llvm::Error error = smaller.run())
    return std::move(error);
  return smaller;
}

/// Of graphs whose reshapes keep dimensions whole.
static llvm::Expected<SmallerGraphs> shrink(const Graph &lhs,
                                            const Graph &rhs) {
  SizeNames names;
  llvm::Expected<unsigned> left = names.addGraph(lhs);
  if (!left)
    return left.takeError();
  llvm::Expected<unsigned> right = names.addGraph(rhs);
  if (!right)
    return right.takeError();
  names.unifyInterfaces(*left, *right);
  std::set<double> literals;
  for (const Graph *graph : {&lhs, &rhs})
    forEachLiteral(*graph, [&](double literal) { literals.insert(literal); });
  llvm::Expected<SizePlan> plan = planSizes(names, *left, *right, literals);
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = checkLiterals(literals, *plan))
    return std::move(error);
  if (llvm::Error error = checkSizesOfLiterals(literals, names, *plan))
    return std::move(error);
  Rebuilder rebuilder(names, *plan);
  llvm::Expected<Graph> small = rebuilder.rebuild(*left);
  if (!small)
    return small.takeError();
  llvm::Expected<Graph> other = rebuilder.rebuild(*right);
  if (!other)
    return other.takeError();
  auto offsets = rebuilder.getMaskOffsets().getOthers();
  if (!offsets)
    return offsets.takeError();
  for (const Graph *graph : {&*small, &*other})
    if (llvm::Error error = verify(*graph))
      return std::move(error);
  SmallerGraphs result{std::move(*small), std::move(*other)};
  for (double literal : literals)
    if (double smaller = plan->getFactor(literal); smaller != literal)
      result.replaced.literals[literal] = smaller;
  result.replaced.maskOffsets = std::move(*offsets);
  return result;
}

llvm::Expected<SmallerGraphs> mlir::mirage::withSmallerSizes(const Graph &lhs,
                                                             const Graph &rhs) {
  llvm::Expected<SplitPair> pair = SplitPair::make(lhs, rhs);
  if (!pair)
    return pair.takeError();
  llvm::Expected<SmallerGraphs> small = shrink(pair->getLhs(), pair->getRhs());
  if (!small)
    return small;
  small->lhs = pair->joinDimensions(small->lhs);
  small->rhs = pair->joinDimensions(small->rhs);
  return small;
}
