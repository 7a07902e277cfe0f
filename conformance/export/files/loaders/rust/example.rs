//! An example: tests of a reader of upkg.CompactIndex. FORMATGAUGE_PLANT plants a fault: the sign is ignored.
//! A word after -- is part of the ids to test.
use formatgauge_example::{load, run, Answer};
use std::{env, process::exit};

fn decode(b: &[u8]) -> Answer {
    if b.is_empty() { return Answer::Reject("truncated".into(), Some(0)); }
    let (mut value, mut shift, mut used, mut more) = (i64::from(b[0] & 0x3F), 6, 1, b[0] & 0x40);
    while more != 0 && used < 5 {
        if used == b.len() { return Answer::Reject("truncated".into(), Some(0)); }
        value |= i64::from(b[used] & 0x7F) << shift;
        more = b[used] & 0x80;
        (shift, used) = (shift + 7, used + 1);
    }
    if used < b.len() { return Answer::Reject("trailing".into(), Some(used)); }
    if b[0] & 0x80 != 0 && env::var_os("FORMATGAUGE_PLANT").is_none() { value = -value; }
    Answer::Tree(format!("\"{}\"", value as i32))
}

fn encode(tree: &str) -> Answer {
    let Ok(value) = tree.trim_matches('"').parse::<i32>() else { return Answer::Reject("range".into(), None) };
    let mut rest = value.unsigned_abs();
    let mut out = vec![u8::from(value < 0) << 7 | (rest & 0x3F) as u8];
    let mut more = 0x40;
    rest >>= 6;
    while rest > 0 {
        *out.last_mut().unwrap() |= more;
        out.push((rest & 0x7F) as u8);
        (more, rest) = (0x80, rest >> 7);
    }
    Answer::Bytes(out)
}

fn main() {
    let tables = env::var("FORMATGAUGE_TABLES").unwrap_or("../../tables/observed".into());
    let mut failed = 0;
    for operations in load(tables + "/upkg.CompactIndex.tsv", &env::args().nth(1).unwrap_or_default()) {
        let (result, detail) = run(&operations, |v| match (v.op.as_str(), decode(&v.input)) {
            ("encode", _) => encode(&v.tree),
            ("roundtrip", Answer::Tree(tree)) => encode(&tree),
            (_, answer) => answer,
        });
        println!("test {} ... {result}\n{detail}", operations[0].id);
        failed += i32::from(result == "fail");
    }
    exit(failed.min(1));
}
