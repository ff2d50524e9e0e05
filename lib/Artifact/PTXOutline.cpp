//===- PTXOutline.cpp - What PTX says of its kernels ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTXOutline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::mirage;

constexpr llvm::StringLiteral kSpaces = " \t\r\n";

/// PTX has the comments of C++; each becomes a space.
static std::string removeComments(llvm::StringRef ptx) {
  std::string text;
  while (!ptx.empty()) {
    bool isLine = ptx.starts_with("//");
    if (isLine || ptx.starts_with("/*")) {
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

static PTXOutline::Entry readEntry(llvm::StringRef text) {
  constexpr llvm::StringLiteral kNameEnd = " \t\r\n({;";
  llvm::StringRef name =
      text.take_until([&](char c) { return kNameEnd.contains(c); });
  llvm::StringRef rest = text.drop_front(name.size()).ltrim();
  size_t numParameters = 0;
  if (rest.consume_front("(")) // a kernel without parameters may have none
    numParameters = findDirectives(rest.split(')').first, ".param").size();
  return {name.str(), numParameters};
}

const PTXOutline::Entry *PTXOutline::find(llvm::StringRef name) const {
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

PTXOutline mlir::mirage::readPTXOutline(llvm::StringRef ptx) {
  std::string text = removeComments(ptx);
  PTXOutline outline;
  for (llvm::StringRef rest : findDirectives(text, ".target"))
    if (outline.target.empty())
      outline.target =
          rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; })
              .str();
  for (llvm::StringRef rest : findDirectives(text, ".entry"))
    outline.entries.push_back(readEntry(rest));
  return outline;
}
