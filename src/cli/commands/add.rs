//! `mediactl add`

use serde_json::{Map, Value, json};

use crate::cli::args::add::AddArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::assignments::set;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::report::Verb;
use crate::cli::ui::Ui;
use crate::engine::Guard;
use mediaconf::edit::assign::{AssignOptions, AssignedValue};
use mediaconf::edit::block_request::{BlockContent, BlockRequest};
use mediaconf::edit::path::{Path, Segment};
use mediaconf::edit::request::ChangeRequest;
use mediaconf::model::Kind;

pub fn run(args: &AddArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let change = ChangeCommand::new(&args.changing, Verb::MODIFY).named("add");
    let kind = Kind::from(args.kind);
    if kind != Kind::Stream && !args.urls.is_empty() {
        return Err(CliError::usage(
            format!("a {} has no sources", kind.noun()),
            "leave the URL out; `--set` sets its values",
        ));
    }
    let assignments =
        args.set.iter().map(|text| set(text, AssignedValue::Typed)).collect::<Result<_, _>>()?;
    let request = ChangeRequest::from(
        BlockRequest {
            content: BlockContent::New(content(kind, &args.urls)),
            to: Path { segments: vec![Segment::Key(kind.key().to_owned()), Segment::Key(args.name.clone())] },
            place: (&args.place).into(),
            assignments: Vec::new(),
            options: AssignOptions {
                one_word: change.options.accepts(&Guard::FormChange),
                near_misses: change.options.accepts(&Guard::NearMiss),
                ..AssignOptions::default()
            },
        }
        .with_edits(assignments),
    );
    change.of(&request).run(global, ui, |service, options| service.modify(&request, options))
}

/// What the new block has at first.
fn content(kind: Kind, urls: &[String]) -> Map<String, Value> {
    let urls: Vec<Value> = urls.iter().map(|url| json!({ "url": url })).collect();
    let sources = (kind == Kind::Stream).then(|| ("urls".to_owned(), Value::Array(urls)));
    sources.into_iter().collect()
}
