use super::*;
use crate::engine::Guard;
use crate::http::protocol::routes::ROUTES;

impl Values {
    fn example(&self) -> &'static str {
        match self {
            Self::Switch(_) => "true",
            Self::OneOf([_, second], _) => second,
            Self::Words(words, _) => words[0],
            Self::Guards(_) => "form-change,near-miss",
            Self::Command(_) => "fmt",
            Self::Base(_) => "000102030405060708090a0b0c0d0e0f",
            Self::Nodes(_) => "edge1,edge7",
            Self::Id(_) => "deploy-42",
            Self::Text(_) => "a & b=%ü",
            Self::Path(_) => "streams.cam1",
            Self::Change(_) => "serial:7",
            Self::Number(..) | Self::Seconds(..) => "17",
        }
    }
}

fn read(query: &str) -> Result<Parameters, Problem> {
    Parameters::parse(ApiOperation::Read.route(), query)
}

#[test]
fn known_values_are_read_and_others_refused() {
    let read = read("skip_streams=True&runtime=0&x=y&async=1&format=conf&message=a+b%21");
    let expected = Parameters {
        skip_streams: true,
        text: true,
        notes: ["x", "async", "message"].map(|name| format!("ignored-parameter {name}")).into(),
        ..Parameters::default()
    };
    assert_eq!(read.expect("the query is right"), expected);
    for (query, faults) in [
        ("dry_run=yes", 1),
        ("dry_run", 1),
        ("dry_run=&force=10&async=truE&runtime=FALSE", 2),
        ("format=xml&source=disk", 2),
        ("confirm=0&limit=x", 2),
        ("dry_run=true&dry_run=false", 1),
        ("dry_run=1&dry%5Frun=1", 1),
        ("message=a&message=a&message=b&source=saved&source=running", 2),
        ("accept=near-miss&accept=form-change&canary=a&canary=b&x=1&x=2", 0),
        ("", 0),
    ] {
        let found = super::tests::read(query).map_or_else(|problem| problem.errors.len(), |_| 0);
        assert_eq!(found, faults, "{query}");
    }
    let problem = super::tests::read("force=1&force=0").expect_err("it is ambiguous");
    assert_eq!(problem.detail, "`force`: it is given more than once");
    let modify = ApiOperation::Modify.route();
    let lists = Parameters::parse(modify, "accept=near-miss&accept=form-change").expect("it is a list");
    assert_eq!(lists.change.accepted, [Guard::NearMiss, Guard::FormChange]);
}

#[test]
fn what_a_route_does_not_take_has_no_effect_or_is_refused() {
    for route in ROUTES {
        let route = &Route { required: &[], ..route.clone() };
        for known in PARAMETERS.iter().filter(|known| taken_by(route).all(|taken| taken.name != known.name)) {
            let parsed = Parameters::parse(route, &format!("{}={}", known.name, known.values.example()));
            let parsed = parsed.map(|taken| Parameters { notes: Vec::new(), ..taken });
            let is_ignored = route.operation != ApiOperation::Change && !NEVER_IGNORED.contains(&known.name);
            let expected = is_ignored.then(Parameters::default);
            assert_eq!(parsed.ok(), expected, "{} {}", route.path, known.name);
        }
    }
}

#[test]
fn every_field_keeps_its_value() {
    for known in PARAMETERS {
        let value = known.values.example();
        let mut parameters = Parameters::default();
        known.values.put(value, &mut parameters).expect(known.name);
        assert_ne!(parameters, Parameters::default(), "{}: the field keeps it", known.name);
        assert!(!known.taken_by.is_empty(), "{}", known.name);
    }
}

#[test]
fn a_route_takes_what_it_requires() {
    for route in ROUTES {
        let takes = |name: &&str| taken_by(route).any(|taken| taken.name == *name);
        assert!(route.required.iter().all(takes), "{}", route.path);
    }
}

#[test]
fn what_a_route_can_not_do_without_has_to_be_given() {
    let route = Route { required: &["message"], ..ApiOperation::Modify.route().clone() };
    assert!(Parameters::parse(&route, "message=x").is_ok());
    let problem = Parameters::parse(&route, "force=1").expect_err("it is missing");
    assert_eq!(problem.detail, "`message`: it is required");
}
