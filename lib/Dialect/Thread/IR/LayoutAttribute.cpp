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
#include "llvm/Support/InterleavedRange.h"
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

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  return get(context, layout,
             dealWarps(1u << layout.getBases(LayoutInput::Warp).size()));
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout,
                           const ShareDeal &deal) {
  assert(deal.getNumBits() == layout.getBases(LayoutInput::Warp).size() &&
         "warp bits count shares");
  auto build = [&](LayoutInput input) {
    return buildBases(context, layout.getBases(input));
  };
  bool hasShares = !deal.isOneEach();
  SmallVector<int64_t> shares;
  if (hasShares)
    llvm::append_range(shares, deal.extents);
  if (hasShares && shares.empty())
    shares.push_back(1);
  return get(context, build(LayoutInput::Register), build(LayoutInput::Lane),
             build(LayoutInput::Warp), shares, hasShares ? deal.numWarps : 0);
}

ShareDeal LayoutAttr::getDeal() const {
  if (getDealtTo() == 0)
    return dealWarps(1u << getWarps().size());
  return dealShares(getShares(), static_cast<unsigned>(getDealtTo()));
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

/// dealt = 5 x 3 to 4
static ParseResult parseDeal(AsmParser &parser,
                             SmallVectorImpl<int64_t> &shares,
                             int64_t &dealtTo) {
  if (parser.parseKeyword("dealt") || parser.parseEqual())
    return failure();
  do {
    if (parser.parseInteger(shares.emplace_back()))
      return failure();
  } while (succeeded(parser.parseOptionalKeyword("x")));
  return failure(parser.parseKeyword("to") || parser.parseInteger(dealtTo));
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  ArrayAttr registers, lanes, warps = ArrayAttr::get(parser.getContext(), {});
  SmallVector<int64_t> shares;
  int64_t dealtTo = 0;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parseBases(parser, "register", registers) ||
      parser.parseComma() || parseBases(parser, "lane", lanes))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parseBases(parser, "warp", warps))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parseDeal(parser, shares, dealtTo))
    return {};
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(location); };
  return LayoutAttr::getChecked(emitError, parser.getContext(), registers,
                                lanes, warps, ArrayRef<int64_t>(shares),
                                dealtTo);
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
  if (hasShares) {
    printer << ", dealt = ";
    llvm::interleave(getShares(), printer, " x ");
    printer << " to " << getDealtTo();
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Whether numbers of shares are as `dealShares` writes them; 1 is all there is
/// where there is one share.
static bool arePlain(ArrayRef<int64_t> shares) {
  constexpr int64_t kMostShares = int64_t(1) << kMostShareBits;
  auto isUsable = [](int64_t extent) {
    return extent >= 2 && extent <= kMostShares;
  };
  return shares == ArrayRef<int64_t>(1) ||
         (!shares.empty() && llvm::all_of(shares, isUsable) &&
          llvm::none_of(shares.drop_front(), llvm::isPowerOf2_64));
}

/// Shares that are dealt, if there are any.
static LogicalResult verifyDeal(function_ref<InFlightDiagnostic()> emitError,
                                size_t numRegisterBits, size_t numShareBits,
                                ArrayRef<int64_t> shares, int64_t dealtTo) {
  if (shares.empty() && dealtTo == 0)
    return success();
  // C4
  constexpr int64_t kMostWarps = 1 << kMostWarpBits;
  if (dealtTo < 1 || dealtTo > kMostWarps)
    return emitError() << "expects shares dealt to 1 to " << kMostWarps
                       << " warps, got " << dealtTo;
  if (!arePlain(shares))
    return emitError() << "expects numbers of shares of which none is 1, and "
                          "none but the first a power of two, got "
                       << llvm::interleaved(shares, " x ");
  ShareDeal deal = dealShares(shares, dealtTo);
  if (deal.isOneEach())
    return emitError() << "expects no shares where each warp has the one of "
                          "its number, got "
                       << dealtTo;
  if (deal.getNumBits() != numShareBits)
    return emitError() << "expects shares whose numbers have " << numShareBits
                       << " bits, got " << llvm::interleaved(shares, " x ")
                       << " shares";
  // C3
  constexpr int64_t kMostElements = 1 << kMaxRegisterBits;
  int64_t numElements = int64_t(deal.getNumRounds()) << numRegisterBits;
  if (numElements <= kMostElements)
    return success();
  return emitError() << "expects at most " << kMostElements
                     << " elements of a thread, got " << numElements;
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayAttr registers, ArrayAttr lanes,
                                 ArrayAttr warps, ArrayRef<int64_t> shares,
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
  return verifyDeal(emitError, registers.size(), warps.size(), shares, dealtTo);
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
