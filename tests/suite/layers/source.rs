//! Reads both libraries as trees of modules: what each one defines, imports and names.
//!
//! Code that is only compiled for tests is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

/// The words that stand in front of the name of an item.
const ITEM_WORDS: &[&str] = &["struct", "enum", "trait", "fn", "const", "static", "type", "union"];

/// The names of a path, such as `crate`, `store`, `lock`.
pub type Names = Vec<String>;

/// An import: `use PATH as NAME`.
pub struct Import {
    pub path: Names,
    /// The name that it has here; `None` for all names of the path (`*`).
    pub name: Option<String>,
    /// True if other modules see it: then it passes a name on, and is not needed here.
    pub is_reexport: bool,
}

/// A function, and every name in its body.
pub struct Function {
    pub name: String,
    pub mentions: BTreeSet<String>,
}

/// A module, which is a file or a part of one.
#[derive(Default)]
pub struct Module {
    /// The file, relative to `src`; below `mediaconf/` for that library.
    pub file: PathBuf,
    /// The module at the top of its library.
    pub root: usize,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    pub items: BTreeSet<String>,
    /// Structs, enums and traits.
    pub types: Vec<String>,
    pub imports: Vec<Import>,
    /// The paths in code.
    pub paths: Vec<Names>,
    pub macros: BTreeSet<String>,
    pub functions: Vec<Function>,
}

/// The modules of `mediaconf`, whose root is the first one, and of the program's library.
pub struct Source {
    pub modules: Vec<Module>,
}

impl Source {
    /// Reads the libraries, from `lib.rs` on.
    pub fn read() -> Self {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut modules = Vec::new();
        for (folder, prefix) in [("crates/mediaconf/src", "mediaconf"), ("src", "")] {
            let (folder, prefix) = (top.join(folder), PathBuf::from(prefix));
            let mut reader = Reader { folder, prefix, root: modules.len(), modules };
            reader.read_file(Path::new("lib.rs"), Path::new(""), None);
            modules = reader.modules;
        }
        Self { modules }
    }

    /// The modules with what lies in a file or folder.
    pub fn below(&self, folder: &str) -> impl Iterator<Item = &Module> {
        self.modules.iter().filter(move |module| module.file.starts_with(folder))
    }
}

/// Reads one library.
struct Reader {
    folder: PathBuf,
    /// What the names of its files begin with.
    prefix: PathBuf,
    root: usize,
    modules: Vec<Module>,
}

impl Reader {
    /// Reads a file and the files of its modules, which lie in the folder `inner`.
    fn read_file(&mut self, file: &Path, inner: &Path, parent: Option<usize>) -> usize {
        let text = fs::read_to_string(self.folder.join(file)).expect("a module has its file");
        let parsed = syn::parse_file(&text).expect("the library compiles");
        self.read_module(file, inner, parent, &parsed.items)
    }

    fn read_module(&mut self, file: &Path, inner: &Path, parent: Option<usize>, items: &[Item]) -> usize {
        let index = self.modules.len();
        let named = self.prefix.join(file);
        self.modules.push(Module { file: named, root: self.root, parent, ..Module::default() });
        for item in items {
            let Item::Mod(module) = item else {
                self.modules[index].visit_item(item);
                continue;
            };
            if is_for_tests(&module.attrs) {
                continue;
            }
            let name = module.ident.to_string();
            let folder = inner.join(&name);
            let child = match &module.content {
                Some((_, items)) => self.read_module(file, &folder, Some(index), items),
                None => {
                    let beside = folder.with_extension("rs");
                    let is_beside = self.folder.join(&beside).exists();
                    let file = if is_beside { beside } else { folder.join("mod.rs") };
                    self.read_file(&file, &folder, Some(index))
                }
            };
            self.modules[index].children.insert(name, child);
        }
        index
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Impl(item) => (&item.attrs, None),
            Item::Use(item) => (&item.attrs, None),
            _ => return visit::visit_item(self, item),
        };
        if is_for_tests(attributes) {
            return;
        }
        if let Some(name) = name {
            self.items.insert(name.to_string());
            if matches!(item, Item::Struct(_) | Item::Enum(_) | Item::Trait(_)) {
                self.types.push(name.to_string());
            }
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_reexport = !matches!(item.vis, Visibility::Inherited);
        import(&item.tree, Vec::new(), is_reexport, &mut self.imports);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add_function(&function.sig.ident, Some(&function.block));
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add_function(&function.sig.ident, Some(&function.block));
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.add_function(&function.sig.ident, function.default.as_ref());
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.macros.extend(call.path.segments.last().map(|segment| segment.ident.to_string()));
        self.read_tokens(call.tokens.clone());
    }
}

impl Module {
    fn add_function(&mut self, name: &syn::Ident, body: Option<&syn::Block>) {
        let mut mentions = Mentions(BTreeSet::new());
        body.into_iter().for_each(|body| mentions.visit_block(body));
        self.functions.push(Function { name: name.to_string(), mentions: mentions.0 });
    }

    /// Finds items and paths in the tokens of a macro, which have no other structure.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut path = Names::new();
        let mut previous = String::new();
        for token in tokens {
            match &token {
                TokenTree::Ident(name) => {
                    if ITEM_WORDS.contains(&previous.as_str()) {
                        self.items.insert(name.to_string());
                    }
                    if previous != "::" {
                        self.end_path(&mut path);
                    }
                    path.push(name.to_string());
                }
                TokenTree::Group(group) => {
                    self.end_path(&mut path);
                    self.read_tokens(group.stream());
                }
                _ => {}
            }
            let text = token.to_string();
            let goes_on = text == ":" && previous == ":";
            if !goes_on && !matches!(token, TokenTree::Ident(_)) && text != ":" {
                self.end_path(&mut path);
            }
            previous = if goes_on { "::".to_owned() } else { text };
        }
        self.end_path(&mut path);
    }

    /// Takes a path from the tokens of a macro. A single name in lower case may be a variable.
    fn end_path(&mut self, path: &mut Names) {
        let is_variable = path.len() == 1 && !path[0].starts_with(char::is_uppercase);
        if !path.is_empty() && !is_variable {
            self.paths.push(path.clone());
        }
        path.clear();
    }
}

/// Every name in a piece of code.
struct Mentions(BTreeSet<String>);

impl<'ast> Visit<'ast> for Mentions {
    fn visit_ident(&mut self, name: &'ast syn::Ident) {
        self.0.insert(name.to_string());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let mut groups = vec![call.tokens.clone()];
        while let Some(tokens) = groups.pop() {
            for token in tokens {
                match token {
                    TokenTree::Ident(name) => self.visit_ident(&name),
                    TokenTree::Group(group) => groups.push(group.stream()),
                    _ => {}
                }
            }
        }
    }
}

/// Takes a `use` apart.
fn import(tree: &UseTree, mut path: Names, is_reexport: bool, imports: &mut Vec<Import>) {
    let (last, name) = match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            return import(&inner.tree, path, is_reexport, imports);
        }
        UseTree::Group(group) => {
            return group.items.iter().for_each(|tree| import(tree, path.clone(), is_reexport, imports));
        }
        UseTree::Name(name) if name.ident == "self" => (None, path.last().cloned()),
        UseTree::Name(name) => (Some(&name.ident), Some(name.ident.to_string())),
        UseTree::Rename(renamed) => (Some(&renamed.ident), Some(renamed.rename.to_string())),
        UseTree::Glob(_) => (None, None),
    };
    path.extend(last.map(ToString::to_string));
    imports.push(Import { path, name, is_reexport });
}

/// True if an item has `#[cfg(test)]`.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}
