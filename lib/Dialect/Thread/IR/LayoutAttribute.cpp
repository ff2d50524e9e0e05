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

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  auto build = [&](LayoutInput input) {
    return buildBases(context, layout.getBases(input));
  };
  return get(context, build(LayoutInput::Register), build(LayoutInput::Lane),
             build(LayoutInput::Warp));
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

int64_t mlir::mirage::thread::countRegisters(RankedTensorType fragment) {
  constexpr int64_t kRegisterBits = 32;
  int64_t bits = getFragmentLayout(fragment)->getNumRegisters() *
                 fragment.getElementTypeBitWidth();
  return llvm::divideCeil(bits, kRegisterBits);
}

RankedTensorType
mlir::mirage::thread::getFragmentType(const LinearLayout &layout,
                                      Type elementType) {
  return RankedTensorType::get(
      layout.getShape(), elementType,
      LayoutAttr::get(elementType.getContext(), layout));
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

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  ArrayAttr registers, lanes, warps = ArrayAttr::get(parser.getContext(), {});
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parseBases(parser, "register", registers) ||
      parser.parseComma() || parseBases(parser, "lane", lanes))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parseBases(parser, "warp", warps))
    return {};
  if (parser.parseGreater())
    return {};
  auto emitError = [&] { return parser.emitError(location); };
  return LayoutAttr::getChecked(emitError, parser.getContext(), registers,
                                lanes, warps);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBases(printer, "register", getRegisters());
  printer << ", ";
  printBases(printer, "lane", getLanes());
  if (!getWarps().empty()) {
    printer << ", ";
    printBases(printer, "warp", getWarps());
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayAttr registers, ArrayAttr lanes,
                                 ArrayAttr warps) {
  // C1
  for (ArrayAttr bases : {registers, lanes, warps})
    for (Attribute basis : bases)
      if (!isa<DenseI64ArrayAttr>(basis))
        return emitError() << "expects entries that are arrays of i64, got "
                           << basis;
  if (lanes.size() != kLaneBits)
    return emitError() << "expects " << kLaneBits << " lane bits, got "
                       << lanes.size();
  if (warps.size() > kMostWarpBits)
    return emitError() << "expects at most " << kMostWarpBits
                       << " warp bits, got " << warps.size();
  // C3
  if (registers.size() > kMaxRegisterBits)
    return emitError() << "expects at most " << kMaxRegisterBits
                       << " register bits, got " << registers.size();
  return success();
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
