//===- Proxy.cpp - Between an editor and MLIR's language server -----------===//
//
// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Proxy.h"

#include "SourceCheck.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LSP/Transport.h"

#include <cerrno>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace tilewright;

namespace {

/// The texts that the server has not answered yet, and what is said about them.
class Documents {
public:
  explicit Documents(const GpuTarget &target) : target(target) {}

  /// Takes note of what the editor says. Returns whether that was changed: a
  /// text that MLIR's parser does not bear is empty for the server.
  bool note(json::Object &message) {
    std::optional<StringRef> method = message.getString("method");
    json::Object *params = message.getObject("params");
    json::Object *document =
        params ? params->getObject("textDocument") : nullptr;
    std::optional<StringRef> uri =
        document ? document->getString("uri") : std::nullopt;
    if (!uri)
      return false;
    json::Object *holder = nullptr;
    if (method == "textDocument/didOpen")
      holder = document;
    else if (method == "textDocument/didChange")
      holder = getChange(*params);
    std::optional<StringRef> text =
        holder ? holder->getString("text") : std::nullopt;
    if (!text)
      return false;
    bool isParsed = canBeParsed(*text);
    {
      std::lock_guard<std::mutex> lock(mutex);
      texts[*uri][document->getInteger("version").value_or(0)] = text->str();
    }
    if (!isParsed)
      (*holder)["text"] = "";
    return !isParsed;
  }

  /// Puts the compiler's diagnostics, and our name, into what MLIR's server
  /// says.
  void complete(json::Object &message) {
    if (json::Object *result = message.getObject("result"))
      if (result->getObject("serverInfo"))
        (*result)["serverInfo"] = json::Object{{"name", "tile-lsp-server"},
                                               {"version", TILEWRIGHT_VERSION}};
    json::Object *params = message.getObject("params");
    if (!params ||
        message.getString("method") != "textDocument/publishDiagnostics")
      return;
    std::string uri = params->getString("uri").value_or("").str();
    // Of a file that was closed, there is none: it has no errors any more.
    std::optional<std::string> text =
        take(uri, params->getInteger("version").value_or(0));
    if (text)
      (*params)["diagnostics"] = checkSource(*text, uri, target);
  }

private:
  /// The server asks for whole texts; an editor may send several.
  static json::Object *getChange(json::Object &params) {
    json::Array *changes = params.getArray("contentChanges");
    return changes && !changes->empty() ? changes->back().getAsObject()
                                        : nullptr;
  }

  std::optional<std::string> take(StringRef uri, int64_t version) {
    std::lock_guard<std::mutex> lock(mutex);
    std::map<int64_t, std::string> &versions = texts[uri];
    auto found = versions.find(version);
    if (found == versions.end())
      return std::nullopt;
    std::string text = std::move(found->second);
    versions.erase(versions.begin(), std::next(found));
    return text;
  }

  GpuTarget target;
  std::mutex mutex;
  StringMap<std::map<int64_t, std::string>> texts;
};

void writeMessage(raw_ostream &os, StringRef text) {
  os << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  os.flush();
}

/// What the editor says, to the server, up to "exit".
void forwardRequests(lsp::JSONTransportInput &editor, Documents &documents,
                     raw_ostream &server) {
  std::string text;
  while (!editor.isEndOfInput() && !editor.hasError()) {
    if (failed(editor.readMessage(text)))
      continue;
    bool isLast = false;
    if (Expected<json::Value> message = json::parse(text)) {
      if (json::Object *object = message->getAsObject()) {
        isLast = object->getString("method") == "exit";
        if (documents.note(*object))
          text = formatv("{0}", *message).str();
      }
    } else {
      consumeError(message.takeError()); // The server says so.
    }
    writeMessage(server, text);
    if (isLast)
      return;
  }
}

/// What the server says, to the editor.
void forwardReplies(lsp::JSONTransportInput &server, Documents &documents,
                    raw_ostream &editor, bool isPretty) {
  std::string text;
  while (!server.isEndOfInput() && !server.hasError()) {
    if (failed(server.readMessage(text)))
      continue;
    Expected<json::Value> message = json::parse(text);
    if (!message) {
      consumeError(message.takeError());
      continue;
    }
    if (json::Object *object = message->getAsObject())
      documents.complete(*object);
    writeMessage(editor, isPretty ? formatv("{0:2}", *message).str()
                                  : formatv("{0}", *message).str());
  }
}

/// A pipe in place of a standard stream while this lives.
class Redirection {
public:
  explicit Redirection(int stream) : stream(stream), real(dup(stream)) {
    int ends[2] = {-1, -1};
    if (real < 0 || pipe(ends) != 0)
      return;
    // Standard input is read from the pipe, standard output written to it.
    bool isInput = stream == STDIN_FILENO;
    dup2(ends[isInput ? 0 : 1], stream);
    close(ends[isInput ? 0 : 1]);
    other = ends[isInput ? 1 : 0];
  }
  ~Redirection() {
    restore();
    if (real >= 0)
      close(real);
  }
  /// Ends the server's side.
  void restore() {
    if (real >= 0)
      dup2(real, stream);
  }

  bool isValid() const { return other >= 0; }
  /// The stream that the process was started with.
  int getReal() const { return real; }
  /// Our end of the pipe; whoever takes it closes it.
  int getOther() const { return other; }

private:
  int stream, real, other = -1;
};

struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

} // namespace

Error tilewright::runBehindProxy(const ProxyOptions &options,
                                 function_ref<void()> server) {
  outs().flush();
  Redirection input(STDIN_FILENO), output(STDOUT_FILENO);
  if (!input.isValid() || !output.isValid())
    return errorCodeToError(errnoAsErrorCode());
  File fromEditor(fdopen(dup(input.getReal()), "r"));
  File fromServer(fdopen(output.getOther(), "r"));
  raw_fd_ostream toEditor(output.getReal(), /*shouldClose=*/false);
  Documents documents(options.target);

  std::thread requests([&] {
    raw_fd_ostream toServer(input.getOther(), /*shouldClose=*/true);
    lsp::JSONTransportInputOverFile editor(
        fromEditor.get(), options.isDelimited ? lsp::JSONStreamStyle::Delimited
                                              : lsp::JSONStreamStyle::Standard);
    forwardRequests(editor, documents, toServer);
  });
  std::thread replies([&] {
    lsp::JSONTransportInputOverFile reader(fromServer.get());
    forwardReplies(reader, documents, toEditor, options.isPretty);
  });
  server();
  outs().flush();
  output.restore();
  requests.join();
  replies.join();
  return Error::success();
}
