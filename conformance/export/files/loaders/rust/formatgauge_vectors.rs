//! Vectors of Formatgauge as tests of `cargo test`, from a table. docs/native-tests.md says how to use it.
use std::{collections::HashMap, fs, path::Path};

/// A request: an operation of a vector. `input` is what to decode, `tree` what to encode.
pub struct Vector {
    pub kind: String,
    pub id: String,
    pub op: String,
    pub context: HashMap<String, String>,
    pub input: Vec<u8>,
    pub permitted: String,
    pub tree: String,
    pub notes: String,
    want: String, // tree with marks of floats
}

/// An answer. A rejection has a class, which may be empty, and an offset.
pub enum Answer {
    Tree(String),
    Bytes(Vec<u8>),
    Reject(String, Option<usize>),
    Skip(String),
    Error(String),
}
fn expand(text: &mut std::str::Chars, out: &mut String, end: char) {
    while let Some(c) = text.next() {
        if c == end { return; }
        if c != '\u{1}' { out.push(c); continue; }
        let (mut part, mut times) = (String::new(), String::new());
        expand(text, &mut part, '\u{2}');
        expand(text, &mut times, '\u{3}');
        out.push_str(&part.repeat(times.parse().expect("a number")));
    }
}
pub fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex")).collect()
}
pub fn hex(bytes: &[u8]) -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() }
fn same(mut want: &str, mut got: &str) -> bool { // trees
    while let Some(at) = want.find(['\u{5}', '\u{6}']) {
        let Some((answer, rest)) = got.strip_prefix(&want[..at]).and_then(|g| g.strip_prefix('"')?.split_once('"')) else { return false };
        let (float, after) = want[at + 1..].split_once('"').unwrap();
        if !same_float(float, answer, want[at..].starts_with('\u{5}')) { return false; }
        (want, got) = (after, rest);
    }
    want == got
}
fn same_float(want: &str, got: &str, single: bool) -> bool { // nan without digits equals each NaN
    want == got || want == "nan" && got.starts_with("nan") || match single {
        true => matches!((want.parse::<f32>(), got.parse::<f32>()), (Ok(w), Ok(g)) if w.to_bits() == g.to_bits()),
        false => matches!((want.parse::<f64>(), got.parse::<f64>()), (Ok(w), Ok(g)) if w.to_bits() == g.to_bits()),
    }
}
impl Vector {
    fn fits(&self, answer: &Answer, form: &str) -> bool {
        match (answer, form.strip_prefix("reject")) {
            (Answer::Reject(class, offset), Some(form)) => {
                let (classes, range) = form.split_once('@').unwrap_or((form, ""));
                let inside = match (range.split_once('-'), offset) {
                    (Some((from, to)), Some(at)) => (from.parse().unwrap()..=to.parse().unwrap()).contains(at),
                    _ => true,
                };
                inside && (classes.is_empty() || class.is_empty() || classes[1..].split('|').any(|c| c == class))
            }
            (Answer::Tree(tree), None) => form != "tree" && !form.starts_with("hex=") || form == "tree" && same(&self.want, tree),
            (Answer::Bytes(bytes), None) => form == "any" || form.strip_prefix("hex=").is_some_and(|want| *bytes == unhex(want)),
            _ => false,
        }
    }
    /// The result of an answer: pass, acceptable, skip or fail.
    pub fn judge(&self, answer: &Answer) -> &str {
        match answer {
            Answer::Skip(_) => return "skip",
            Answer::Reject(class, _) if class == "unsupported" && !self.permitted.starts_with("pass:reject") => return "skip",
            _ => {}
        }
        let permitted = self.permitted.split(' ').filter_map(|p| p.split_once(':'));
        permitted.filter(|(_, form)| self.fits(answer, form)).map(|(result, _)| result).next().unwrap_or("fail")
    }
    fn explain(&self, answer: &Answer) -> String {
        let got = match answer {
            Answer::Tree(tree) => tree.clone(),
            Answer::Bytes(bytes) => hex(bytes),
            Answer::Reject(class, offset) => format!("reject {class} {offset:?}"),
            Answer::Skip(text) | Answer::Error(text) => text.clone(),
        };
        let notes = self.notes.replace('\u{4}', "\n");
        format!("{}: {}\nexpected: {}\nvalue:    {}\ngot:      {got}\n{}{notes}", self.id, self.op, self.permitted, self.tree, hex(&self.input))
    }
}
/// The requests of a table, by vector. A pattern is a text that the ids contain.
pub fn load(table: impl AsRef<Path>, pattern: &str) -> Vec<Vec<Vector>> {
    let text = fs::read_to_string(table).expect("a table");
    let mut lines = text.lines();
    let head: Vec<_> = lines.next().unwrap_or("").split('\t').collect();
    assert!(head.len() == 4 && head[..2] == ["formatgauge", "1"], "not a table of format 1");
    let mut out: Vec<Vec<Vector>> = vec![];
    for line in lines {
        let mut whole = String::new();
        expand(&mut line.chars(), &mut whole, '\n');
        let p: Vec<_> = whole.split('\t').map(String::from).collect();
        if !p[0].contains(pattern) { continue; }
        let context = p[2].split(", ").filter_map(|c| c.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
        let v = Vector { kind: head[2].into(), id: p[0].clone(), op: p[1].clone(), context, input: unhex(&p[3]), permitted: p[4].clone(), tree: p[5].replace(['\u{5}', '\u{6}'], "\""), notes: p[6].clone(), want: p[5].clone() };
        if out.last().is_none_or(|last| last[0].id != v.id) { out.push(vec![]); }
        out.last_mut().unwrap().push(v);
    }
    out
}
/// The result of a vector: the first failure, otherwise the first acceptable answer; and what to print of it.
pub fn run(operations: &[Vector], ask: impl Fn(&Vector) -> Answer) -> (String, String) {
    let mut kept = ("pass".to_string(), String::new());
    for (i, v) in operations.iter().enumerate() {
        let answer = ask(v);
        let result = v.judge(&answer);
        if result == "fail" || (i == 0 && result == "skip") { return (result.into(), v.explain(&answer)); }
        if result == "acceptable" && kept.0 == "pass" { kept = (result.into(), v.explain(&answer)); }
    }
    kept
}
