//! Gives the answers of a file: for each table, ID op kind text hex offset.
#[path = "formatgauge_vectors.rs"]
mod vectors;
use std::{collections::HashMap, env, fs, process::exit};
use vectors::{load, run, unhex, Answer};

fn main() {
    let args: Vec<String> = env::args().collect();
    let text = fs::read_to_string(&args[1]).unwrap();
    let answers: HashMap<String, Vec<&str>> = text.lines().map(|l| l.split('\t').collect::<Vec<_>>()).map(|p| (format!("{} {}", p[0], p[1]), p)).collect();
    let (mut failed, mut passed) = (false, false);
    for table in &args[2..] {
        for operations in load(table, "") {
            let (result, detail) = run(&operations, |v| {
                let p = &answers[&format!("{} {}", v.id, v.op)];
                match p[2] {
                    "tree" => Answer::Tree(p[3].into()),
                    "hex" => Answer::Bytes(unhex(p[4])),
                    "reject" => Answer::Reject(p[3].into(), p[5].parse().ok()),
                    "skip" => Answer::Skip(p[3].into()),
                    _ => Answer::Error(p[3].into()),
                }
            });
            failed |= result == "fail";
            passed |= result == "pass";
            println!("{} {}\n  {}", if result == "fail" { "FAIL" } else { &result }, operations[0].id, detail.replace('\n', "\n  "));
        }
    }
    exit(if failed { 1 } else if passed { 0 } else { 2 });
}
