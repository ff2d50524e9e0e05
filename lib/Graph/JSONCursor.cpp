//===- JSONCursor.cpp - Reads JSON and says where it fails ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/JSONCursor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// What stands there, short enough for a message.
static std::string describe(const Value &value) {
  if (value.kind() == Value::Object)
    return "an object";
  if (value.kind() == Value::Array)
    return "an array";
  std::string text;
  llvm::raw_string_ostream(text) << value;
  constexpr size_t kLongest = 40;
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

void JSONCursor::fail(const llvm::Twine &message) const {
  if (error->empty())
    *error = (path.empty() ? message : path + ": " + message).str();
}

void JSONCursor::expect(const llvm::Twine &what) const {
  fail("expects " + what + ", got " + (value ? describe(*value) : "nothing"));
}

bool JSONCursor::has(llvm::StringRef member) const {
  const Object *object = value ? value->getAsObject() : nullptr;
  return object && object->get(member);
}

JSONCursor JSONCursor::operator[](llvm::StringRef member) const {
  const Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    expect("an object");
  std::string below = path.empty() ? member.str() : path + "." + member.str();
  return JSONCursor(object ? object->get(member) : nullptr, below, error);
}

std::vector<JSONCursor> JSONCursor::array() const {
  std::vector<JSONCursor> elements;
  const Array *array = value ? value->getAsArray() : nullptr;
  if (!array) {
    expect("an array");
    return elements;
  }
  for (size_t i = 0; i < array->size(); ++i)
    elements.push_back(
        JSONCursor(&(*array)[i], path + "[" + std::to_string(i) + "]", error));
  return elements;
}

std::vector<std::pair<std::string, JSONCursor>> JSONCursor::members() const {
  std::vector<std::pair<std::string, JSONCursor>> list;
  const Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    expect("an object");
  else
    for (const auto &member : *object)
      list.emplace_back(member.first.str(), (*this)[member.first]);
  return list;
}

void JSONCursor::allow(llvm::ArrayRef<llvm::StringRef> names) const {
  for (const auto &[name, member] : members())
    if (!llvm::is_contained(names, name))
      fail("expects members among " + llvm::join(names, ", ") + ", got " +
           name);
}

int64_t JSONCursor::integer(int64_t least, int64_t most) const {
  std::optional<int64_t> found;
  if (value)
    found = value->getAsInteger();
  if (found && *found >= least && *found <= most)
    return *found;
  expect(!found ? "an integer"
                : "an integer from " + std::to_string(least) + " to " +
                      std::to_string(most));
  return 0;
}

std::string JSONCursor::string() const {
  std::optional<llvm::StringRef> found;
  if (value)
    found = value->getAsString();
  if (!found)
    expect("a string");
  return found.value_or("").str();
}

bool mlir::mirage::isOneLine(llvm::StringRef name) {
  return llvm::none_of(name,
                       [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::string JSONCursor::name() const {
  std::string name = string();
  if (isOneLine(name))
    return name;
  expect("a name without control characters");
  return "";
}

bool JSONCursor::boolean() const {
  std::optional<bool> found;
  if (value)
    found = value->getAsBoolean();
  if (!found)
    expect("true or false");
  return found.value_or(false);
}

Value JSONCursor::raw() const {
  if (value)
    return *value;
  expect("a value");
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static constexpr unsigned kMaxNesting = 256;

/// Where nesting passes the limit, or npos. Strings are skipped.
static size_t findTooDeep(llvm::StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (inString && c == '\\')
      ++at;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '[' || c == '{') && ++depth > kMaxNesting)
      return at;
    else if (!inString && (c == ']' || c == '}') && depth > 0)
      --depth;
  }
  return llvm::StringRef::npos;
}

llvm::Expected<llvm::json::Value>
mlir::mirage::parseJSON(llvm::StringRef text) {
  size_t at = findTooDeep(text);
  if (at == llvm::StringRef::npos)
    return llvm::json::parse(text);
  llvm::StringRef before = text.take_front(at);
  size_t line = before.count('\n') + 1;
  size_t column = at - (before.rfind('\n') + 1) + 1;
  return llvm::createStringError("[" + llvm::Twine(line) + ":" +
                                 llvm::Twine(column) + "]: expects at most " +
                                 llvm::Twine(kMaxNesting) +
                                 " nested arrays and objects, got more");
}
