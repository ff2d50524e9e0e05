//===- SizePlan.cpp - A small size for each dimension ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizePlan.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <map>
#include <numeric>

using namespace mlir::mirage;

SizePlan::SizePlan(const SizeNames &names, const SizeRules &rules,
                   std::set<int> alike)
    : names(names), rules(rules), alike(std::move(alike)),
      followed(names.getNumAxes(), SizeNames::kNone) {
  for (double factor : rules.factors)
    if (auto found = match(factor))
      powersOfTwo.insert(found->first);
    else
      avoid(factor);
  for (double number : rules.fixed)
    avoid(number);
  for (const Cut &cut : names.getCuts())
    if (takesElements(cut) && isToFollow(cut))
      followed[cut.axes[0]] = names.resolve(cut.whole);
  assignExtents();
}

bool SizePlan::isToFollow(const Cut &cut) const {
  bool isFixed = llvm::any_of(names.getFixed(), [&](int name) {
    return names.resolve(name) == names.resolve(cut.whole);
  });
  return isFixed || (rules.extentsFollow && names.isOfThreads(cut.axes[0]));
}

/// Axes of one extent stay alike: what blocks hold alike may be added up, in
/// both graphs.
void SizePlan::assignExtents() {
  std::map<int64_t, int64_t> smaller;
  for (int axis = 0; axis < static_cast<int>(names.getNumAxes()); ++axis)
    smaller[names.getExtent(axis)] = 0;
  size_t rank = 0;
  for (auto &[extent, size] : smaller)
    size = rules.extents[(rank++ >> rules.bit) % 2];
  numExtents = smaller.size();
  for (int axis = 0; axis < static_cast<int>(names.getNumAxes()); ++axis)
    extents.push_back(smaller[names.getExtent(axis)]);
}

/// Whether an axis has as many blocks as there are elements, one for each.
bool SizePlan::takesElements(const Cut &cut) const {
  return cut.part == SizeNames::kNone && cut.axes.size() == 1 &&
         names.isExact(cut);
}

/// Whether the extent of an axis is the size of what it takes elements of.
bool SizePlan::isFollowed(const Cut &cut) const {
  return takesElements(cut) &&
         followed[cut.axes[0]] == names.resolve(cut.whole);
}

/// Whether an axis waits for the size that it follows.
bool SizePlan::isOpen(int axis) const {
  int name = followed[axis];
  return name != SizeNames::kNone && sizes[name] == 0;
}

int64_t SizePlan::getExtent(int axis) const {
  int name = axis == SizeNames::kNone ? axis : followed[axis];
  if (name != SizeNames::kNone)
    return sizes[name];
  return axis == SizeNames::kNone ? 1 : extents[axis];
}

int64_t SizePlan::getBlocks(const Cut &cut) const {
  int64_t blocks = 1;
  for (int axis : cut.axes)
    blocks *= getExtent(axis);
  return blocks;
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
    if (names.resolve(cut.whole) == name && names.isExact(cut) &&
        !isFollowed(cut)) {
      int64_t inner = cut.part == SizeNames::kNone
                          ? 1
                          : getMultiple(names.resolve(cut.part));
      multiple = std::lcm(multiple, getBlocks(cut) * inner);
    }
  return multiple;
}

/// Whether a dimension, or its tiles, are cut by axes that wait for a size.
bool SizePlan::hasOpenCuts(int name) const {
  return llvm::any_of(names.getCuts(), [&](const Cut &cut) {
    if (names.resolve(cut.whole) != name || isFollowed(cut))
      return false;
    return llvm::any_of(cut.axes, [&](int axis) { return isOpen(axis); }) ||
           (cut.part != SizeNames::kNone &&
            hasOpenCuts(names.resolve(cut.part)));
  });
}

/// Whether nothing that is still open decides the size: nor how tiles of it are
/// cut, which have to stay even.
bool SizePlan::isReady(int name) const {
  return llvm::none_of(names.getCuts(), [&](const Cut &cut) {
    if (isFollowed(cut))
      return false;
    int whole = names.resolve(cut.whole);
    bool waits = llvm::any_of(cut.axes, [&](int axis) { return isOpen(axis); });
    if (whole == name)
      return waits || (cut.part != SizeNames::kNone &&
                       hasOpenCuts(names.resolve(cut.part)));
    return names.resolve(cut.part) == name && whole != SizeNames::kNone &&
           (waits || sizes[whole] == 0);
  });
}

/// The largest whole that tiles of a size are cut out of.
int64_t SizePlan::getWhole(const Cut &cut, int64_t part) const {
  int64_t blocks = getBlocks(cut);
  if (names.isExact(cut))
    return part * blocks;
  int64_t more = getPart(cut, 0) - 1;
  return (part - more) * blocks - 1;
}

/// The size that tiles ask for which have one already, as they are cut out of
/// something else too.
std::optional<int64_t> SizePlan::getForced(int name) const {
  for (const Cut &cut : names.getCuts()) {
    if (names.resolve(cut.whole) != name || isFollowed(cut))
      continue;
    // Tiles of one element leave no choice either.
    if (cut.part == SizeNames::kNone && names.isExact(cut))
      return getBlocks(cut);
    if (cut.part != SizeNames::kNone && sizes[names.resolve(cut.part)] != 0)
      return getWhole(cut, sizes[names.resolve(cut.part)]);
  }
  return std::nullopt;
}

/// The least that leaves something to cut, and to tell from a single element.
int64_t SizePlan::getLeast(int name) const {
  int64_t least =
      std::max(2 * getMultiple(name), int64_t(alike.count(name) ? 2 : 3));
  for (const Cut &cut : names.getCuts())
    if (names.resolve(cut.whole) == name && !isFollowed(cut))
      least = std::max(least, 2 * getBlocks(cut) - 1);
  return least;
}

/// The size of the tiles that a whole of a size is cut into. Partial tiles are
/// as small as that allows; but where several cuts of the whole have as many
/// blocks and go on by more or less behind its end, they do here, too, unless
/// this is the least plan.
int64_t SizePlan::getPart(const Cut &cut, int64_t size) const {
  int64_t blocks = getBlocks(cut);
  if (names.isExact(cut))
    return size / blocks;
  std::set<int64_t> fewer;
  if (!others.empty())
    for (const Cut &sibling : names.getCuts())
      if (names.resolve(sibling.whole) == names.resolve(cut.whole) &&
          !names.isExact(sibling) && getBlocks(sibling) == blocks &&
          names.countCovered(sibling) < names.countCovered(cut))
        fewer.insert(names.countCovered(sibling));
  return size / blocks + 1 + fewer.size();
}

/// How many elements the last tiles of a cut lack, of a whole of a size.
int64_t SizePlan::countMissing(const Cut &cut, int64_t size) const {
  return getPart(cut, size) * getBlocks(cut) - size;
}

/// Whether every tile has an element of a whole of this size.
bool SizePlan::fillsTiles(llvm::ArrayRef<int> group, int64_t size) const {
  return llvm::all_of(names.getCuts(), [&](const Cut &cut) {
    return !llvm::is_contained(group, names.resolve(cut.whole)) ||
           names.isExact(cut) || countMissing(cut, size) < getPart(cut, size);
  });
}

/// How many partial cuts of a whole lack as much as in another plan, or pairs
/// of them go equally far behind its end here and not there, or the opposite.
unsigned SizePlan::countEdgeFlaws(int name, int64_t size) const {
  unsigned count = 0;
  for (const Cut &cut : names.getCuts()) {
    if (names.resolve(cut.whole) != name || names.isExact(cut))
      continue;
    for (const SizePlan &other : others)
      count +=
          countMissing(cut, size) == other.countMissing(cut, other.sizes[name]);
    for (const Cut &sibling : names.getCuts())
      if (names.resolve(sibling.whole) == name && !isFollowed(sibling))
        count += (names.countCovered(cut) == names.countCovered(sibling)) !=
                 (countMissing(cut, size) == countMissing(sibling, size));
  }
  return count;
}

/// How many sums, differences and means of others, neighbours of others, and
/// doubles and halves a size is.
unsigned SizePlan::countRelations(int64_t size) const {
  unsigned count = 0;
  for (int64_t first : used) {
    count +=
        std::abs(size - first) <= 1 || size == 2 * first || 2 * size == first;
    for (int64_t second : used)
      count += size == first + second || size == first - second ||
               size == 2 * first - second || 2 * size == first + second;
  }
  return count;
}

/// In how many other plans a name has this size, or tiles that are cut out of
/// it, and out of those, have the ones that they would have.
unsigned SizePlan::countSame(int name, int64_t size) const {
  unsigned count = 0;
  for (const SizePlan &other : others)
    count += other.sizes[name] == size;
  for (const Cut &cut : names.getCuts())
    if (cut.part != SizeNames::kNone && names.resolve(cut.whole) == name &&
        !isFollowed(cut) && getBlocks(cut) > 0)
      count += countSame(names.resolve(cut.part), getPart(cut, size));
  return count;
}

/// How many names are as far from this one as in another plan: y as often as
/// one of them, and twice more, is y as often as the other in both.
unsigned SizePlan::countSameDistances(int name, int64_t size) const {
  unsigned count = 0;
  for (const SizePlan &other : others)
    for (int near : llvm::seq(static_cast<int>(sizes.size())))
      count += near != name && names.resolve(near) == near &&
               sizes[near] != 0 &&
               size - sizes[near] == other.sizes[name] - other.sizes[near];
  return count;
}

SizePlan::Flaws SizePlan::countFlaws(llvm::ArrayRef<int> group,
                                     int64_t size) const {
  unsigned numSame = 0, numEdges = 0, numRelations = countRelations(size);
  for (int name : group) {
    numSame += countSame(name, size);
    numEdges += countEdgeFlaws(name, size);
    numRelations += countSameDistances(name, size);
  }
  return {numSame, numEdges, numRelations};
}

/// One size for some names, that no other name has, if there is a choice; but
/// those that are alike.
int64_t SizePlan::choose(llvm::ArrayRef<int> group, int64_t least) const {
  int64_t multiple = 1, smallest = least;
  bool isPowerOfTwo = false;
  for (int name : group) {
    if (std::optional<int64_t> forced = getForced(name))
      return *forced;
    multiple = std::lcm(multiple, getMultiple(name));
    smallest = std::max(smallest, getLeast(name));
    isPowerOfTwo |= powersOfTwo.count(name) > 0;
  }
  auto isFree = [&](int64_t size) {
    return !used.count(size) && fillsTiles(group, size);
  };
  if (isPowerOfTwo) {
    int64_t size = llvm::PowerOf2Ceil(smallest);
    while ((!isFree(size) || std::get<0>(countFlaws(group, size)) > 0) &&
           size < kLargest)
      size *= 2;
    return size;
  }
  int64_t size = llvm::alignTo(smallest, multiple);
  while (!isFree(size))
    size += multiple;
  if (others.empty())
    return size;
  // Of many names not all can have sizes without relations, and small ones.
  constexpr unsigned kMostTried = 64;
  int64_t best = size;
  for (unsigned tried = 0; tried < kMostTried; ++tried, size += multiple)
    if (isFree(size) && countFlaws(group, size) < countFlaws(group, best))
      best = size;
  return best;
}

/// Where a causal mask begins and ends depends on which of the sizes that it is
/// over are larger, and which are equal (MaskOffsets.h). They are in the same
/// order here.
void SizePlan::chooseMasked() {
  std::map<int64_t, std::set<int>> bySize;
  for (unsigned number = 0; number < names.getNumGraphs(); ++number) {
    const Graph &graph = names.getGraph(number);
    for (const Node &node : graph.getNodes()) {
      if (node.opcode != Opcode::CausalMask)
        continue;
      unsigned rank = graph.getType(node.operands[0]).shape.size();
      for (unsigned dim : {rank - 2, rank - 1}) {
        int name = names.getName(number, node.operands[0], dim);
        if (name == SizeNames::kNone)
          continue;
        int whole = getWholes(name).back();
        bySize[names.getSize(whole)].insert(whole);
      }
    }
  }
  int64_t before = 0;
  for (const auto &[size, group] : bySize) {
    llvm::SmallVector<int> open;
    for (int name : group)
      if (sizes[name] != 0)
        before = std::max(before, sizes[name]);
      else if (isReady(name))
        open.push_back(name);
    if (open.empty())
      continue;
    before = choose(open, std::max(before + 1, rules.ratio * before));
    for (int name : open)
      sizes[name] = before;
    used.insert(before);
  }
}

/// Gives tiles their sizes. \returns false if two cuts want different ones.
bool SizePlan::spread(int name) {
  for (const Cut &cut : names.getCuts()) {
    if (names.resolve(cut.whole) != name || cut.part == SizeNames::kNone)
      continue;
    int part = names.resolve(cut.part);
    int64_t size = getPart(cut, sizes[name]);
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

static llvm::Error makeTileError() {
  return llvm::createStringError(
      "one tile is cut out of dimensions that cannot have one small size");
}

/// Chooses the size of a name if it has none, and can have one.
llvm::Error SizePlan::assign(int name, bool &progress) {
  if (names.resolve(name) != name || !isReady(name))
    return llvm::Error::success();
  if (sizes[name] == 0) {
    sizes[name] = choose(name, /*least=*/0);
    if (!alike.count(name))
      used.insert(sizes[name]);
    progress = true;
  }
  return spread(name) ? llvm::Error::success() : makeTileError();
}

llvm::Error SizePlan::run(llvm::ArrayRef<SizePlan> othersThan) {
  others = othersThan;
  bool isReversed = others.size() % 2 == 1;
  assignFixed();
  chooseMasked();
  int numNames = sizes.size();
  // Whatever the order, tiles of what has a size get theirs first.
  for (int name : llvm::seq(numNames))
    if (names.resolve(name) == name && sizes[name] != 0 && isReady(name) &&
        !spread(name))
      return makeTileError();
  for (bool progress = true; progress;) {
    progress = false;
    for (int number : llvm::seq(numNames)) {
      int name = isReversed ? numNames - 1 - number : number;
      if (llvm::Error error = assign(name, progress))
        return error;
    }
  }
  others = {};
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
/// computed in f32, are; or exactly what a narrower format makes of it, if it
/// may be rounded. An infinity stands for none, though f16 has no other number
/// for 65536.
static bool standsFor(double literal, double exact, bool mayBeRounded = true) {
  if (!std::isfinite(literal))
    return literal == exact;
  if (std::fabs(literal - exact) <= 0x1p-20 * exact)
    return true;
  if (!mayBeRounded)
    return false;
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
          standsFor(std::fabs(factor), expected, rules.mayRound))
        return std::make_pair(name, form);
    }
  return std::nullopt;
}

/// Keeps the sizes from being chosen that a number is a function of.
void SizePlan::avoid(double number) {
  if (!rules.avoidsNumbers)
    return;
  double size = std::fabs(number);
  for (double exact : {size, 1 / size, size * size, 1 / (size * size)})
    if (double whole = std::round(exact); whole >= 1 && whole <= kLargest)
      for (Form form :
           {Form::Size, Form::Inverse, Form::Root, Form::InverseRoot})
        if (standsFor(size, apply(form, whole)))
          used.insert(whole);
}

double SizePlan::getFactor(double factor) const {
  auto found = match(factor);
  if (!found)
    return factor;
  return std::copysign(apply(found->second, get(found->first)), factor);
}
