//===- PTXOutline.cpp - What PTX says of its kernels ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXOutline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

constexpr llvm::StringLiteral kSpaces = " \t\r\n";

/// PTX has the comments of C++; each becomes a space.
/// \param openComment  where one starts that does not end, or npos.
static std::string removeComments(llvm::StringRef ptx, size_t &openComment) {
  llvm::StringRef whole = ptx;
  std::string text;
  openComment = llvm::StringRef::npos;
  while (!ptx.empty()) {
    bool isLine = ptx.starts_with("//");
    if (isLine || ptx.starts_with("/*")) {
      if (!isLine && !ptx.drop_front(2).contains("*/"))
        openComment = whole.size() - ptx.size();
      auto [comment, rest] = ptx.drop_front(2).split(isLine ? "\n" : "*/");
      text += ' ';
      ptx = rest;
      continue;
    }
    size_t end = ptx.find('/', 1);
    text += ptx.take_front(end);
    ptx = ptx.substr(end);
  }
  return text;
}

/// What stands behind each `directive` of a text.
static std::vector<llvm::StringRef> findDirectives(llvm::StringRef text,
                                                   llvm::StringRef directive) {
  std::vector<llvm::StringRef> found;
  for (size_t at = text.find(directive); at != llvm::StringRef::npos;
       at = text.find(directive, at + 1)) {
    llvm::StringRef rest = text.drop_front(at + directive.size());
    if (!rest.empty() && kSpaces.contains(rest.front()))
      found.push_back(rest.ltrim());
  }
  return found;
}

/// Of `.u64`, `.b8` and the like; 0 of other words.
static uint64_t getTypeBytes(llvm::StringRef word) {
  uint64_t bits = 0;
  if (word.size() < 3 || !llvm::StringRef("bsuf").contains(word[1]) ||
      word.drop_front(2).getAsInteger(10, bits))
    return 0;
  return bits / 8;
}

/// Bytes of `.align 64 .b8 name[128]`.
static uint64_t getParameterBytes(llvm::StringRef declaration) {
  auto [element, extents] = declaration.split('[');
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(element, words, kSpaces);
  uint64_t bytes = 0;
  for (llvm::StringRef word : words)
    if (uint64_t typeBytes = getTypeBytes(word))
      bytes = typeBytes;
  while (!extents.empty()) {
    auto [extent, rest] = extents.split(']');
    uint64_t count = 0; // stays where the text states no number
    (void)extent.trim().getAsInteger(0, count);
    bytes = llvm::SaturatingMultiply(bytes, count);
    extents = rest.split('[').second;
  }
  return bytes;
}

static PTXOutline::Entry readEntry(llvm::StringRef text) {
  constexpr llvm::StringLiteral kNameEnd = " \t\r\n({;";
  llvm::StringRef name =
      text.take_until([&](char c) { return kNameEnd.contains(c); });
  PTXOutline::Entry entry{name.str(), {}};
  llvm::StringRef rest = text.drop_front(name.size()).ltrim();
  if (rest.consume_front("(")) // a kernel without parameters may have none
    for (llvm::StringRef declaration :
         findDirectives(rest.split(')').first, ".param"))
      entry.parameterBytes.push_back(
          getParameterBytes(declaration.split(',').first));
  return entry;
}

/// Of both operands, as in
/// "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32".
static bool hasTF32Products(llvm::StringRef text) {
  constexpr llvm::StringLiteral kTypes = ".tf32.tf32";
  for (size_t at = text.find(kTypes); at != llvm::StringRef::npos;
       at = text.find(kTypes, at + 1)) {
    llvm::StringRef before = text.take_front(at);
    llvm::StringRef word =
        before.drop_front(before.find_last_of(" \t\r\n;{}\"") + 1);
    if (word.starts_with("mma.") || word.starts_with("wgmma."))
      return true;
  }
  return false;
}

const PTXOutline::Entry *PTXOutline::find(llvm::StringRef name) const {
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

PTXOutline mlir::mirage::readPTXOutline(llvm::StringRef ptx) {
  size_t openComment = llvm::StringRef::npos;
  std::string text = removeComments(ptx, openComment);
  PTXOutline outline;
  if (openComment != llvm::StringRef::npos)
    outline.openCommentLine = ptx.take_front(openComment).count('\n') + 1;
  for (llvm::StringRef rest : findDirectives(text, ".target"))
    if (outline.target.empty())
      outline.target =
          rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; })
              .str();
  for (llvm::StringRef rest : findDirectives(text, ".entry"))
    outline.entries.push_back(readEntry(rest));
  outline.hasTF32Products = hasTF32Products(text);
  return outline;
}
