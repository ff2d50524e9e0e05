//===- PTXMutator.cpp - Changes PTX by lines and tokens -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What libFuzzer changes by itself are bytes, of which few changes parse. LLVM
// prints a statement a line, so that lines are cut, doubled, moved and made up
// here, and tokens exchanged for others of the file.

#include "RandomStatement.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>

using namespace mlir::mirage::fuzz;
using llvm::StringRef;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

using Lines = llvm::SmallVector<StringRef, 64>;

static Lines splitLines(StringRef text) {
  Lines lines;
  text.split(lines, '\n');
  return lines;
}

/// Writes what fits.
static size_t store(StringRef text, uint8_t *data, size_t maxSize) {
  size_t size = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), size);
  return size;
}

static bool isOfToken(char c) {
  return llvm::isAlnum(c) || c == '%' || c == '$' || c == '_';
}

/// The tokens of a text: names, numbers, and the pieces of opcodes.
static std::vector<StringRef> listTokens(StringRef text) {
  std::vector<StringRef> tokens;
  while (!text.empty()) {
    text = text.drop_until(isOfToken);
    StringRef token = text.take_while(isOfToken);
    if (!token.empty())
      tokens.push_back(token);
    text = text.drop_front(token.size());
  }
  return tokens;
}

/// One token becomes another of the same file, or a number at an edge.
static std::string exchangeToken(StringRef text, RandomEngine &random) {
  static constexpr StringRef kNumbers[] = {
      "0",          "1",          "4",          "7",
      "8",          "31",         "32",         "33",
      "64",         "-1",         "65536",      "2147483647",
      "4294967295", "4294967296", "1073741824", "16",
      "v2",         "v4",         "shared",     "global",
      "local",      "param",      "const",      "b8",
      "b128",       "f64",        "pred",       "18446744073709551615"};
  std::vector<StringRef> tokens = listTokens(text);
  if (tokens.empty())
    return text.str();
  StringRef place = tokens[pick(random, tokens.size())];
  StringRef other = pick(random, 3)
                        ? tokens[pick(random, tokens.size())]
                        : kNumbers[pick(random, std::size(kNumbers))];
  // What has the same first letters is more likely to fit.
  if (place.starts_with("%") && pick(random, 8))
    for (unsigned tries = 0; tries < 64; ++tries)
      if (StringRef similar = tokens[pick(random, tokens.size())];
          similar != place &&
          similar.rtrim("0123456789") == place.rtrim("0123456789")) {
        other = similar;
        break;
      }
  size_t at = place.begin() - text.begin();
  return (text.take_front(at) + other + text.drop_front(at + place.size()))
      .str();
}

static std::string changeLines(StringRef text, RandomEngine &random) {
  static const StatementMaker maker;
  Lines lines = splitLines(text);
  size_t line = pick(random, lines.size()), other = pick(random, lines.size());
  std::string made;
  switch (pick(random, 8)) {
  case 0:
    lines.erase(lines.begin() + line);
    break;
  case 1:
    lines.insert(lines.begin() + line, StringRef(lines[other]));
    break;
  case 2:
    std::swap(lines[line], lines[other]);
    break;
  case 3:
    lines[line] = lines[other];
    break;
  case 4:
    made = maker.make(random);
    lines[line] = made;
    break;
  default:
    made = maker.make(random);
    lines.insert(lines.begin() + line, made);
  }
  return llvm::join(lines, "\n");
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  RandomEngine random(seed);
  if (pick(random, 32) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<const char *>(data), size);
  for (size_t left = 1 + pick(random, 3); left > 0; --left)
    text = pick(random, 4) ? changeLines(text, random)
                           : exchangeToken(text, random);
  return store(text, data, maxSize);
}

/// The first lines of one text and the last ones of another.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t maxOutSize, unsigned seed) {
  RandomEngine random(seed);
  Lines head = splitLines({reinterpret_cast<const char *>(first), firstSize});
  Lines tail = splitLines({reinterpret_cast<const char *>(second), secondSize});
  Lines lines(head.begin(), head.begin() + pick(random, head.size() + 1));
  lines.append(tail.begin() + pick(random, tail.size() + 1), tail.end());
  return store(llvm::join(lines, "\n"), out, maxOutSize);
}
