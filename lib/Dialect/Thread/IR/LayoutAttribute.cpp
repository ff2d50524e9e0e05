//===- LayoutAttribute.cpp - Layouts of fragments -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::thread;

static ArrayAttr buildBases(MLIRContext *context, ArrayRef<Coordinates> bases) {
  SmallVector<Attribute> attributes;
  for (const Coordinates &basis : bases)
    attributes.push_back(DenseI64ArrayAttr::get(context, basis));
  return ArrayAttr::get(context, attributes);
}

static SmallVector<Coordinates> readBases(ArrayAttr attributes) {
  SmallVector<Coordinates> bases;
  for (auto basis : attributes.getAsRange<DenseI64ArrayAttr>())
    bases.emplace_back(basis.asArrayRef());
  return bases;
}

/// Of layouts without shares.
static ShareDeal getOneEach(unsigned numWarpBits) {
  return {numWarpBits, 1u << numWarpBits, 1u << numWarpBits};
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  return get(context, layout,
             getOneEach(layout.getBases(LayoutInput::Warp).size()));
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout,
                           const ShareDeal &deal) {
  assert(deal.numBits == layout.getBases(LayoutInput::Warp).size() &&
         "warp bits count shares");
  auto build = [&](LayoutInput input) {
    return buildBases(context, layout.getBases(input));
  };
  bool hasShares = !deal.isOneEach();
  return get(context, build(LayoutInput::Register), build(LayoutInput::Lane),
             build(LayoutInput::Warp), hasShares ? deal.numShares : 0,
             hasShares ? deal.numWarps : 0);
}

ShareDeal LayoutAttr::getDeal() const {
  unsigned numBits = getWarps().size();
  if (getDealtTo() == 0)
    return getOneEach(numBits);
  return {numBits, static_cast<unsigned>(getNumShares()),
          static_cast<unsigned>(getDealtTo())};
}

LinearLayout LayoutAttr::getLinearLayout(ArrayRef<int64_t> shape) const {
  return LinearLayout(shape, readBases(getRegisters()), readBases(getLanes()),
                      readBases(getWarps()));
}

std::optional<LinearLayout> mlir::mirage::thread::getFragmentLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return std::nullopt;
  auto layout = dyn_cast_or_null<LayoutAttr>(tensor.getEncoding());
  if (!layout)
    return std::nullopt;
  return layout.getLinearLayout(tensor.getShape());
}

ShareDeal mlir::mirage::thread::getShareDeal(RankedTensorType fragment) {
  return cast<LayoutAttr>(fragment.getEncoding()).getDeal();
}

int64_t mlir::mirage::thread::countElements(RankedTensorType fragment) {
  return int64_t(getFragmentLayout(fragment)->getNumRegisters()) *
         getShareDeal(fragment).getNumRounds();
}

int64_t mlir::mirage::thread::countRegisters(RankedTensorType fragment) {
  constexpr int64_t kRegisterBits = 32;
  return llvm::divideCeil(countElements(fragment) *
                              fragment.getElementTypeBitWidth(),
                          kRegisterBits);
}

RankedTensorType
mlir::mirage::thread::getFragmentType(const LinearLayout &layout,
                                      Type elementType) {
  return RankedTensorType::get(
      layout.getShape(), elementType,
      LayoutAttr::get(elementType.getContext(), layout));
}

RankedTensorType
mlir::mirage::thread::getFragmentType(const LinearLayout &layout,
                                      Type elementType, const ShareDeal &deal) {
  return RankedTensorType::get(
      layout.getShape(), elementType,
      LayoutAttr::get(elementType.getContext(), layout, deal));
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// [[0, 1], [8, 0]]
static ParseResult parseBases(AsmParser &parser, StringRef keyword,
                              ArrayAttr &bases) {
  SmallVector<Attribute> attributes;
  auto parseBasis = [&]() -> ParseResult {
    Coordinates basis;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(basis.emplace_back());
        }))
      return failure();
    attributes.push_back(DenseI64ArrayAttr::get(parser.getContext(), basis));
    return success();
  };
  if (parser.parseKeyword(keyword) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBasis))
    return failure();
  bases = ArrayAttr::get(parser.getContext(), attributes);
  return success();
}

static void printBases(AsmPrinter &printer, StringRef keyword,
                       ArrayAttr bases) {
  printer << keyword << " = [";
  llvm::interleaveComma(bases.getAsRange<DenseI64ArrayAttr>(), printer,
                        [&](DenseI64ArrayAttr basis) {
                          printer << '[';
                          llvm::interleaveComma(basis.asArrayRef(), printer);
                          printer << ']';
                        });
  printer << ']';
}

/// dealt = 6 to 3
static ParseResult parseDeal(AsmParser &parser, int64_t &numShares,
                             int64_t &dealtTo) {
  return failure(parser.parseKeyword("dealt") || parser.parseEqual() ||
                 parser.parseInteger(numShares) || parser.parseKeyword("to") ||
                 parser.parseInteger(dealtTo));
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  ArrayAttr registers, lanes, warps = ArrayAttr::get(parser.getContext(), {});
  int64_t numShares = 0, dealtTo = 0;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parseBases(parser, "register", registers) ||
      parser.parseComma() || parseBases(parser, "lane", lanes))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parseBases(parser, "warp", warps))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parseDeal(parser, numShares, dealtTo))
    return {};
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(location); };
  return LayoutAttr::getChecked(emitError, parser.getContext(), registers,
                                lanes, warps, numShares, dealtTo);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBases(printer, "register", getRegisters());
  printer << ", ";
  printBases(printer, "lane", getLanes());
  bool hasShares = getDealtTo() != 0;
  if (!getWarps().empty() || hasShares) {
    printer << ", ";
    printBases(printer, "warp", getWarps());
  }
  if (hasShares)
    printer << ", dealt = " << getNumShares() << " to " << getDealtTo();
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Shares that are dealt, if there are any.
static LogicalResult verifyDeal(function_ref<InFlightDiagnostic()> emitError,
                                size_t numRegisterBits, size_t numShareBits,
                                int64_t numShares, int64_t dealtTo) {
  if (numShares == 0 && dealtTo == 0)
    return success();
  // C4
  constexpr int64_t kMostWarps = 1 << kMostWarpBits;
  if (dealtTo < 1 || dealtTo > kMostWarps || llvm::isPowerOf2_64(dealtTo))
    return emitError() << "expects shares dealt to up to " << kMostWarps
                       << " warps that are no power of two, got " << dealtTo;
  if (numShares < 1 || llvm::Log2_64_Ceil(numShares) != numShareBits)
    return emitError() << "expects shares whose numbers have " << numShareBits
                       << " bits, got " << numShares << " shares";
  // C3
  constexpr int64_t kMostElements = 1 << kMaxRegisterBits;
  int64_t numElements = int64_t(llvm::divideCeil(numShares, dealtTo))
                        << numRegisterBits;
  if (numElements <= kMostElements)
    return success();
  return emitError() << "expects at most " << kMostElements
                     << " elements of a thread, got " << numElements;
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayAttr registers, ArrayAttr lanes,
                                 ArrayAttr warps, int64_t numShares,
                                 int64_t dealtTo) {
  // C1
  for (ArrayAttr bases : {registers, lanes, warps})
    for (Attribute basis : bases)
      if (!isa<DenseI64ArrayAttr>(basis))
        return emitError() << "expects entries that are arrays of i64, got "
                           << basis;
  if (lanes.size() != kLaneBits)
    return emitError() << "expects " << kLaneBits << " lane bits, got "
                       << lanes.size();
  unsigned mostWarpBits = dealtTo == 0 ? kMostWarpBits : kMostShareBits;
  if (warps.size() > mostWarpBits)
    return emitError() << "expects at most " << mostWarpBits
                       << " warp bits, got " << warps.size();
  // C3
  if (registers.size() > kMaxRegisterBits)
    return emitError() << "expects at most " << kMaxRegisterBits
                       << " register bits, got " << registers.size();
  return verifyDeal(emitError, registers.size(), warps.size(), numShares,
                    dealtTo);
}

/// How many bits tell the elements of a fragment apart, whose sizes are powers
/// of two.
static uint64_t countElementBits(ArrayRef<int64_t> shape) {
  uint64_t bits = 0;
  for (int64_t size : shape)
    bits += llvm::Log2_64(size);
  return bits;
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  for (int64_t size : shape)
    // C2
    if (size < 1 || !llvm::isPowerOf2_64(size))
      return emitError() << "expects a fragment with sizes that are powers of "
                            "two, got ["
                         << shape << "]";
  for (ArrayAttr bases : {getRegisters(), getLanes(), getWarps()})
    for (DenseI64ArrayAttr basis : bases.getAsRange<DenseI64ArrayAttr>()) {
      // C1
      if (basis.size() != static_cast<int64_t>(shape.size()))
        return emitError() << "expects " << shape.size()
                           << " coordinates in each entry of the layout, got "
                           << basis.size();
      for (auto [size, coordinate] : llvm::zip_equal(shape, basis.asArrayRef()))
        if (coordinate < 0 || coordinate >= size)
          return emitError()
                 << "expects coordinates within the fragment [" << shape
                 << "], got [" << basis.asArrayRef() << "]";
    }
  // C2
  uint64_t bits = countElementBits(shape);
  size_t numEntries =
      getRegisters().size() + getLanes().size() + getWarps().size();
  if (bits > numEntries)
    return emitError() << "expects a layout that holds all elements of the "
                          "fragment, which "
                       << bits << " bits tell apart, got one of " << numEntries
                       << " bits";
  unsigned rank = getLinearLayout(shape).toMatrix().getRank();
  if (rank != bits)
    return emitError() << "expects a layout that holds all "
                       << (uint64_t(1) << bits)
                       << " elements of the fragment, got one that holds "
                       << (uint64_t(1) << rank);
  return success();
}
