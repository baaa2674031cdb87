//! Vim and Neovim with the settings of `examples/editors`, without a screen.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::{CONF, PROGRAM, Place};
use crate::needs::needs;

/// A text with a fault in its third line.
const FAULTY: &str = "http 80;\nstream cam1 {\n  prepsh 5;\n  url udp://1;\n}\n";

fn settings(editor: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/editors").join(editor).display().to_string()
}

/// The search path of programs, with the folder of the program under test in front.
fn search_path() -> String {
    let own = Path::new(PROGRAM).parent().expect("the program is in a folder");
    format!("{}:{}", own.display(), std::env::var("PATH").unwrap_or_default())
}

/// Runs an editor with commands, and returns what they wrote into `found`.
fn run(place: &Place, mut editor: Command, commands: &[&str]) -> String {
    let script: PathBuf = place.path("commands.vim");
    fs::write(&script, commands.join("\n")).expect("a new folder is writable");
    editor.args(["-S".as_ref(), script.as_os_str()]).arg(CONF).current_dir(place.path("."));
    editor.env("PATH", search_path()).env("HOME", place.path("home")).env("LC_ALL", "C.UTF-8");
    let output = editor.output().expect("the editor can be started");
    fs::read_to_string(place.path("found")).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn vim_knows_the_file_and_make_shows_what_check_finds() {
    if !needs("vim") {
        return;
    }
    let place = Place::with(FAULTY);
    place.put("other", format!("{FAULTY}# vim: ft=mediaconf\n"));
    let mut vim = Command::new("vim");
    vim.args(["-n", "-es", "-u", "NONE", "--cmd"])
        .arg(format!("set nocompatible modeline rtp^={}", settings("vim")));
    vim.args(["--cmd", "filetype plugin on", "--cmd", "syntax on"]);
    let found = run(
        &place,
        vim,
        &[
            "let found = [&filetype, &commentstring]",
            "let found += map([[1, 1], [2, 1], [3, 3], [4, 3]], 'synIDattr(synID(v:val[0], v:val[1], 0), \"name\")')",
            "silent make!",
            "let found += map(getqflist(), 'bufname(v:val.bufnr) .. \":\" .. v:val.lnum .. \":\" .. v:val.col .. \" \" .. v:val.type .. v:val.text')",
            "edit other",
            "call add(found, &filetype)",
            "call writefile(found, 'found')",
            "qall!",
        ],
    );
    let expected = "mediaconf\n# %s\nmediaconfDirective\nmediaconfBlock\nmediaconfFirst\nmediaconfDirective\n\
                    media.conf:3:3 wunknown directive `prepsh`\nmediaconf\n";
    assert_eq!(found, expected);
}

#[test]
fn neovim_shows_faults_while_one_types_and_mends_them() {
    if !needs("nvim") {
        return;
    }
    let place = Place::with(FAULTY);
    let mut nvim = Command::new("nvim");
    let both = format!("set rtp^={},{}", settings("vim"), settings("nvim"));
    nvim.args(["--headless", "-n", "-u", "NONE", "--cmd"]).arg(both).args(["--cmd", "filetype plugin on"]);
    let found = run(
        &place,
        nvim,
        &[
            "lua << END",
            "local found = { vim.bo.filetype }",
            "local function until_faults(count)",
            "  local is_so = function() return #vim.diagnostic.get(0) == count end",
            "  table.insert(found, tostring(vim.wait(60000, is_so)))",
            "end",
            "until_faults(1)",
            "local fault = vim.diagnostic.get(0)[1]",
            "table.insert(found, (fault.lnum + 1) .. ':' .. (fault.col + 1) .. ' ' .. fault.message:gsub('\\n.*', ''))",
            "local function ask(method, line, character, more)",
            "  local params = { textDocument = vim.lsp.util.make_text_document_params(0) }",
            "  params.position = { line = line, character = character }",
            "  params = vim.tbl_extend('force', params, more or {})",
            "  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 60000) or {}) do return answer.result end",
            "end",
            "local place = { line = 2, character = 3 }",
            "local part = { range = { start = place, ['end'] = place }, context = { diagnostics = {} } }",
            "local fix = ask('textDocument/codeAction', 0, 0, part)[1]",
            "table.insert(found, fix.title)",
            "vim.lsp.util.apply_workspace_edit(fix.edit, 'utf-16')",
            "until_faults(0)",
            "table.insert(found, vim.fn.getline(3))",
            "table.insert(found, (ask('textDocument/hover', 2, 3).contents.value:gsub('\\n.*', '')))",
            "vim.lsp.util.apply_workspace_edit(ask('textDocument/rename', 1, 8, { newName = 'gate' }), 'utf-16')",
            "table.insert(found, vim.fn.getline(2))",
            "vim.fn.writefile(found, 'found')",
            "END",
            "qall!",
        ],
    );
    let expected = "mediaconf\ntrue\n3:3 unknown directive `prepsh`\nreplace it by `prepush`\ntrue\n  prepush 5;\n\
                    **prepush**: How much is buffered before playing starts; off buffers nothing\nstream gate {\n";
    assert_eq!(found, expected);
}
