//===- CertificateAttr.cpp - Certificates in IR ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Transforms/CertificateAttr.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static ArrayAttr getPairAttr(Builder &builder, double first, double second) {
  return builder.getF64ArrayAttr({first, second});
}
static ArrayAttr getPairAttr(Builder &builder, int64_t first, int64_t second) {
  return builder.getI64ArrayAttr({first, second});
}

template <typename Number>
static ArrayAttr getPairsAttr(Builder &builder,
                              const std::map<Number, Number> &numbers) {
  SmallVector<Attribute> pairs;
  for (auto [number, smaller] : numbers)
    pairs.push_back(getPairAttr(builder, number, smaller));
  return builder.getArrayAttr(pairs);
}

DictionaryAttr
mlir::mirage::getCertificateAttr(MLIRContext *context,
                                 const Certificate &certificate) {
  Builder builder(context);
  SmallVector<NamedAttribute> entries;
  auto add = [&](StringRef name, Attribute value) {
    entries.push_back(builder.getNamedAttr(name, value));
  };
  auto addNumber = [&](StringRef name, uint64_t number) {
    add(name, builder.getI64IntegerAttr(static_cast<int64_t>(number)));
  };
  auto addText = [&](StringRef name, StringRef text) {
    add(name, builder.getStringAttr(text));
  };
  const ErrorBound &bound = certificate.bound;
  addNumber("version", certificate.version);
  addText("program", certificate.program);
  addText("result", certificate.result);
  addNumber("seed", certificate.seed);
  addNumber("error_bound", certificate.errorBoundBits);
  add("proved_log2", builder.getF64FloatAttr(bound.provedLog2));
  if (bound.conjecturedLog2 != bound.provedLog2)
    add("conjectured_log2", builder.getF64FloatAttr(bound.conjecturedLog2));
  addNumber("trials", bound.trials);
  addNumber("towers", bound.towers);
  addText("sizes", certificate.sizes);
  const ReplacedNumbers &replaced = certificate.replaced;
  if (!replaced.literals.empty())
    add("literals", getPairsAttr(builder, replaced.literals));
  if (!replaced.maskOffsets.empty())
    add("mask_offsets", getPairsAttr(builder, replaced.maskOffsets));
  if (replaced.keepsNumbers)
    add("keeps_numbers", builder.getBoolAttr(true));
  if (certificate.pieces > 0)
    addNumber("pieces", certificate.pieces);
  add("where_both_defined", builder.getBoolAttr(certificate.whereBothDefined));
  if (certificate.isSameGraph)
    add("same_graph", builder.getBoolAttr(true));
  if (!certificate.isRepeatable)
    add("repeatable", builder.getBoolAttr(false));
  addText("own_size", certificate.ownSize);
  addText("digest", certificate.digest);
  return builder.getDictionaryAttr(entries);
}

namespace {
/// Reads one entry after the other; the first that is not as it should be is
/// reported, and ends it.
class CertificateReader {
public:
  CertificateReader(kernel::GraphOp op, DictionaryAttr attribute)
      : op(op), attribute(attribute) {}

  FailureOr<Certificate> run() {
    Certificate certificate;
    ErrorBound &bound = certificate.bound;
    read("version", certificate.version);
    if (isGood && certificate.version != kCertificateVersion)
      return certificate;
    read("program", certificate.program);
    read("result", certificate.result);
    read("seed", certificate.seed);
    uint64_t errorBound = 0;
    read("error_bound", errorBound);
    read("proved_log2", bound.provedLog2);
    bound.conjecturedLog2 = bound.provedLog2;
    readIfThere("conjectured_log2", bound.conjecturedLog2);
    read("trials", bound.trials);
    read("towers", bound.towers);
    read("sizes", certificate.sizes);
    readIfThere("literals", certificate.replaced.literals);
    readIfThere("mask_offsets", certificate.replaced.maskOffsets);
    readIfThere("keeps_numbers", certificate.replaced.keepsNumbers);
    readIfThere("pieces", certificate.pieces);
    read("where_both_defined", certificate.whereBothDefined);
    readIfThere("same_graph", certificate.isSameGraph);
    readIfThere("repeatable", certificate.isRepeatable);
    read("own_size", certificate.ownSize);
    read("digest", certificate.digest);
    if (!isGood)
      return failure();
    if (errorBound < 1 || errorBound > kMaxErrorBoundBits)
      return op.emitError()
             << "expects '" << kCertificateAttr
             << "' to have 'error_bound' of 1 to " << kMaxErrorBoundBits
             << ", got " << static_cast<int64_t>(errorBound);
    certificate.errorBoundBits = errorBound;
    if (failed(checkSpelling(certificate)))
      return failure();
    return certificate;
  }

private:
  /// The digest is of what entries say. So that no certificate can be written
  /// in two ways, what says nothing is not to be there, and neither is what
  /// nobody reads.
  LogicalResult checkSpelling(const Certificate &certificate) {
    DictionaryAttr spelled = getCertificateAttr(op.getContext(), certificate);
    for (NamedAttribute entry : attribute) {
      Attribute expected = spelled.get(entry.getName());
      if (expected == entry.getValue())
        continue;
      InFlightDiagnostic diagnostic = op.emitError()
                                      << "expects '" << kCertificateAttr;
      if (expected)
        diagnostic << "' to have '" << entry.getName().getValue() << "' as "
                   << expected;
      else
        diagnostic << "' to have no '" << entry.getName().getValue() << "'";
      return diagnostic << ", got " << entry.getValue();
    }
    return success();
  }

  template <typename Value>
  void read(StringRef name, Value &value) {
    Attribute entry = attribute.get(name);
    if (!entry)
      fail(name, describe(value), entry);
    else
      readIfThere(name, value);
  }
  template <typename Value>
  void readIfThere(StringRef name, Value &value) {
    Attribute entry = attribute.get(name);
    if (entry && !parse(entry, value))
      fail(name, describe(value), entry);
  }

  static StringRef describe(unsigned) {
    return "a 64-bit integer of 0 to 4294967295";
  }
  static StringRef describe(uint64_t) { return "a 64-bit integer"; }
  static StringRef describe(double) { return "a 64-bit float"; }
  static StringRef describe(bool) { return "true or false"; }
  static StringRef describe(const std::string &) { return "a string"; }
  static StringRef describe(const std::map<double, double> &) {
    return "an array of pairs of 64-bit floats";
  }
  static StringRef describe(const std::map<int64_t, int64_t> &) {
    return "an array of pairs of 64-bit integers";
  }

  static bool parse(Attribute entry, int64_t &value) {
    auto number = dyn_cast<IntegerAttr>(entry);
    if (!number || !number.getType().isInteger(64))
      return false;
    value = number.getValue().getSExtValue();
    return true;
  }
  static bool parse(Attribute entry, uint64_t &value) {
    int64_t number = 0;
    bool isGood = parse(entry, number);
    value = static_cast<uint64_t>(number);
    return isGood;
  }
  static bool parse(Attribute entry, unsigned &value) {
    uint64_t number = 0;
    if (!parse(entry, number) || !llvm::isUInt<32>(number))
      return false;
    value = number;
    return true;
  }
  static bool parse(Attribute entry, double &value) {
    auto number = dyn_cast<FloatAttr>(entry);
    if (!number || !number.getType().isF64())
      return false;
    value = number.getValueAsDouble();
    return true;
  }
  static bool parse(Attribute entry, bool &value) {
    auto truth = dyn_cast<BoolAttr>(entry);
    if (truth)
      value = truth.getValue();
    return static_cast<bool>(truth);
  }
  static bool parse(Attribute entry, std::string &value) {
    auto text = dyn_cast<StringAttr>(entry);
    if (text)
      value = text.getValue();
    return static_cast<bool>(text);
  }
  template <typename Number>
  static bool parse(Attribute entry, std::map<Number, Number> &value) {
    auto pairs = dyn_cast<ArrayAttr>(entry);
    return pairs && llvm::all_of(pairs, [&](Attribute element) {
             auto pair = dyn_cast<ArrayAttr>(element);
             Number number = 0;
             return pair && pair.size() == 2 && parse(pair[0], number) &&
                    parse(pair[1], value[number]);
           });
  }

  void fail(StringRef name, StringRef expected, Attribute found) {
    if (!isGood)
      return;
    isGood = false;
    InFlightDiagnostic diagnostic =
        op.emitError() << "expects '" << kCertificateAttr << "' to have '"
                       << name << "', " << expected << ", got ";
    if (found)
      diagnostic << found;
    else
      diagnostic << "none";
  }

  kernel::GraphOp op;
  DictionaryAttr attribute;
  bool isGood = true;
};
} // namespace

FailureOr<std::optional<Certificate>>
mlir::mirage::readCertificate(kernel::GraphOp op) {
  Attribute attribute = op->getAttr(kCertificateAttr);
  if (!attribute)
    return std::optional<Certificate>();
  auto entries = dyn_cast<DictionaryAttr>(attribute);
  if (!entries)
    return op.emitError() << "expects '" << kCertificateAttr
                          << "' to be a dictionary, got " << attribute;
  FailureOr<Certificate> certificate = CertificateReader(op, entries).run();
  if (failed(certificate))
    return failure();
  return std::optional<Certificate>(std::move(*certificate));
}
