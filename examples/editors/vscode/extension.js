// Starts `mediactl lsp` for the configurations of media servers.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("mediactl").get("path");
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("mediactl", "mediactl", server, { documentSelector: [{ language: "mediaconf" }] });
  return client.start();
};

exports.deactivate = () => client?.stop();
