//! What was measured, for a person, and in the last line for a program.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::{Args, dead::Dead, measure::Measured, way::Way};

pub(crate) fn print(args: &Args, all: &HashMap<(usize, Way), Vec<Measured>>, dead: Option<Dead>) {
    let mut rows = Vec::new();
    for writers in &args.writers {
        println!("\n{writers} at once, {} to an append: medians of {}", events(args.events), args.repeats);
        println!("{:<34} {:>10} {:>9} {:>10} {:>10}", "", "appends/s", "of plain", "median ms", "99 % ms");
        let plain: Vec<f64> = rates(all, *writers, Way::Plain);
        for way in Way::ALL {
            let of = |value: fn(&Measured) -> f64| median(measured(all, *writers, way).iter().map(value).collect());
            let ratios = rates(all, *writers, way).iter().zip(&plain).map(|(rate, plain)| rate / plain).collect();
            let (rate, ratio) = (of(|measured| measured.rate), median(ratios));
            let (middle, slow) = (of(|measured| measured.middle), of(|measured| measured.slow));
            println!("{:<34} {rate:>10.0} {ratio:>9.2} {middle:>10.1} {slow:>10.1}", way.name());
            rows.push(json!({
                "way": way.key(), "writers": writers, "events": args.events, "appends_per_second": round(rate),
                "of_plain": round(ratio), "median_ms": round(middle), "p99_ms": round(slow),
            }));
        }
    }
    if let Some(dead) = &dead {
        println!("\nafter an appender died in the middle of its transaction");
        println!("counter in the transaction: the next append took {:.1} s", dead.counter);
        println!(
            "reservations: the next append took {:.3} s, and the mark covered it after {:.1} s",
            dead.append, dead.mark
        );
    }
    println!("{}", json!({ "append": rows, "dead": dead.map_or(Value::Null, Dead::json) }));
}

fn events(count: usize) -> String {
    if count == 1 { "one event".to_owned() } else { format!("{count} events") }
}

fn measured(all: &HashMap<(usize, Way), Vec<Measured>>, writers: usize, way: Way) -> &[Measured] {
    all.get(&(writers, way)).map_or(&[], Vec::as_slice)
}

fn rates(all: &HashMap<(usize, Way), Vec<Measured>>, writers: usize, way: Way) -> Vec<f64> {
    measured(all, writers, way).iter().map(|measured| measured.rate).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

pub(crate) fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
