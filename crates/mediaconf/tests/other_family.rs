//! A second, tiny schema: servers of web sites. What is done with a document follows the schema of the document.

use mediaconf::plumbing::schema::kinds::{PORT, SECONDS, TEXT};
use mediaconf::plumbing::schema::{
    DirectiveRole, ForeignForm, ForeignKeyword, Group, Kind, Parameter, Schema, Scope, ScopeTable, Shape,
    numbered,
};
use mediaconf::{
    AssignOptions, AssignedValue, Assignment, Completion, Config, Document, EditError, Path, PathUse,
    check_as, diff, explain, modify, to_patch,
};
use serde_json::{Value, json};

static SITES: Schema =
    Schema::new(&[Scope(&TOP), Scope(&SITE), Scope(&UNKNOWN)], &[Kind(&SITE_GROUP)], &[], FOREIGN);

static TOP: ScopeTable = ScopeTable::new(&SITES, "at the top level", Some(""), &TOP_ROWS);
static SITE: ScopeTable = ScopeTable::new(&SITES, "in `site`", Some("site"), &SITE_ROWS);
static UNKNOWN: ScopeTable = ScopeTable::new(&SITES, "in any other block", None, &[]);

static SITE_GROUP: Group = Group {
    key: "sites",
    noun: "site",
    on_demand: None,
    has_sources: false,
    name: "name",
    scope: Scope(&SITE),
    example: "{\"folder\":\"/srv/www\"}",
};

static TOP_ROWS: [Parameter; 2] = numbered([
    Parameter { strict: true, ..Parameter::new("listen", &["listen"], Scope(&TOP), Shape::Value(&PORT)) },
    Parameter {
        strict: true,
        doc: "Sites, by name",
        ..Parameter::new("sites", &["site"], Scope(&TOP), Shape::Group(Kind(&SITE_GROUP)))
    },
]);

static SITE_ROWS: [Parameter; 3] = numbered([
    Parameter {
        doc: "Folder of its pages",
        example: "folder /srv/www;",
        ..Parameter::new("folder", &["folder"], Scope(&SITE), Shape::Value(&TEXT))
    },
    Parameter {
        unit: "s",
        doc: "Time for which a page is kept",
        ..Parameter::new("expires", &["expires"], Scope(&SITE), Shape::Value(&SECONDS))
    },
    Parameter {
        role: Some(DirectiveRole::Disabled),
        doc: "Why it is closed",
        ..Parameter::new("disabled", &["closed"], Scope(&SITE), Shape::Value(&TEXT))
    },
]);

static FOREIGN: &[ForeignKeyword] = &[ForeignKeyword {
    keywords: &["alias"],
    within: &["site"],
    form: ForeignForm::Words,
    repeats: true,
    options: false,
    secret: false,
    names_of: None,
    doc: "Other name, one on a line",
}];

const TEXT_OF_SITES: &str = "\
listen 80;
# the shop
site shop {
  folder   /srv/shop; # all of it
  alias a.example;
  stream cam1;
}
";

fn view(document: &Document) -> Value {
    Config::new(document).to_json()
}

fn set(document: &Document, path: &str, value: &str) -> Result<String, String> {
    let config = Config::new(document);
    let current = config.lookup();
    let path = Path::parse(path).expect("it is a path");
    let assignment = Assignment { path, value: AssignedValue::Typed(value.to_owned()) };
    let computed = to_patch(&current, &[assignment], &[], AssignOptions::default());
    let patch = computed.map_err(|faults| faults.0[0].message.clone())?.patch;
    let edit = modify(document, patch.into()).expect("the patch is valid").expect("it changes something");
    Ok(document.with(&edit.splices).text().to_owned())
}

#[test]
fn it_is_read() {
    let document = Document::parse_as(&SITES, TEXT_OF_SITES);
    let site = json!({ "folder": "/srv/shop", "alias": "a.example", "stream": "cam1" });
    assert_eq!(view(&document), json!({ "listen": 80, "sites": { "shop": site } }));
    assert_eq!(
        view(&Document::parse_as(&SITES, "stream a { prepush 5; }")),
        json!({
            "sites": {},
            "stream": { "a": { "prepush": 5 } },
        })
    );
}

#[test]
fn values_are_set_in_it() {
    let document = Document::parse_as(&SITES, TEXT_OF_SITES);
    assert_eq!(
        set(&document, "sites.shop.expires", "90").as_deref(),
        Ok(&*TEXT_OF_SITES.replace("cam1;\n", "cam1;\n  expires 90;\n"))
    );
    assert_eq!(
        set(&document, "sites.shop.disabled", "rebuilt").as_deref(),
        Ok(&*TEXT_OF_SITES.replace("cam1;\n", "cam1;\n  closed rebuilt;\n"))
    );
    assert_eq!(
        set(&document, "sites.shop.alias[+]", "b.example").as_deref(),
        Ok(&*TEXT_OF_SITES.replace("a.example;\n", "a.example;\n  alias b.example;\n"))
    );
    assert_eq!(
        set(&document, "sites.ship.folder", "/x"),
        Err("`sites.ship.folder`: there is no site `ship`".to_owned())
    );
    assert_eq!(set(&document, "sites.shop.foldr", "/x"), Ok(TEXT_OF_SITES.replace("}", "  foldr /x;\n}")));
}

#[test]
fn a_patch_is_merged_into_it() {
    let document = Document::parse_as(&SITES, TEXT_OF_SITES);
    let patch = json!({ "listen": 8080, "sites": { "blog": { "folder": "/srv/blog" } } });
    let edit = modify(&document, patch.clone()).expect("it is valid").expect("it changes something");
    let after = document.with(&edit.splices);
    let expected = TEXT_OF_SITES.replace("80", "8080") + "site blog {\n  folder /srv/blog;\n}\n";
    assert_eq!(after.text(), expected);
    assert_eq!(Value::Object(diff(&SITES, &view(&document), &view(&after))), patch);
    let Err(EditError::Faults(faults)) = modify(&document, json!({ "listen": "port" })) else {
        panic!("`port` is no port")
    };
    assert_eq!(faults.0[0].pointer.as_ref().map(ToString::to_string).as_deref(), Some("/listen"));
    let misspelt = modify(&document, json!({ "sites": { "shop": { "foldr": "/x" } } }));
    let guarded = misspelt.expect("it is valid").expect("it changes something").guarded;
    assert_eq!(guarded.0[0].message, "`foldr` is not known here");
}

#[test]
fn it_is_checked() {
    let messages = |text: &str| -> Vec<String> {
        check_as(&SITES, text).iter().map(|found| found.message.clone()).collect()
    };
    assert_eq!(messages(TEXT_OF_SITES), [""; 0]);
    assert_eq!(
        messages("listen port;\n"),
        ["`listen` has the wrong form: it takes a port from 0 to 65535, or HOST:PORT"]
    );
    assert_eq!(messages("site a {}\nsite a {}\n"), ["the site `a` is defined twice"]);
    assert_eq!(messages("site a { foldr /x; }\n"), ["unknown directive `foldr`"]);
    assert_eq!(messages("stream a;\nrtmp port;\n"), [""; 0]);
}

#[test]
fn its_paths_are_completed_and_explained() {
    let document = Document::parse_as(&SITES, TEXT_OF_SITES);
    let config = Config::new(&document);
    let current = config.lookup();
    let completion = Completion { current: &current, base: &[], path_use: PathUse::Settable };
    let proposed = |typed: &str| -> Vec<String> {
        completion.candidates(typed).into_iter().map(|proposal| proposal.text).collect()
    };
    assert_eq!(proposed("li"), ["listen="]);
    assert_eq!(proposed("sites.shop.fo"), ["sites.shop.folder=/srv/shop", "sites.shop.folder=/srv/www"]);
    assert_eq!(proposed("str"), [""; 0]);
    let explained =
        explain(&current, &Path::parse("sites.shop.expires").expect("it is a path")).expect("it is a row");
    assert_eq!(
        (explained.unit, explained.documentation.as_str()),
        (Some("s"), "Time for which a page is kept")
    );
}
