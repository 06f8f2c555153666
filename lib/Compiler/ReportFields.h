//===- ReportFields.h - What is shown of a report ---------------*- C++ -*-===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kind of fact is a list of fields, written once: the JSON report has all
// of them under their keys, pages and tables have a column for each heading.
//
//   for (const ReportField &field : fieldsOf(kernel.products[0]))
//     field.key, field.heading, field.value;   // "m", "m", 128
//
//===----------------------------------------------------------------------===//

#ifndef TILEWRIGHT_LIB_COMPILER_REPORTFIELDS_H
#define TILEWRIGHT_LIB_COMPILER_REPORTFIELDS_H

#include "tilewright/Compiler/KernelReport.h"

namespace tilewright {

struct ReportField {
  llvm::StringRef key;
  llvm::StringRef heading;
  /// Null where there is nothing to say: JSON leaves it out.
  llvm::json::Value value;
};
using ReportRecord = std::vector<ReportField>;

/// Facts of one kind. All records of a section have the same fields.
struct ReportSection {
  llvm::StringRef key; ///< In JSON.
  std::string title;
  std::vector<ReportRecord> records;
  /// A JSON object, not an array of such.
  bool isSingle = false;
};

/// All that is known of the kernel but its summary and the candidates of its
/// layouts; sections without records are left out of pages.
std::vector<ReportSection> sectionsOf(const KernelReport &kernel);
/// The candidates of a tile's layout.
std::vector<ReportRecord> candidatesOf(const SharedTileReport &tile);

/// "512 tensor cores, 384 shared memory": what takes any clocks.
std::string describeClocks(const TimeBound &time);

/// What a thread has too few registers for, as ptxas says, and what to do;
/// empty where it has enough.
std::string describeShortage(const PtxasResources &resources);

/// The value for people: the line of a place, "yes" and "no", four digits of a
/// fraction; empty for null.
std::string toText(const llvm::json::Value &value);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILER_REPORTFIELDS_H
