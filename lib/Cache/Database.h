//===- Database.h - A connection to an SQLite file --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CACHE_DATABASE_H
#define MIRAGE_CACHE_DATABASE_H

#include "Mirage/Cache/Record.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>

struct sqlite3;
struct sqlite3_stmt;

namespace mlir::mirage::cache {

/// What went wrong with a file.
class DatabaseError : public llvm::ErrorInfo<DatabaseError> {
public:
  enum Kind : uint8_t {
    Failed, ///< now, or here: no permission, no space, somebody keeps it locked
    Missing, ///< there is no file, or nothing in it
    Broken,  ///< the file is no cache of this format, or damaged
  };

  static char ID;
  DatabaseError(Kind kind, std::string message)
      : kind(kind), message(std::move(message)) {}

  Kind getKind() const { return kind; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  Kind kind;
  std::string message;
};
/// The kind of an error that a Database gave; the error stays.
DatabaseError::Kind getKind(const llvm::Error &error);

/// An open cache file. Members of a record are read and written as texts.
class Database {
public:
  /// Opens a file and looks whether it is a cache of this format. Missing for a
  /// file that is not there or empty.
  static llvm::Expected<std::unique_ptr<Database>> open(llvm::StringRef path,
                                                        bool isWritable);
  /// Makes the tables in a file that is not there or empty.
  static llvm::Expected<std::unique_ptr<Database>> create(llvm::StringRef path);
  ~Database();

  /// The value under a key, with a checksum that holds; `isDamaged` is set
  /// where it does not, and nothing given.
  llvm::Expected<std::optional<std::string>>
  lookup(RecordKind kind, const RecordKey &key, bool &isDamaged);
  llvm::Error store(RecordKind kind, const RecordKey &key,
                    llvm::StringRef value);
  llvm::Error remove(RecordKind kind, const RecordKey &key);
  /// Calls `visit` with every record of a kind, ordered by key, and whether its
  /// checksum holds.
  llvm::Error forEachRecord(
      RecordKind kind,
      llvm::function_ref<llvm::Error(const Record &, bool isDamaged)> visit);
  /// The same of the times of one program, by its hash with sizes.
  llvm::Error forEachTime(
      llvm::StringRef program,
      llvm::function_ref<llvm::Error(const Record &, bool isDamaged)> visit);
  /// Calls `work` inside a transaction, which an error undoes.
  llvm::Error transact(llvm::function_ref<llvm::Error()> work);

private:
  class Statement;

  explicit Database(sqlite3 *connection) : connection(connection) {}
  static llvm::Expected<std::unique_ptr<Database>> connect(llvm::StringRef path,
                                                           int flags);
  static llvm::Expected<std::unique_ptr<Database>>
  openReadOnly(llvm::StringRef path);
  llvm::Error makeError(int code) const;
  llvm::Error execute(const std::string &sql);
  llvm::Expected<int64_t> readNumber(const std::string &sql);
  /// \param texts  of the parameters, in order; they outlive the statement.
  llvm::Expected<std::unique_ptr<Statement>>
  prepare(const std::string &sql, llvm::ArrayRef<llvm::StringRef> texts);
  llvm::Error forEachRow(
      RecordKind kind, const std::string &condition,
      llvm::ArrayRef<llvm::StringRef> texts,
      llvm::function_ref<llvm::Error(const Record &, bool isDamaged)> visit);
  llvm::Error checkFormat();
  llvm::Error createTables();

  sqlite3 *connection;
};

} // namespace mlir::mirage::cache

#endif // MIRAGE_CACHE_DATABASE_H
