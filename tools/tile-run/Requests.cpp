//===- Requests.cpp - Command lines that one process runs -----------------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requests.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tilewright;

Expected<Request> Request::parse(StringRef line) {
  Expected<json::Value> value = json::parse(line);
  if (!value)
    return value.takeError();
  Request request;
  json::Path::Root root("request");
  json::ObjectMapper mapper(*value, root);
  if (mapper && mapper.map("arguments", request.arguments) &&
      mapper.map("source", request.source))
    return request;
  return root.getError();
}

std::string Request::describeKernel() const {
  std::string text = source.value_or("");
  for (size_t index = 0; index < arguments.size(); ++index) {
    StringRef argument = StringRef(arguments[index]).ltrim('-');
    if (argument == "args")
      ++index;
    else if (!argument.starts_with("args="))
      text.append({'\0'}).append(arguments[index]);
  }
  return text;
}

Expected<RequestReader> RequestReader::open(StringRef path) {
  if (path == "-")
    return RequestReader(stdin, "standard input");
  if (std::FILE *file = std::fopen(path.str().c_str(), "r"))
    return RequestReader(file, path);
  return createStringError(
      "cannot read '" + path +
      "': " + std::error_code(errno, std::generic_category()).message());
}

Expected<std::optional<Request>> RequestReader::next() {
  std::string text;
  ++line;
  for (int c = std::fgetc(file.get()); c != EOF && c != '\n';
       c = std::fgetc(file.get()))
    text.push_back(static_cast<char>(c));
  if (std::ferror(file.get()))
    return createStringError("cannot read " + path);
  if (text.empty() && std::feof(file.get()))
    return std::nullopt;
  Expected<Request> request = Request::parse(text);
  if (!request)
    return createStringError("request " + Twine(line) + " of " + path + ": " +
                             toString(request.takeError()));
  return std::move(*request);
}
