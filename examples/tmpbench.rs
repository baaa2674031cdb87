fn main() {
    let f = std::env::args().nth(1).unwrap();
    let s = String::from_utf8(std::fs::read(&f).unwrap()).unwrap();
    let mut tot = std::time::Duration::ZERO;
    for _ in 0..30 {
        let c = s.clone();
        let t = std::time::Instant::now();
        let d = std::hint::black_box(mediactl::syntax::Document::parse(c));
        tot += t.elapsed();
        drop(d);
    }
    println!("parse {:?}", tot / 30);
    let d = mediactl::syntax::Document::parse(s);
    let t = std::time::Instant::now();
    for _ in 0..30 {
        std::hint::black_box(mediactl::model::check(&d));
    }
    println!("check {:?}", t.elapsed() / 30);
    let t = std::time::Instant::now();
    for _ in 0..30 {
        std::hint::black_box(mediactl::model::top_members(&d));
    }
    println!("members {:?}", t.elapsed() / 30);
    let t = std::time::Instant::now();
    for _ in 0..5 {
        let m = mediactl::model::top_members(&d);
        let l = Default::default();
        let mut o = Vec::with_capacity(80 << 20);
        serde_json::to_writer(&mut o, &mediactl::model::View::new(&m, &l)).unwrap();
    }
    println!("json {:?}", t.elapsed() / 5);
    let t = std::time::Instant::now();
    for _ in 0..5 {
        let e = mediactl::edit::modify(&d, serde_json::json!({"streams":{"cam050000":{"prepush":77}}}));
        assert!(e.is_ok());
    }
    println!("modify {:?}", t.elapsed() / 5);
}
